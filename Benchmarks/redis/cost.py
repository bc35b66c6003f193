#!/usr/bin/env python3
"""Measures the CPU time per request of one gateway with three stores: the embedded store, Redis with the replicated
view, and Redis with a lookup on each request.

    .build-bench/bin/python Benchmarks/redis/cost.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one worker, wrk with 64 connections and 2,000 different tokens, CPU time
from /proc, all stores in each round. The CPU time of redis-server has its own column. All traffic is on 127.0.0.1."""

from costs import arguments, compare, measure
from fleet import Fleet, stop

ROWS = {"sqlite": ("sqlite::memory:", "/replicated/x"),
        "redis, replicated": ("redis://127.0.0.1:9599", "/replicated/x"),
        "redis, strict": ("redis://127.0.0.1:9599", "/strict/x")}


def measure_store(fleet, redis, store, path, seconds):
    gateway = fleet.gateway(store=store, revocation={"strict_timeout": "1s"})
    found = measure(fleet, gateway, path, seconds, beside={"redis": redis})
    stop(gateway)
    return found


def main():
    options = arguments(__doc__, "all stores")
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        redis = fleet.redis(9599)
        rows = {name: lambda row=row: measure_store(fleet, redis, *row, options.seconds) for name, row in ROWS.items()}
        compare(options, rows, further=[("redis", "Redis us", 10, 1)])


if __name__ == "__main__":
    main()
