#!/usr/bin/env python3
"""Measures the start of a gateway with millions of revoked users in Redis, without and with `store.view_file`: the time
until it is ready, its CPU time and that of Redis, and its memory.

    .build-bench/bin/python Benchmarks/redis/start.py [--users 10000000] [--changes 10000] [--rounds 1]
        [--workers 1] [--binary .build/release/gatehouse]

Fills a Redis without persistence with one hash per user, as `scale.py` does, and with the entries of the stream for the
last users. Each round starts a gateway without a file, with a file that does not exist yet, with the file of the
previous process, and with that file after further users were revoked while no gateway ran. After each start, the view
must have all users, and a sample of them must be revoked. Redis needs 2 GB of memory, and the folder of temporary files
room for two view files (24 bytes per record each). All traffic is on 127.0.0.1."""

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time

from fleet import ADMIN_TOKEN, ROOT, Fleet, cpu_seconds, get, metric, resident, wait_for
from scale import fill, uid

PORT, LISTEN, ADMIN = 9609, 9606, 9607
TIME = 1700000000
ROWS = ("without view_file", "view_file, no file yet", "view_file", "view_file, after changes")


def pipe(commands):
    """Sends commands, each a list of words, in one pipeline."""
    text = "".join(f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
                   for words in commands)
    subprocess.run(["redis-cli", "-p", str(PORT), "--pipe"], input=text.encode(), check=True, stdout=subprocess.DEVNULL)


def announce(numbers):
    """Writes the entries of the stream, as the gateways and other backends do after the record."""
    pipe(["XADD", "gatehouse:changes", "MAXLEN", "~", "1000000", "*", "uid", uid(n), "valid_since", str(TIME)]
         for n in numbers)


def revoke(numbers):
    """Revokes users as another backend does: the record, then the entry."""
    pipe(["HSET", f"gatehouse:user:{{{uid(n)}}}", "valid_since", str(TIME)] for n in numbers)
    announce(numbers)


def end(gateway):
    """Ends a gateway, which saves its view, and returns the seconds that it took."""
    began = time.monotonic()
    os.killpg(gateway.pid, signal.SIGTERM)
    if gateway.wait(300) != 0:
        sys.exit(f"the gateway ended with {gateway.returncode}")
    return time.monotonic() - began


def check(gateway, users):
    """Ends the program unless the view has all users, and a sample of them is revoked."""
    found = metric(gateway, "gatehouse_store_users")
    if found != users:
        sys.exit(f"the view has {found:,.0f} of {users:,} users")
    for number in random.sample(range(users), min(users, 100)) + [users - 1]:
        body = json.loads(get(gateway.admin, f"/v1/users/{uid(number)}", ADMIN_TOKEN)[1])
        if body.get("valid_since") != TIME:
            sys.exit(f"user {number} is not revoked: {body}")


def measure(fleet, redis, users, file, workers):
    is_saved = file is not None and file.exists()
    store = {"url": f"redis://127.0.0.1:{PORT}"} | ({"view_file": str(file)} if file else {})
    before, began = cpu_seconds([redis.pid]), time.monotonic()
    gateway = fleet.gateway("gateway", store, LISTEN, ADMIN, ready=False, workers=workers)
    wait_for(lambda: get(gateway.admin, "/readyz")[0] == 200, f"readiness; see {fleet.folder}/gateway.log", 1200)
    found = {"ready": time.monotonic() - began, "cpu": cpu_seconds([gateway.pid]),
             "redis": cpu_seconds([redis.pid]) - before,
             "memory": resident(gateway.pid), "peak": resident(gateway.pid, "VmHWM")}
    check(gateway, users)
    readings = metric(gateway, 'gatehouse_store_readings_total{reason="start"}')
    if readings != (0 if is_saved else 1):
        sys.exit(f"{readings:.0f} readings of all records at the start; see {fleet.folder}/gateway.log")
    return found | {"end": end(gateway)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=10_000_000, help="revoked users")
    parser.add_argument("--changes", type=int, default=10_000, help="users that are revoked while no gateway runs")
    parser.add_argument("--rounds", type=int, default=1, help="rounds, each with all starts")
    parser.add_argument("--workers", type=int, default=1, help="event loops of the gateway")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    results = {row: [] for row in ROWS}
    with Fleet(options.binary) as fleet:
        redis = fleet.redis(PORT, "--appendonly", "no")
        fill(PORT, options.users)
        announce(range(max(0, options.users - 1_000), options.users))
        print(f"{options.users:,} users in Redis: {resident(redis.pid):,.0f} MiB of its memory")
        users, file = options.users, fleet.folder / "gatehouse.view"
        for _ in range(options.rounds):
            file.unlink(missing_ok=True)
            for row in ROWS:
                if row == ROWS[3]:
                    revoke(range(users, users + options.changes))
                    users += options.changes
                results[row].append(measure(fleet, redis, users, file if row != ROWS[0] else None, options.workers))
        size = file.stat().st_size / (1 << 20)
    print(f"the file has {size:,.1f} MiB; medians of {options.rounds} rounds, {options.workers} workers, "
          f"{options.changes:,} changes")
    print(f"{'':26}{'ready s':>9}{'CPU s':>8}{'Redis s':>9}{'MiB':>8}{'at most':>9}{'end s':>7}")
    for row, found in results.items():
        median = {name: statistics.median(one[name] for one in found) for name in found[0]}
        print(f"{row:26}{median['ready']:9.2f}{median['cpu']:8.2f}{median['redis']:9.2f}{median['memory']:8.0f}"
              f"{median['peak']:9.0f}{median['end']:7.2f}")


if __name__ == "__main__":
    main()
