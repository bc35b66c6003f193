#!/usr/bin/env python3
"""Runs gateways, their store and clients in network namespaces, causes faults, and checks the recorded history.

    python3 Faults/run.py --topology sentinel --seconds 1800 --binary .build/release/gatehouse --output /tmp/faults

Needs root, redis-server, and the Python package cryptography; with faketime also shifts of clocks. All namespaces,
mounts and processes belong to this process and end with it, however it ends. The manual's page
docs/internals/faults.md describes the checks."""

import argparse
import asyncio
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import checker
from cluster import ADMIN, Cluster, until
from client import exchange
from history import History, read
from nemesis import Nemesis
from tokens import GOOGLE
from workload import Workload

INSIDE = "GATEHOUSE_FAULTS_INSIDE"
RECOVERY = 30


def isolate():
    """Runs this program again in namespaces of its own. Returns its exit code."""
    command = ["unshare", "--mount", "--propagation", "private", "--net", "--pid", "--fork", "--kill-child",
               "--mount-proc", sys.executable, *sys.argv]
    child = subprocess.Popen(command, env=os.environ | {INSIDE: "1"})
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: child.kill())
    return child.wait()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topology", choices=("single", "sentinel", "cluster", "sqlite"),
                        default="single")
    parser.add_argument("--binary", default=".build/release/gatehouse", help="the gateway")
    parser.add_argument("--seconds", type=int, default=60, help="how long faults are caused")
    parser.add_argument("--seed", type=int, default=None, help="of the schedule; a random one by default")
    parser.add_argument("--gateways", type=int, default=3)
    parser.add_argument("--staleness", type=int, default=5, help="revocation.max_staleness in seconds")
    parser.add_argument("--down-after", type=int, default=6, help="seconds without a response after which sentinels or "
                        "nodes of a cluster replace a master")
    parser.add_argument("--load", type=int, default=2, help="clients of each kind")
    parser.add_argument("--pace", type=float, default=1, help="factor of the pauses between faults")
    parser.add_argument("--kinds", default="", help="the kinds of faults, with commas; all by default")
    parser.add_argument("--on-lost-store", choices=("keep", "restore"), default="keep")
    parser.add_argument("--planted", choices=("staleness", "amnesia"), help="a fault of the set-up that the checker "
                        "must find: a longer staleness than it expects, or a Redis without persistence")
    parser.add_argument("--no-clock", dest="clock", action="store_false", help="do not run gateways under faketime")
    parser.add_argument("--output", default="faults-run", help="the folder for the history and the logs; is replaced")
    options = parser.parse_args()
    options.seed = random.randrange(1 << 31) if options.seed is None else options.seed
    options.binary = str(pathlib.Path(options.binary).resolve())
    return options


async def watch_roles(cluster, history):
    """Records the role of each Redis, past the proxies, and the master that each sentinel, or each node of a cluster,
    names. A server without a response keeps its last role. `since` is the time of the observation before."""
    async def watch(name):
        role, seen, named = None, time.monotonic(), None
        while True:
            begun = time.monotonic()
            current, found = await cluster.role(name)
            if current and current != role:
                role = current
                history.record("role", server=name, role=role, since=seen)
                if role == "master":
                    cluster.master = name
            if current:
                seen = begun
            if name in cluster.sentinels:
                found = await cluster.named(name)
            if found and found != named:
                named = found
                history.record("names", voter=name, server=named)
            await asyncio.sleep(0.15)

    await asyncio.gather(*(watch(name) for name in cluster.servers))


async def watch_readiness(cluster, history):
    async def watch(name):
        last = None
        while True:
            response = await exchange(cluster.network.nodes[name], ADMIN, "GET", "/readyz", timeout=2)
            if (response.status == 200) != last:
                last = response.status == 200
                history.record("ready", gateway=name, ready=last)
            await asyncio.sleep(0.4)

    await asyncio.gather(*(watch(name) for name in cluster.gateways))


async def watch_stalls(cluster, history):
    """Records when this process had no processor time: its proxies then stop as well, which is not a chosen fault."""
    while True:
        before = time.monotonic()
        await asyncio.sleep(0.1)
        length = time.monotonic() - before - 0.1
        if length > 0.5:
            history.record("stall", length=round(length, 2))


