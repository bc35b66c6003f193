#!/usr/bin/env python3
"""Two gateways under load while their Redis is killed and restarted, or (--sentinel) while a master is killed and a replica takes over.

    .build-bench/bin/python Benchmarks/redis/outage.py [--sentinel] [--seconds 30] [--binary .build/release/gatehouse]

Checkers ask each kind of route with the tokens of users who were never revoked and count every answer, before, while and after Redis is
away. Meanwhile users are revoked one after the other through both gateways, and every acknowledged one is noted: at the end it must be
refused wherever Redis kept it. wrk adds load. Needs what Benchmarks/side-by-side needs, and redis-server. Nothing leaves 127.0.0.1."""

import argparse
import itertools
import signal
import sys
import threading
import time

from fleet import ROOT, Census, Client, Fleet, Load, cli, revoke, stop, wait_for

KINDS = ("replicated", "strict", "recent", "off", "public")


class Watch:
    """The phase that the answers are counted under, and when each kind of route first passed again."""

    def __init__(self):
        self.phase, self.back_at, self.passed_again, self.census = "1 before", None, {}, Census()

    def note(self, kind, status):
        self.census[kind, self.phase, status] += 1
        if self.back_at and status == 200 and kind not in self.passed_again:
            self.passed_again[kind] = time.monotonic() - self.back_at


def check(gateway, kind, tokens, watch, end):
    client = Client(gateway.port)
    for token in itertools.cycle(tokens):
        if end.is_set():
            return
        watch.note(kind, client.status(f"/{kind}/x", None if kind == "public" else token))
        time.sleep(0.002)


def keep_revoking(gateways, acknowledged, end):
    at = int(time.time())
    for number in itertools.count():
        if end.is_set():
            return
        if revoke(gateways[number % 2], f"bench-user-{number:016d}", at):
            acknowledged.append(number)
        time.sleep(0.01)


def cause(fleet, servers, options, watch, third):
    time.sleep(third)
    watch.phase = "2 away"
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
    watch.back_at, watch.phase = time.monotonic(), "3 back"
    print(f"Redis was away for {watch.back_at - killed:.1f} s")
    time.sleep(third)
    return port


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentinel", action="store_true")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"))
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
        loads = [Load(fleet, g.port, f"/{kind}/load", options.seconds, 16, 10, "others.txt") for g in gateways for kind in ("replicated", "strict")]
        # The tokens' auth_time is 300 s ago: `recent` has to ask the store for a later sign-in, and finds none.
        checkers = [threading.Thread(target=check, args=(g, k, others, watch, end), daemon=True) for g in gateways for k in KINDS]
        revoker = threading.Thread(target=keep_revoking, args=(gateways, acknowledged, end), daemon=True)
        for thread in [*checkers, revoker]:
            thread.start()
        port = cause(fleet, servers, options, watch, options.seconds / 3)
        end.set()
        for thread in [*checkers, revoker]:
            thread.join()
        time.sleep(1)
        kept = [n for n in acknowledged if cli(port, "HEXISTS", f"gatehouse:user:{{bench-user-{n:016d}}}", "valid_since") == "1"]
        passed = [(g.name, kind, n) for g in gateways for kind in ("replicated", "strict") for n in kept
                  if Client(g.port).status(f"/{kind}/x", revoked[n]) != 401]
        print("answers by kind of route (recent: 401 is the right answer, since no later sign-in is recorded):")
        watch.census.show()
        print("seconds until a route passed again:", ", ".join(f"{k} {s:.2f}" for k, s in sorted(watch.passed_again.items())))
        print(f"{len(acknowledged)} revocations acknowledged, {len(kept)} of them kept by Redis, {len(passed)} of these forgotten by a gateway")
        for load in loads:
            print("    wrk:", load.summary())
        wrong = sum(count for (kind, _, status), count in watch.census.items() if status not in allowed(kind))
        print(f"answered wrongly: {wrong}")
        sys.exit(1 if passed or wrong or (not options.sentinel and len(kept) != len(acknowledged)) else 0)


def allowed(kind):
    """What a user who was never revoked may get; a question to Redis may take longer than strict_timeout at any time."""
    passes = {401} if kind == "recent" else {200}
    return passes | {503} if kind in ("strict", "recent") else passes


if __name__ == "__main__":
    main()
