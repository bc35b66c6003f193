#!/usr/bin/env python3
"""Measures two gateways under load during an outage of Redis. Redis is killed and restarted. With --sentinel, the
master is killed and a replica is promoted.

    .build-bench/bin/python Benchmarks/redis/outage.py [--sentinel] [--seconds 30] [--binary .build/release/gatehouse]

Checkers send requests to each kind of route with the tokens of users who were never revoked, and count the responses
before, during and after the outage. At the same time, other users are revoked one after the other through both
gateways. At the end, both gateways must deny each user whose acknowledged revocation Redis kept. wrk adds load. Needs
the packages of Benchmarks/side-by-side, and redis-server. All traffic is on 127.0.0.1."""

import argparse
import itertools
import signal
import sys
import threading
import time

from fleet import ROOT, Census, Client, Fleet, Load, cli, revoke, stop, wait_for

KINDS = ("replicated", "strict", "recent", "off", "public")


class Watch:
    """The current phase, the responses of each phase, and the time at which each kind of route first passed again."""

    def __init__(self):
        self.phase, self.back_at, self.passed_again, self.census = "1 before", None, {}, Census()

    def record(self, kind, status):
        self.census[kind, self.phase, status] += 1
        if self.back_at and status == 200 and kind not in self.passed_again:
            self.passed_again[kind] = time.monotonic() - self.back_at


def check(gateway, kind, tokens, watch, end):
    client = Client(gateway.port)
    for token in itertools.cycle(tokens):
        if end.is_set():
            return
        watch.record(kind, client.status(f"/{kind}/x", None if kind == "public" else token))
        time.sleep(0.002)


def keep_revoking(gateways, acknowledged, end):
    at = int(time.time())
    for number in itertools.count():
        if end.is_set():
            return
        if revoke(gateways[number % 2], f"bench-user-{number:016d}", at):
            acknowledged.append(number)
        time.sleep(0.01)


def cause_outage(fleet, servers, options, watch, third):
    """Runs the three phases, each of `third` seconds. Returns the port of the last master."""
    time.sleep(third)
    watch.phase = "2 during"
    stop(servers[0], signal.SIGKILL)
    killed = time.monotonic()
    if options.sentinel:
        def master():
            return cli(9691, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "bench").split()[-1:]

        wait_for(lambda: master() not in ([], ["9589"]), "a new master", 60)
        port = int(master()[0])
        wait_for(lambda: cli(port, "ROLE").startswith("master"), "its promotion", 60)
    else:
        time.sleep(third)
        port = 9589
        fleet.redis(port)
    watch.back_at, watch.phase = time.monotonic(), "3 after"
    print(f"outage of Redis: {watch.back_at - killed:.1f} s")
    time.sleep(third)
    return port


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentinel", action="store_true", help="fail over to a replica instead of a restart")
    parser.add_argument("--seconds", type=int, default=30, help="duration of all three phases in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        revoked = fleet.mint.write(4000)
        others = [fleet.mint.token(10_000_000 + n) for n in range(200)]
        (fleet.folder / "others.txt").write_text("\n".join(others) + "\n")
        servers = [fleet.redis(9589)]
        store = "redis://127.0.0.1:9589"
        if options.sentinel:
            servers += [fleet.redis(port, "--replicaof", "127.0.0.1 9589") for port in (9590, 9593)]
            fleet.sentinels((9691, 9692, 9694), 9589)
            store = "redis+sentinel://127.0.0.1:9691,127.0.0.1:9692,127.0.0.1:9694/bench"
        gateways = [fleet.gateway("first", store, 9580, 9581), fleet.gateway("second", store, 9582, 9583)]
        watch, end, acknowledged = Watch(), threading.Event(), []
        loads = [Load(fleet, g.port, f"/{kind}/load", options.seconds, 16, 10, "others.txt")
                 for g in gateways for kind in ("replicated", "strict")]
        # The tokens' auth_time is 300 s ago: `recent` must look up a later sign-in in the store, which has none.
        checkers = [threading.Thread(target=check, args=(g, k, others, watch, end), daemon=True)
                    for g in gateways for k in KINDS]
        revoker = threading.Thread(target=keep_revoking, args=(gateways, acknowledged, end), daemon=True)
        for thread in [*checkers, revoker]:
            thread.start()
        port = cause_outage(fleet, servers, options, watch, options.seconds / 3)
        end.set()
        for thread in [*checkers, revoker]:
            thread.join()
        time.sleep(1)
        kept = [n for n in acknowledged
                if cli(port, "HEXISTS", f"gatehouse:user:{{bench-user-{n:016d}}}", "valid_since") == "1"]
        passed = [(g.name, kind, n) for g in gateways for kind in ("replicated", "strict") for n in kept
                  if Client(g.port).status(f"/{kind}/x", revoked[n]) != 401]
        print("responses by kind of route (recent: 401 is correct, because the store has no later sign-in):")
        watch.census.show()
        print("seconds from the end of the outage to the first 200 of a route:",
              ", ".join(f"{k} {s:.2f}" for k, s in sorted(watch.passed_again.items())))
        print(f"revocations: {len(acknowledged)} acknowledged, {len(kept)} kept by Redis, "
              f"{len(passed)} lost by a gateway")
        for load in loads:
            print("    wrk:", load.summary())
        wrong = sum(count for (kind, _, status), count in watch.census.items() if status not in allowed(kind))
        print(f"wrong responses: {wrong}")
        sys.exit(1 if passed or wrong or (not options.sentinel and len(kept) != len(acknowledged)) else 0)


def allowed(kind):
    """Returns the correct statuses for a user who was never revoked. A lookup in Redis can exceed strict_timeout at any
    time."""
    passes = {401} if kind == "recent" else {200}
    return passes | {503} if kind in ("strict", "recent") else passes


if __name__ == "__main__":
    main()
