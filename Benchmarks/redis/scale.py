#!/usr/bin/env python3
"""Measures a gateway with millions of revoked users in Redis: the time until it is ready, its memory, and the latency
of a further revocation.

    .build-bench/bin/python Benchmarks/redis/scale.py [--users 10000000] [--binary .build/release/gatehouse]

Fills a Redis without persistence with one hash per user (uids of 28 characters, like those of Firebase), starts a
gateway, sends requests of users that are not revoked, and revokes some of them. Redis needs 2 GB of memory. All traffic
is on 127.0.0.1."""

import argparse
import hashlib
import random
import subprocess
import sys
import time

from fleet import ROOT, Client, Fleet, cpu_seconds, get, metric, resident, revoke, wait_for


def uid(number):
    return hashlib.sha256(str(number).encode()).hexdigest()[:28]


def fill(port, users):
    pipe = subprocess.Popen(["redis-cli", "-p", str(port), "--pipe"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    batch = []
    for number in range(users):
        key = f"gatehouse:user:{{{uid(number)}}}"
        batch.append(f"*4\r\n$4\r\nHSET\r\n${len(key)}\r\n{key}\r\n$11\r\nvalid_since\r\n$10\r\n1700000000\r\n")
        if len(batch) == 10_000:
            pipe.stdin.write("".join(batch).encode())
            batch.clear()
            if number % 1_000_000 == 999_999:
                print(f"    {number + 1:,} users written", file=sys.stderr)
    pipe.stdin.write("".join(batch).encode())
    pipe.stdin.close()
    if pipe.wait() != 0:
        sys.exit("redis-cli --pipe failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=10_000_000, help="revoked users")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        redis = fleet.redis(9609, "--appendonly", "no")
        empty = fleet.gateway("empty", "redis://127.0.0.1:9609", 9604, 9605)
        base = resident(empty.pid)
        fill(9609, options.users)
        print(f"{options.users:,} users in Redis: {resident(redis.pid):,.0f} MiB of its memory")
        began, redis_before = time.monotonic(), cpu_seconds([redis.pid])
        gateway = fleet.gateway("full", "redis://127.0.0.1:9609", 9606, 9607, ready=False)
        wait_for(lambda: get(gateway.admin, "/readyz")[0] == 200, "readiness", 600)
        print(f"ready after {time.monotonic() - began:.1f} s; "
              f"{cpu_seconds([gateway.pid]):.1f} s of the gateway's CPU time, "
              f"{cpu_seconds([redis.pid]) - redis_before:.1f} s of Redis's")
        print(f"memory of the gateway: {resident(gateway.pid):,.0f} MiB "
              f"({resident(gateway.pid, 'VmHWM'):,.0f} at most); {base:,.0f} MiB without users")
        print(f"users in its view: {metric(gateway, 'gatehouse_store_users'):,.0f}, "
              f"age {metric(gateway, 'gatehouse_store_age_seconds'):.1f} s")
        tokens = fleet.mint.write(200)
        client, began = Client(gateway.port), time.monotonic()
        passed = sum(client.status("/replicated/x", token) == 200 for token in tokens)
        at, slowest = int(time.time()), 0.0
        for number in random.sample(range(200), 100):
            sent = time.monotonic()
            if not revoke(gateway, f"bench-user-{number:016d}", at):
                sys.exit("a revocation was not acknowledged")
            while client.status("/replicated/x", tokens[number]) != 401:
                pass
            slowest = max(slowest, time.monotonic() - sent)
        print(f"{passed} of 200 users that are not in the view passed; "
              f"100 further revocations were in effect within {slowest * 1000:.1f} ms")
        sys.exit(0 if passed == 200 else 1)


if __name__ == "__main__":
    main()
