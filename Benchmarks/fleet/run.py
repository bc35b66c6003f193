#!/usr/bin/env python3
"""Simulates the scenarios of docs/internals/fleet.md and prints their tables.

    python3 Benchmarks/fleet/run.py [--only steady,burst] [--seed 1] [--json fleet.json]

The same seed has the same result. All scenarios take a few minutes of one core."""

import argparse
import dataclasses
import json
import math
import pathlib
import time

import scenarios
from scenarios import MILLION

SETS = {
    "steady": lambda seed: [
        scenarios.steady(gateways, rate, seed=seed) for gateways in (10, 100, 1000) for rate in (1, 10, 100, 1000)],
    "regions": lambda seed: [scenarios.steady(100, rate, regions=2, seed=seed) for rate in (10, 1000)],
    "burst": lambda seed: [
        scenarios.burst(10, 100_000, seed=seed), scenarios.burst(100, 100_000, seed=seed),
        scenarios.burst(1000, 20_000, seed=seed), scenarios.burst(100, 1_500_000, seed=seed)],
    "restart": lambda seed: [
        scenarios.reading(gateways, records, seed=seed)
        for gateways in (1, 10, 100, 1000) for records in (100_000, MILLION, 10 * MILLION, 100 * MILLION)],
    "failover": lambda seed: [
        scenarios.reading(gateways, records, failover=True, rate=rate, seed=seed)
        for gateways, rate in ((100, 1000), (1000, 100)) for records in (10_000, 100_000, MILLION, 10 * MILLION)],
    "accounts": lambda seed: [
        scenarios.reading(gateways, 2 * MILLION, other_keys=3 * MILLION, seed=seed) for gateways in (1, 10)],
    "collapse": lambda seed: [
        scenarios.collapse(gateways, factor, seed=seed)
        for gateways, factor in ((1000, 1), (1500, 1), (2000, 1), (3000, 1), (1000, 2))],
    "rolling": lambda seed: [scenarios.rolling(at_once, seed=seed) for at_once in (1, 2, 3, 5, 10)] + [
        scenarios.rolling(1, seed=seed, regions=2)],
    "scheduled": lambda seed: [
        scenarios.scheduled(gateways, MILLION, window, spread, seed=seed)
        for gateways, window in ((100, 240.0), (1000, 60.0)) for spread in (360.0, 3600.0)],
    "link": lambda seed: [
        scenarios.link_down(100, 1000, seconds, seed=seed) for seconds in (30.0, 120.0, 600.0)] + [
        scenarios.link_down(20, 1000, 1200.0, seed=seed)],
    "configured": lambda seed: [scenarios.steady(125, 1000, workers=8, seed=seed)],
    "configured failover": lambda seed: [
        scenarios.reading(125, MILLION, failover=True, rate=1000, timing=dataclasses.replace(
            scenarios.TIMING, max_staleness=600, strict_timeout=0.5), seed=seed)],
    "memory": lambda seed: [
        scenarios.memory(records, gateways) for records in (MILLION, 10 * MILLION, 100 * MILLION)
        for gateways in (100, 1000)],
}


# The columns of each table. The other numbers are in the file of --json.
PROPAGATION = ["propagation p50", "propagation p99", "propagation max", "last gateway p99"]
COLUMNS = {
    "steady": ["gateways", "revocations/s", *PROPAGATION, "redis busy", "lag grows/s"],
    "regions": ["gateways", "revocations/s", *PROPAGATION, "acknowledged p99", "redis busy", "lag grows/s"],
    "burst": ["gateways", "entries", "written in", "all applied after", "readings", "503 per gateway"],
    "restart": ["gateways", "records", "all read after", "redis busy", "strict p50", "strict p99", "strict late",
                "acknowledged p99", "simulated"],
    "failover": ["gateways", "records", "all read after", "503 at most", "redis busy", "strict p99", "acknowledged p99",
                 "simulated"],
    "configured": ["gateways", "revocations/s", *PROPAGATION, "redis busy", "lag grows/s"],
    "configured failover": ["gateways", "records", "all read after", "503 at most", "redis busy", "strict p99",
                            "strict late", "propagation p99", "acknowledged p99", "simulated"],
    "accounts": ["gateways", "records", "all read after", "redis busy"],
    "collapse": ["gateways", "factor", "read by each in 90 s", "abandoned readings", "connections lost", "redis busy"],
    "rolling": ["at once", "regions", "each", "100 gateways", "1000 gateways", "redis busy"],
    "scheduled": ["gateways", "begin within", "concurrent", *PROPAGATION[:3], "redis busy", "strict p99",
                  "strict late"],
    "link": ["gateways", "cut", "missed", "current again after", "503 per far gateway", "503 of near gateways",
             "readings", "redis busy"],
    "memory": ["records", "gateways", "gateway MiB", "redis GiB"],
}


def text(name, value):
    if isinstance(value, float) and math.isnan(value):
        return "-"
    if value == math.inf:
        return "never"
    if name in ("redis busy", "strict late"):
        return f"{value:.1%}"
    if name == "redis GiB":
        return f"{value:.1f}"
    if not isinstance(value, float) or name.endswith(("/s", "MiB")):
        return f"{value:,.0f}"
    if name == "factor":
        return f"{value:g}"
    if value == 0:
        return "0"
    if value >= 600:
        return f"{value / 60:,.0f} min" if value < 3600 * 4 else f"{value / 3600:,.0f} h"
    return f"{value:.1f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def table(rows, names):
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    lines += ["| " + " | ".join(text(name, row.get(name, math.nan)) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=f"a list of {', '.join(SETS)}")
    parser.add_argument("--seed", type=int, default=1, help="of all random numbers")
    parser.add_argument("--json", type=pathlib.Path, help="adds the rows to this file, for plots.py")
    options = parser.parse_args()
    results = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    for name in options.only.split(",") if options.only else SETS:
        began = time.process_time()
        rows = SETS[name](options.seed)
        results[name] = rows
        spent = time.process_time() - began
        print(f"## {name} ({spent:.1f} s of CPU time)\n\n{table(rows, COLUMNS[name])}\n", flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
