#!/usr/bin/env python3
"""Measures the latency of a revocation between two gateways with one Redis, under load.

    .build-bench/bin/python Benchmarks/redis/revocation.py [--times 1000] [--connections 32] [--pace 20]
        [--binary .build/release/gatehouse]

A client sends requests of one user to the second gateway continuously while that user is revoked through the admin API
of the first one. The script prints the times from sending the revocation, and from its acknowledgement, to the first
denial. At the end, both gateways must deny every revoked user. Needs the packages of Benchmarks/side-by-side, and
redis-server. All traffic is on 127.0.0.1."""

import argparse
import sys
import threading
import time

from fleet import ROOT, Client, Fleet, Load, percentiles, revoke


def poll(client, token, denied, stop):
    """Sends requests until the first denial, and appends its monotonic time."""
    while not stop.is_set():
        if client.status("/replicated/x", token) == 401:
            denied.append(time.monotonic())
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="revocations")
    parser.add_argument("--connections", type=int, default=32, help="connections of the load on each gateway")
    parser.add_argument("--pace", type=int, default=20, help="ms between two requests on a connection of the load")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        tokens = fleet.mint.write(options.times)
        others = [fleet.mint.token(10_000_000 + n) for n in range(500)]
        (fleet.folder / "others.txt").write_text("\n".join(others) + "\n")
        fleet.redis(9579)
        store = "redis://127.0.0.1:9579"
        first = fleet.gateway("first", store, 9570, 9571)
        second = fleet.gateway("second", store, 9572, 9573)
        seconds = 10 + options.times // 20
        loads = [Load(fleet, g.port, "/replicated/load", seconds, options.connections, options.pace, "others.txt")
                 for g in (first, second)]
        time.sleep(2)
        client, sent, acknowledged, lost = Client(second.port), [], [], 0
        at = int(time.time())
        for number in range(options.times):
            if client.status("/replicated/x", tokens[number]) != 200:
                sys.exit(f"user {number} was denied before the revocation")
            denied, stop = [], threading.Event()
            poller = threading.Thread(target=poll, args=(client, tokens[number], denied, stop))
            poller.start()
            time.sleep(0.002)
            began = time.monotonic()
            if not revoke(first, f"bench-user-{number:016d}", at):
                sys.exit("a revocation was not acknowledged")
            done = time.monotonic()
            poller.join(10)
            stop.set()
            if not denied:
                lost += 1
                poller.join()
                continue
            sent.append((denied[0] - began) * 1000)
            acknowledged.append(max(0, denied[0] - done) * 1000)
        passing = sum(Client(g.port).status("/replicated/x", t) != 401 for g in (first, second) for t in tokens)
        running = sum(load.is_alive() for load in loads)
        print(f"{options.times} revocations through one gateway, requests through the other; "
              f"{lost} revocations without a denial within 10 s")
        print(f"ms from sending the revocation to the first denial:   {percentiles(sent)}")
        print(f"ms from its acknowledgement to the first denial:      {percentiles(acknowledged)}")
        print(f"at the end, {passing} of {2 * options.times} requests with a revoked token passed")
        print(f"load, still running at the end: {running} of {len(loads)}")
        for load in loads:
            print("   ", load.summary())
        sys.exit(1 if lost or passing else 0)


if __name__ == "__main__":
    main()
