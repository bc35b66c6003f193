#!/usr/bin/env python3
"""Measures the CPU time per request of one gateway with three stores: the embedded store, Redis with the replicated
view, and Redis with a lookup on each request.

    .build-bench/bin/python Benchmarks/redis/cost.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one worker, wrk with 64 connections and 2,000 different tokens, CPU time
from /proc, all stores in each round. The CPU time of redis-server has its own column. All traffic is on 127.0.0.1."""

import argparse

from fleet import ROOT, Fleet, Load, cpu_seconds, family, stop
from table import cost, show

ROWS = (("sqlite", "sqlite::memory:", "/replicated/x"),
        ("redis, replicated", "redis://127.0.0.1:9599", "/replicated/x"),
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
    found = cost(load.output, spent, options.seconds)
    return found | {"redis": redis_spent / found["rate"] / options.seconds * 1e6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with all stores")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        redis = fleet.redis(9599)
        rows = {name: [] for name, _, _ in ROWS}
        for _ in range(options.rounds):
            for name, store, path in ROWS:
                rows[name].append(measure(fleet, redis, store, path, options))
        print(f"medians of {options.rounds} rounds of {options.seconds} s, 64 connections, one worker")
        show(rows, [("redis", "Redis us", 10, 1)])


if __name__ == "__main__":
    main()
