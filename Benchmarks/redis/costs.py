"""The frame of the programs that compare the CPU time per request of one gateway: options, measurement and table."""

import argparse

from fleet import ROOT, Load, cpu_seconds, family
from table import cost, show


def arguments(description, rows):
    """Parses the options. `rows` names what each round measures."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help=f"rounds, each with {rows}")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    return parser.parse_args()


def measure(fleet, gateway, path, seconds, beside=None, **load):
    """Returns one measurement of a gateway, after a second of the same load, which fills its caches.

    `beside` maps columns to other processes, whose CPU time per request is measured too. `load` is for `Load`."""
    Load(fleet, gateway.port, path, 1, 64, **load).join()
    processes = {"gateway": family(gateway.pid), **{name: [one.pid] for name, one in (beside or {}).items()}}
    before = {name: cpu_seconds(pids) for name, pids in processes.items()}
    run = Load(fleet, gateway.port, path, seconds, 64, **load)
    run.join()
    spent = {name: cpu_seconds(pids) - before[name] for name, pids in processes.items()}
    found = cost(run.output, spent.pop("gateway"), seconds)
    return found | {name: time / found["rate"] / seconds * 1e6 for name, time in spent.items()}


def compare(options, rows, note="", further=()):
    """Measures all rows in each round, and prints the table of their medians. `rows` maps their names to functions that
    return one measurement. `note` continues the line before the table, and `further` is for `show`."""
    results = {name: [] for name in rows}
    for _ in range(options.rounds):
        for name, measurement in rows.items():
            results[name].append(measurement())
    print(f"medians of {options.rounds} rounds of {options.seconds} s, 64 connections, one worker{note}")
    show(results, further)
