#!/usr/bin/env python3
"""Compares the simulation with real gateways and a real Redis on this machine.

    .build-bench/bin/python Benchmarks/fleet/validate.py [--gateways 1,2,4] [--records 200000] [--rate 50]
        [--seconds 20] [--binary .build/release/gatehouse]

Each table has a number of gateways. They start at the same time and read all records. Then they follow revocations that
a writer adds at random times. The counts of commands are those of INFO commandstats. A latency is the time from sending
a revocation to the first denial by one of the gateways. Gateways, Redis and this program share the cores of the
machine, which the simulation does not model. Needs the packages of Benchmarks/side-by-side. All traffic is on
127.0.0.1."""

import argparse
import dataclasses
import pathlib
import random
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "redis"))
sys.path.insert(0, str(HERE))
import measure  # noqa: E402
import scenarios  # noqa: E402
import simulation  # noqa: E402
from fleet import ROOT, Client, Fleet, cpu_seconds, get, metric, wait_for  # noqa: E402
from model import Costs, Network  # noqa: E402
from scale import fill, resident  # noqa: E402

PORT = 9650
LOOPBACK = Network(near=20e-6)


def commands(connection):
    """Returns the number of calls of each command."""
    text = connection.call("INFO", "commandstats").decode()
    return {line.split(":")[0][8:].split("|")[0].upper(): int(line.split("calls=")[1].split(",")[0])
            for line in text.split() if line.startswith("cmdstat_") and "cmdstat_info" not in line}


def server_cpu(connection):
    """Returns the CPU time of Redis in microseconds."""
    text = connection.call("INFO", "cpu").decode()
    return sum(1e6 * float(line.split(":")[1]) for line in text.split()
               if line.startswith(("used_cpu_user:", "used_cpu_sys:")))


def grown(after, before, name):
    return after.get(name, 0) - before.get(name, 0)


def revoke(connection, uid, at):
    connection.round([measure.marked("EVAL", measure.REVOKE, 1, f"gatehouse:user:{{{uid}}}", at),
                      measure.marked(*measure.ENTRY, "uid", uid, "valid_since", at)])


def real(options, count):
    """Measures real gateways."""
    result = {}
    with Fleet(options.binary) as fleet:
        redis = fleet.redis(PORT, "--appendonly", "no")
        fill(PORT, options.records)
        control, writer = measure.Connection(PORT), measure.Connection(PORT)
        before, cpu, began = commands(control), server_cpu(control), time.monotonic()
        store, ports = f"redis://127.0.0.1:{PORT}", range(PORT + 10, PORT + 10 + 2 * count, 2)
        gateways = [fleet.gateway(f"g{port}", store, port, port + 1, ready=False) for port in ports]
        for gateway in gateways:
            wait_for(lambda: get(gateway.admin, "/readyz")[0] == 200, gateway.name, 600)
        result["ready, s"] = time.monotonic() - began
        after = commands(control)
        result["reading: HMGET per record"] = grown(after, before, "HMGET") / options.records / count
        result["reading: SCAN per 1,000 records"] = grown(after, before, "SCAN") / count / options.records * 1000
        result["reading: us of Redis per record"] = (server_cpu(control) - cpu) / options.records / count
        result["reading: us of a gateway per record"] = (
            1e6 * cpu_seconds([g.pid for g in gateways]) / options.records / count)
        result["memory per record, bytes"] = (
            sum(resident(g.pid) for g in gateways) / count * 2**20 - options.base) / options.records
        time.sleep(2)
        # Idle.
        before, cpu, began = commands(control), server_cpu(control), time.monotonic()
        time.sleep(options.seconds / 2)
        after, elapsed = commands(control), time.monotonic() - began
        idle = (server_cpu(control) - cpu) / elapsed
        result["idle: heartbeats per gateway and s"] = (
            grown(after, before, "PING") + grown(after, before, "ROLE")) / count / elapsed
        result["idle: XINFO per gateway and s"] = grown(after, before, "XINFO") / count / elapsed
        # Revocations.
        numbers = random.Random(1)
        before, cpu, began, written = commands(control), server_cpu(control), time.monotonic(), 0
        due = began
        while time.monotonic() < began + options.seconds:
            due += numbers.expovariate(options.rate)
            time.sleep(max(0, due - time.monotonic()))
            revoke(writer, f"other-user-{written:017d}", 1_700_000_000)
            written += 1
        time.sleep(1)
        after = commands(control)
        spent = server_cpu(control) - cpu - idle * (time.monotonic() - began)
        result["following: HMGET per entry and gateway"] = grown(after, before, "HMGET") / written / count
        result["following: XREAD per entry and gateway"] = grown(after, before, "XREAD") / written / count
        result["following: XINFO per gateway and s"] = grown(after, before, "XINFO") / count / (options.seconds + 1)
        result["following: us of Redis per entry"] = spent / written
        changes = [metric(g, "gatehouse_store_changes_total") for g in gateways]
        result["entries that a gateway did not apply"] = float(sum(written - c for c in changes))
        # Latency, of one gateway at a time.
        users = range(20_000_000, 20_000_000 + options.latencies)
        tokens, slow = [fleet.mint.token(user) for user in users], []
        clients = [Client(g.port) for g in gateways]
        for number, token in zip(users, tokens):
            client = clients[number % count]
            client.status("/replicated/x", token)
            time.sleep(0.01)
            sent = time.monotonic()
            revoke(writer, f"bench-user-{number:016d}", int(time.time()))
            while client.status("/replicated/x", token) != 401:
                pass
            slow.append(1000 * (time.monotonic() - sent))
        result["latency p50, ms"] = simulation.percentile(slow, 0.5)
        result["latency p99, ms"] = simulation.percentile(slow, 0.99)
    return result


