#!/usr/bin/env python3
"""Draws the plots of docs/internals/fleet.md from the rows of run.py.

    python3 -m venv .build-fleet && .build-fleet/bin/pip install -r script/dashboard-picture-requirements.txt
    python3 Benchmarks/fleet/run.py --json .build-fleet/fleet.json
    .build-fleet/bin/python Benchmarks/fleet/plots.py .build-fleet/fleet.json docs/images

The background is transparent, and the colors are readable on light and dark pages."""

import json
import math
import pathlib
import re
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

GREY, COLORS = "#7a7a7a", ("#2f7ed8", "#d9792b", "#2e9e5b", "#b0549c")
plt.rcParams.update({
    "svg.hashsalt": "gatehouse", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
    "text.color": GREY, "axes.labelcolor": GREY, "axes.edgecolor": GREY, "xtick.color": GREY, "ytick.color": GREY,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": GREY,
    "grid.alpha": 0.25, "legend.frameon": False, "lines.linewidth": 2, "lines.markersize": 5})
TIMES = ((0.001, "1 ms"), (0.01, "10 ms"), (0.1, "100 ms"), (1, "1 s"), (10, "10 s"), (60, "1 min"), (600, "10 min"),
         (3600, "1 h"), (36000, "10 h"), (360000, "100 h"))


def axes(label_x, label_y, least, greatest):
    figure, area = plt.subplots(figsize=(6.4, 3.6))
    area.set_xscale("log")
    area.set_yscale("log")
    area.set_xlabel(label_x)
    area.set_ylabel(label_y)
    area.set_ylim(least, greatest)
    marks = [(value, text) for value, text in TIMES if least <= value <= greatest]
    area.set_yticks([value for value, _ in marks], [text for _, text in marks])
    area.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    return figure, area


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    # Coordinates need no more than two digits.
    text = re.sub(r"(\d+\.\d\d)\d+", r"\1", path.read_text())
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n")


def propagation(rows, path):
    """The time until a gateway enforces a revocation, by rate."""
    figure, area = axes("revocations per second", "from the call to the gateway, p99", 0.0005, 20)
    for gateways, color in zip((10, 100, 1000), COLORS):
        chosen = [row for row in rows if row["gateways"] == gateways]
        area.plot([r["revocations/s"] for r in chosen], [r["propagation p99"] for r in chosen], "o-", color=color,
                  label=f"{gateways:,} gateways")
        for row in chosen:
            if row["lag grows/s"] > 0.05 * row["revocations/s"]:
                area.annotate("grows without bound", (row["revocations/s"], row["propagation p99"]), color=color,
                              xytext=(-4, 6), textcoords="offset points", ha="right")
    area.legend()
    save(figure, path)


def restart(rows, path):
    """The time until all gateways have read everything."""
    figure, area = axes("records in Redis", "all gateways ready after", 0.1, 10**6)
    for gateways, color in zip((1, 10, 100, 1000), COLORS):
        chosen = [row for row in rows if row["gateways"] == gateways and row["all read after"] < math.inf]
        area.plot([r["records"] for r in chosen], [r["all read after"] for r in chosen], "o-", color=color,
                  label=f"{gateways:,} at once")
    area.axhline(60, color=GREY, linestyle="--", linewidth=1)
    area.text(1.1e5, 66, "max_staleness: 60s", va="bottom")
    area.legend(loc="lower right")
    save(figure, path)


def strict(rows, path):
    """The latency of strict lookups while all gateways read."""
    figure, area = plt.subplots(figsize=(6.4, 3.0))
    chosen = [row for row in rows if row["records"] == 10**7]
    area.set_xscale("log")
    area.set_yscale("log")
    area.set_xlabel("gateways that read everything at once")
    area.set_ylabel("lookup of a strict route")
    marks = TIMES[:5]
    for name, color in (("strict p50", COLORS[0]), ("strict p99", COLORS[1])):
        area.plot([r["gateways"] for r in chosen], [r[name] for r in chosen], "o-", color=color, label=name[7:])
    area.set_ylim(0.0005, 2)
    area.set_yticks([value for value, _ in marks[:4]], [text for _, text in marks[:4]])
    area.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    area.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    area.axhline(0.05, color=GREY, linestyle="--", linewidth=1)
    area.text(1, 0.055, "strict_timeout: 50ms", va="bottom")
    area.legend(loc="lower right")
    save(figure, path)


def main():
    results, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    propagation(results["steady"], folder / "fleet-propagation.svg")
    restart(results["restart"], folder / "fleet-restart.svg")
    strict(results["restart"], folder / "fleet-strict.svg")


if __name__ == "__main__":
    main()
