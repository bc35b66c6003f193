#!/usr/bin/env python3
"""Measures the CPU time per request of one gateway with rate limits: none, of the gateway, and of the fleet, by user
and by route, with Redis and with Redis Cluster. No request is denied.

    .build-bench/bin/python Benchmarks/redis/rates.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

The method is that of cost.py. The CPU time of redis-server has its own column: it is that of the charges. `fleet, uid`
charges a bucket of each user, and `fleet, route` a single bucket. All traffic is on 127.0.0.1."""

from costs import CLUSTER, REDIS, arguments, compare_stores

LIMIT = {"requests": 1_000_000, "every": "1s", "burst": 1_000_000}
# No request is denied, and none waits: a lease is 100,000 requests.
ROWS = {"no limit": (REDIS, None), "gateway, uid": (REDIS, ("uid", "gateway")), "fleet, uid": (REDIS, ("uid", "fleet")),
        "gateway, route": (REDIS, ("route", "gateway")), "fleet, route": (REDIS, ("route", "fleet")),
        "cluster, no limit": (CLUSTER, None), "cluster; fleet, uid": (CLUSTER, ("uid", "fleet")),
        "cluster; fleet, route": (CLUSTER, ("route", "fleet"))}


def routes(limit):
    limits = {"rate_limit": [{"per": limit[0], "scope": limit[1], **LIMIT}]} if limit else {}
    return [{"path": "/**", "upstream": "api", **limits}]


if __name__ == "__main__":
    compare_stores(arguments(__doc__, "all limits"),
                   {name: (store, "/rates/x", {"routes": routes(limit)}) for name, (store, limit) in ROWS.items()})
