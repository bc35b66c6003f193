"""The frame of the programs that compare the CPU time per request of one gateway: options, measurement and table."""

import argparse
import functools
import sys

from fleet import ROOT, Fleet, Load, cpu_seconds, family, stop
from nodes import Nodes
from table import cost, show

REDIS, CLUSTER = "redis://127.0.0.1:9599", "cluster"


def arguments(description, rows):
    """Parses the options. `rows` names what each round measures."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help=f"rounds, each with {rows}")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    return parser.parse_args()


def measure(fleet, gateway, path, seconds, beside=None, **load):
    """Returns one measurement of a gateway, after a second of the same load, which fills its caches.

    `beside` maps columns to lists of other processes, whose CPU time per request is measured too. `load` is for
    `Load`."""
    Load(fleet, gateway.port, path, 1, 64, **load).join()
    processes = {"gateway": family(gateway.pid),
                 **{name: [one.pid for one in some] for name, some in (beside or {}).items()}}
    before = {name: cpu_seconds(pids) for name, pids in processes.items()}
    run = Load(fleet, gateway.port, path, seconds, 64, **load)
    run.join()
    spent = {name: cpu_seconds(pids) - before[name] for name, pids in processes.items()}
    found = cost(run.output, spent.pop("gateway"), seconds)
    if found["not 2xx"]:
        sys.exit(f"{found['not 2xx']} responses to {path} were not 2xx")
    return found | {name: time / found["rate"] / seconds * 1e6 for name, time in spent.items()}


def measure_new(fleet, path, seconds, beside=None, **sections):
    """Returns one measurement of a new gateway, whose configuration has these sections."""
    gateway = fleet.gateway(**sections)
    found = measure(fleet, gateway, path, seconds, beside)
    stop(gateway)
    return found


def compare(options, rows, note="", further=()):
    """Measures all rows in each round, and prints the table of their medians. `rows` maps their names to functions that
    return one measurement. `note` continues the line before the table, and `further` is for `show`."""
    results = {name: [] for name in rows}
    for _ in range(options.rounds):
        for name, measurement in rows.items():
            results[name].append(measurement())
    print(f"medians of {options.rounds} rounds of {options.seconds} s, 64 connections, one worker{note}")
    show(results, further)


def compare_stores(options, rows):
    """Compares new gateways, and starts a Redis and a Redis Cluster for them. `rows` maps names to the store, the path
    of the requests, and further sections of the configuration. The column of Redis has the master of the store."""
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        nodes, servers = Nodes(fleet, range(9581, 9587)), {REDIS: [fleet.redis(9599)]}
        servers[CLUSTER] = [nodes.processes[nodes.owner()]]
        compare(options, {
            name: functools.partial(measure_new, fleet, path, options.seconds, {"redis": servers.get(store, [])},
                                    store=nodes.store if store == CLUSTER else store, **sections)
            for name, (store, path, sections) in rows.items()}, further=[("redis", "Redis us", 10, 1)])
