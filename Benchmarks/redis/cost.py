#!/usr/bin/env python3
"""What Redis costs a request: the CPU time of one gateway with the embedded store, with Redis and the replicated table, and with Redis asked on each request.

    .build-bench/bin/python Benchmarks/redis/cost.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

As Benchmarks/side-by-side measures: one worker, wrk with 64 connections and 2,000 different tokens, CPU time from /proc, rounds in turn.
The CPU time of redis-server is told apart. Nothing leaves 127.0.0.1."""

import argparse
import re
import statistics

from fleet import ROOT, Fleet, Load, cpu_seconds, family, stop
from compare import percentile

ROWS = (("sqlite", "sqlite::memory:", "/replicated/x"), ("redis, replicated", "redis://127.0.0.1:9599", "/replicated/x"),
        ("redis, strict", "redis://127.0.0.1:9599", "/strict/x"))


def measure(fleet, redis, store, path, options):
    gateway = fleet.gateway("gateway", store, 9597, 9598, strict_timeout="1s")
    Load(fleet, gateway.port, path, 1, 64).join()
    pids = family(gateway.pid)
    before, redis_before = cpu_seconds(pids), cpu_seconds([redis.pid])
    load = Load(fleet, gateway.port, path, options.seconds, 64)
    load.join()
    spent, redis_spent = cpu_seconds(pids) - before, cpu_seconds([redis.pid]) - redis_before
    stop(gateway)
    count = int(re.search(r"(\d+) requests in", load.output).group(1))
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", load.output)
    return {"us": spent / count * 1e6, "redis": redis_spent / count * 1e6, "rate": count / options.seconds,
            "p50": percentile(load.output, 50), "p99": percentile(load.output, 99), "refused": int(refused.group(1)) if refused else 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"))
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        redis = fleet.redis(9599)
        rows = {name: [] for name, _, _ in ROWS}
        for _ in range(options.rounds):
            for name, store, path in ROWS:
                rows[name].append(measure(fleet, redis, store, path, options))
        print(f"medians of {options.rounds} rounds of {options.seconds} s, 64 connections, one worker")
        print(f"{'':20}{'us CPU/request':>16}{'(best-worst)':>16}{'Redis us':>10}{'requests/s':>12}{'p50 ms':>9}{'p99 ms':>9}{'not 2xx':>9}")
        for name, results in rows.items():
            middle = {key: statistics.median(r[key] for r in results) for key in results[0]}
            spread = f"({min(r['us'] for r in results):.1f}-{max(r['us'] for r in results):.1f})"
            print(f"{name:20}{middle['us']:16.1f}{spread:>16}{middle['redis']:10.1f}{middle['rate']:12.0f}{middle['p50']:9.2f}{middle['p99']:9.2f}"
                  f"{sum(r['refused'] for r in results):9}")


if __name__ == "__main__":
    main()
