#!/usr/bin/env python3
"""Measures the CPU time per request of one gateway with five stores: the embedded store, and Redis and Redis Cluster,
each with the replicated view and with a lookup on each request.

    .build-bench/bin/python Benchmarks/redis/cost.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one worker, wrk with 64 connections and 2,000 different tokens, CPU time
from /proc, all stores in each round. The CPU time of redis-server has its own column; of the cluster, it is that of the
store's master. All traffic is on 127.0.0.1."""

from costs import CLUSTER, REDIS, arguments, compare_stores

ROWS = {"sqlite": ("sqlite::memory:", "/replicated/x"),
        "redis, replicated": (REDIS, "/replicated/x"), "redis, strict": (REDIS, "/strict/x"),
        "cluster, replicated": (CLUSTER, "/replicated/x"), "cluster, strict": (CLUSTER, "/strict/x")}

if __name__ == "__main__":
    compare_stores(arguments(__doc__, "all stores"),
                   {name: (*row, {"revocation": {"strict_timeout": "1s"}}) for name, row in ROWS.items()})