async def supervise(cluster, history):
    """Starts a gateway or a sentinel again that ended by itself, which is a finding of its own."""
    while True:
        for process in [*cluster.gateways.values(), *cluster.sentinels.values()]:
            if process.child.returncode is None and process.child.poll() not in (None, -signal.SIGKILL):
                history.record("exit", name=process.name, status=process.child.returncode)
                process.start()
        await asyncio.sleep(0.5)


async def recover(cluster, workload, history, healed):
    """Records for each gateway how long it takes after the last fault until everything works."""
    async def works(name):
        workload_user = f"recovery{next(workload.numbers)}"
        token = workload.token(workload_user)
        for route in ("replicated", "strict"):
            if (await workload.probe(token, name, route, "recovery")).status != 200:
                return False
        revoked = await workload.admin("revoke", name, f"/v1/users/{workload_user}/revoke",
                                       ends={"user": workload_user}, means="revoke")
        proof = await workload.proof(name, GOOGLE, workload_user)
        if revoked.status != 200 or proof is None:
            return False
        if cluster.options.on_lost_store == "keep" and len(cluster.servers) > 1:
            # After a failover that lost changes, the first sign-in of an identity is 503 until the loss is accepted.
            return True
        response = await workload.call("sign-in", name, "sign-in", proof, item=f"nonce {proof['nonce']}")
        return workload.session(response, f"{GOOGLE}:{workload_user}") is not None

    async def measure(name):
        while not await works(name):
            if time.monotonic() - healed > 120:
                history.record("recovered", gateway=name, after=None)
                return
            await asyncio.sleep(0.2)
        history.record("recovered", gateway=name, after=round(time.monotonic() - healed, 2))

    await asyncio.gather(*(measure(name) for name in cluster.gateways))


async def present_all(cluster, workload, limit=1500):
    """Presents credentials that have ended, and those that were enabled again, at each gateway and kind of route."""
    chosen = workload.random.sample(workload.ended, min(limit, len(workload.ended))) + workload.restored[-200:]
    for credential in chosen:
        await asyncio.gather(*(workload.probe(credential, gateway, route, "final")
                               for gateway in cluster.gateways for route in ("replicated", "strict")))


async def run(options, folder, history):
    cluster = Cluster(options, folder, random.Random(options.seed + 1))
    watchers = []
    try:
        await cluster.start()
        for name in cluster.gateways:
            await until(lambda name=name: is_ready(cluster, name), f"{name}; see {folder}/{name}.log", 90)
        history.record("run", topology=options.topology, seed=options.seed, seconds=options.seconds,
                       staleness=options.staleness, gateways=sorted(cluster.gateways), clock=cluster.has_clock,
                       servers=sorted(cluster.servers), recovery=RECOVERY, on_lost_store=options.on_lost_store,
                       shards=cluster.shards)
        watchers = [asyncio.ensure_future(watch(cluster, history))
                    for watch in (watch_roles, watch_readiness, watch_stalls, supervise)]
        workload = Workload(cluster, history, random.Random(options.seed + 2))
        kinds = set(filter(None, options.kinds.split(",")))
        nemesis = Nemesis(cluster, history, random.Random(options.seed), kinds)
        clients = asyncio.ensure_future(workload.run(options.seconds))
        await asyncio.sleep(3)
        await nemesis.run(options.seconds - 3)
        healed = time.monotonic()
        history.record("healed")
        await recover(cluster, workload, history, healed)
        await asyncio.wait([clients], timeout=options.staleness + 30)
        workload.is_over = True
        await asyncio.wait([clients], timeout=30)
        clients.cancel()
        await asyncio.sleep(options.staleness + 1)
        await present_all(cluster, workload)
        history.record("over")
    finally:
        for watcher in watchers:
            watcher.cancel()
        cluster.stop()
        history.close()


async def is_ready(cluster, name):
    if not cluster.gateways[name].is_running:
        return False
    return (await exchange(cluster.network.nodes[name], ADMIN, "GET", "/readyz", timeout=2)).status == 200


def main():
    options = arguments()
    if INSIDE not in os.environ:
        return isolate()
    folder = pathlib.Path(options.output).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.makedirs("/run/netns", exist_ok=True)
    for place in ("/run/netns", "/dev/shm"):
        subprocess.run(["mount", "-t", "tmpfs", "faults", place], check=True)
    print(f"topology {options.topology}, seed {options.seed}, {options.seconds} s, output {folder}", flush=True)
    asyncio.run(run(options, folder, History(folder / "history.jsonl")))
    report = checker.check(read(folder / "history.jsonl"))
    text = report.text()
    (folder / "report.txt").write_text(text)
    print(text)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