def simulated(options, count, costs):
    """Simulates the same gateways."""
    result = {}
    fleet = simulation.Fleet(count, records=options.records, network=LOOPBACK, costs=costs)
    fleet.start()
    fleet.run(600, lambda: fleet.all_ready)
    result["ready, s"] = max(fleet.measures.ready.values())
    result["reading: HMGET per record"] = fleet.redis.commands["HMGET"] / options.records / count
    result["reading: SCAN per 1,000 records"] = fleet.redis.commands["SCAN"] / count / options.records * 1000
    busy = sum(fleet.redis.busy.values())
    result["reading: us of Redis per record"] = 1e6 * busy / options.records / count
    result["reading: us of a gateway per record"] = 1e6 * costs.gateway_record
    result["memory per record, bytes"] = 37.6
    result["idle: heartbeats per gateway and s"] = scenarios.heartbeats(1, workers=1) / costs.heartbeat
    before = fleet.redis.commands.copy()
    start = fleet.clock.now
    fleet.run(start + 100)
    result["idle: XINFO per gateway and s"] = (fleet.redis.commands["XINFO"] - before["XINFO"]) / count / 100
    fleet = simulation.Fleet(count, rate=options.rate, network=LOOPBACK, costs=costs)
    fleet.start(warm=True)
    fleet.run(options.seconds)
    calls, written = fleet.redis.commands, fleet.redis.last
    result["following: HMGET per entry and gateway"] = calls["HMGET"] / written / count
    result["following: XREAD per entry and gateway"] = calls["XREAD"] / written / count
    result["following: XINFO per gateway and s"] = calls["XINFO"] / count / options.seconds
    result["following: us of Redis per entry"] = 1e6 * sum(fleet.redis.busy.values()) / written
    result["entries that a gateway did not apply"] = float(fleet.lag())
    result["latency p50, ms"] = 1000 * simulation.percentile(fleet.measures.latencies, 0.5)
    result["latency p99, ms"] = 1000 * simulation.percentile(fleet.measures.latencies, 0.99)
    return result


def base_memory(binary):
    with Fleet(binary) as fleet:
        fleet.redis(PORT, "--appendonly", "no")
        return resident(fleet.gateway("empty", f"redis://127.0.0.1:{PORT}", PORT + 10, PORT + 11).pid) * 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateways", default="1,2,4", help="numbers of gateways")
    parser.add_argument("--records", type=int, default=200_000, help="revoked users in Redis")
    parser.add_argument("--rate", type=float, default=50, help="revocations each second")
    parser.add_argument("--seconds", type=float, default=20, help="duration of the revocations")
    parser.add_argument("--latencies", type=int, default=100, help="revocations whose latency is measured")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    options.base = base_memory(options.binary)
    # A gateway on this machine has the CPU time per record that this run measures.
    for count in map(int, options.gateways.split(",")):
        measured = real(options, count)
        expected = simulated(options, count, dataclasses.replace(
            Costs(), gateway_record=1e-6 * measured["reading: us of a gateway per record"]))
        print(f"\n{count} gateways, {options.records:,} records, {options.rate:g} revocations/s\n\n"
              "| | measured | simulated |\n| --- | --- | --- |")
        for name, value in measured.items():
            print(f"| {name} | {value:,.2f} | {expected[name]:,.2f} |", flush=True)


if __name__ == "__main__":
    main()
