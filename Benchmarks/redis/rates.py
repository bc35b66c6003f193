#!/usr/bin/env python3
"""Measures the CPU time per request of one gateway with rate limits: none, of the gateway, and of the fleet, by user
and by route. No request is denied.

    .build-bench/bin/python Benchmarks/redis/rates.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

The method is that of cost.py. All rows use Redis as the store, and the CPU time of redis-server has its own column: it
is that of the charges. `fleet, uid` charges a bucket of each user, and `fleet, route` a
single bucket. All traffic is on 127.0.0.1."""

from costs import arguments, compare, measure
from fleet import Fleet, stop

LIMIT = {"requests": 1_000_000, "every": "1s", "burst": 1_000_000}
# No request is denied, and none waits: a lease is 100,000 requests.
ROWS = {"no limit": None, "gateway, uid": ("uid", "gateway"), "fleet, uid": ("uid", "fleet"),
        "gateway, route": ("route", "gateway"), "fleet, route": ("route", "fleet")}


def measure_limit(fleet, redis, limit, seconds):
    route = {"path": "/**", "upstream": "api"}
    if limit:
        route["rate_limit"] = [{"per": limit[0], "scope": limit[1], **LIMIT}]
    gateway = fleet.gateway(store="redis://127.0.0.1:9599", routes=[route])
    found = measure(fleet, gateway, "/rates/x", seconds, beside={"redis": redis})
    stop(gateway)
    return found


def main():
    options = arguments(__doc__, "all limits")
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        redis = fleet.redis(9599)
        rows = {name: lambda limit=limit: measure_limit(fleet, redis, limit, options.seconds)
                for name, limit in ROWS.items()}
        compare(options, rows, further=[("redis", "Redis us", 10, 1)])


if __name__ == "__main__":
    main()
