"""Draws panels of the dashboard after a load on the demo; see script/dashboard-picture.

    dashboard_picture.py GATEHOUSE PICTURE
"""

import http.client
import io
import json
import math
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import dates, pyplot, ticker  # noqa: E402
from PIL import Image  # noqa: E402

REPOSITORY = Path(__file__).resolve().parent.parent
DASHBOARD = REPOSITORY / "deploy/grafana/dashboards/gatehouse.json"
RULES = REPOSITORY / "deploy/prometheus/alerts.yaml"
SECONDS = 120
THREADS = 6
STATS = [
    "Requests", "Errors of the gateway", "99 of 100 requests within", "Error budget used in three days",
    "Gateways ready", "Configuration",
]
PANELS = [
    "Requests by route", "Denials and errors by code", "Request duration by route, 99 of 100",
    "Decision duration, quantiles", "Denials by phase", "Tokens found verified",
    "Introspection of opaque tokens", "Responses by class", "Time to the first byte by route, 99 of 100",
    "Connections", "Processors", "Memory",
]
VARIABLES = {"job": ".*", "instance": ".*", "route": ".*", "__rate_interval": "20s", "__interval": "10s"}


def say(text):
    print(f"dashboard-picture: {text}", file=sys.stderr, flush=True)


def fail(text):
    say(text)
    sys.exit(1)


def eventually(what, attempt):
    """Repeats an attempt for at most 20 s until its result is true."""
    for _ in range(100):
        try:
            if result := attempt():
                return result
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(0.2)
    fail(f"{what} did not start within 20 s")


def stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# The load


def requests(demo):
    """Returns requests with their weights: most succeed, and some are denied for different reasons."""
    tokens = demo["tokens"]

    def bearer(name):
        return {"Authorization": f"Bearer {tokens[name]}"}

    return [
        (20, "GET", "/public/hello", {}),
        (40, "GET", "/v1/hello/world", bearer("ADA")),
        (10, "GET", "/v1/hello/world", {"Cookie": f"__session={tokens['ADA_COOKIE']}"}),
        (8, "GET", "/v1/hello/world", bearer("ALAN_APPLE")),
        (12, "GET", "/v1/feed", {}),
        (6, "GET", "/v1/repositories", bearer("LINUS_GITHUB")),
        (2, "GET", "/v1/repositories", bearer("LINUS_READER")),
        (8, "GET", "/v1/account", bearer("ADA")),
        (2, "DELETE", "/v1/account", bearer("GRACE")),
        (2, "GET", "/v1/hello/world", bearer("ADA_EXPIRED")),
        (2, "GET", "/v1/hello/world", bearer("ADA_MODIFIED")),
        (3, "GET", "/v1/hello/world", {}),
        (1, "GET", "/no/such/path", {}),
    ]


def load(demo, start, seed):
    """Sends requests for SECONDS, on one connection, with a rate that rises and falls."""
    choices = requests(demo)
    weights = [choice[0] for choice in choices]
    dice = random.Random(seed)
    address = urllib.parse.urlsplit(demo["gateway"]).netloc
    connection = http.client.HTTPConnection(address, timeout=10)
    while (elapsed := time.monotonic() - start) < SECONDS:
        _, method, path, fields = dice.choices(choices, weights)[0]
        try:
            connection.request(method, path, headers=fields)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            connection.close()
        rate = 20 + 12 * math.sin(elapsed / SECONDS * 3 * math.pi)
        time.sleep(dice.expovariate(rate))
    connection.close()


# Prometheus


class Prometheus:
    def __init__(self, folder, target):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        configuration = {
            "global": {"scrape_interval": "2s", "evaluation_interval": "10s"},
            "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "gatehouse", "static_configs": [{"targets": [target]}]}],
        }
        # YAML contains JSON.
        (folder / "prometheus.yml").write_text(json.dumps(configuration))
        self.process = subprocess.Popen(
            [
                "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address={self.address}",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(folder / "prometheus.log").open("w"))
        eventually("Prometheus", lambda: urllib.request.urlopen(f"http://{self.address}/-/ready").status == 200)

    def call(self, path, **arguments):
        query = urllib.parse.urlencode(arguments)
        with urllib.request.urlopen(f"http://{self.address}/api/v1/{path}?{query}") as response:
            return json.load(response)["data"]

    def series(self, expression, start, end):
        """Returns each series as its labels, times and values."""
        result = self.call("query_range", query=expression, start=start, end=end, step=2)["result"]
        return [
            (line["metric"], [time for time, _ in line["values"]], [float(value) for _, value in line["values"]])
            for line in result
        ]

    def firing(self):
        return [alert["labels"]["alertname"] for alert in self.call("alerts")["alerts"]]


# The picture


def expression(target):
    return re.sub(r"\$(\w+)", lambda match: VARIABLES[match[1]], target["expr"])


def legend(target, labels):
    return re.sub(r"\{\{(\w+)\}\}", lambda match: labels.get(match[1], ""), target["legendFormat"])


def short(number, units=("", "k", "M", "G")):
    """Returns a number with three digits and a prefix."""
    for unit in units[:-1]:
        if abs(number) < 1000:
            return f"{number:.3g}{unit}"
        number /= 1000
    return f"{number:.3g}{units[-1]}"


def text(number, unit):
    """Returns a value as Grafana shows it in this unit."""
    if math.isnan(number):
        return "no data"
    if unit == "percentunit":
        return f"{number * 100:.3g} %"
    if unit == "s":
        for limit, factor, name in ((1e-3, 1e6, "µs"), (1, 1e3, "ms"), (60, 1, "s"), (math.inf, 1 / 60, "min")):
            if number < limit:
                return f"{number * factor:.3g} {name}"
    if unit == "bytes":
        return f"{number / 1048576:.3g} MiB"
    return short(number) + {"reqps": " req/s", "cps": "/s", "Bps": "B/s"}.get(unit, "")


def draw_stat(axes, panel, lines):
    defaults = panel["fieldConfig"]["defaults"]
    value = lines[0][2][-1] if lines else math.nan
    color = "#24292f"
    for step in defaults["thresholds"]["steps"]:
        if step["value"] is None or value >= step["value"]:
            color = {"text": "#24292f"}.get(step["color"], step["color"])
    names = {
        key: choice["text"] for mapping in defaults.get("mappings", []) for key, choice in mapping["options"].items()
    }
    shown = names.get(f"{value:g}", text(value, defaults["unit"]))
    axes.axis("off")
    axes.text(0, 1, panel["title"], fontsize=7.5, color="#57606a", va="top")
    axes.text(0, 0.25, shown, fontsize=15, color=color, va="center")


def draw_lines(axes, panel, lines):
    defaults = panel["fieldConfig"]["defaults"]
    unit, custom = defaults["unit"], defaults["custom"]
    lines.sort(key=lambda line: line[0])
    colors = pyplot.get_cmap("tab20").colors
    colors = colors[::2] + colors[1::2]
    # Days since 1970, the unit of Matplotlib.
    moments = [[moment / 86400 for moment in line[1]] for line in lines]
    highest = max(value for line in lines for value in line[2])
    if custom["stacking"]["mode"] == "normal":
        grid = sorted({moment for line in moments for moment in line})
        rows = [[dict(zip(times, line[2])).get(moment, 0) for moment in grid] for times, line in zip(moments, lines)]
        highest = max(map(sum, zip(*rows)))
        axes.stackplot(grid, rows, labels=[line[0] for line in lines], colors=colors, alpha=0.75, linewidth=0)
    else:
        for index, (times, line) in enumerate(zip(moments, lines)):
            axes.plot(times, line[2], label=line[0], color=colors[index % 20], linewidth=1)
    if custom["scaleDistribution"]["type"] == "log":
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(ticker.LogLocator(10, subs=(1, 3)))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        axes.set_ylim(0, defaults.get("max", highest * 1.15 or 1))
        if unit == "bytes":
            axes.yaxis.set_major_locator(ticker.MultipleLocator(16 * 1048576))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: text(value, unit)))
    axes.xaxis.set_major_locator(dates.SecondLocator(bysecond=(0, 30)))
    axes.xaxis.set_major_formatter(dates.DateFormatter("%M:%S"))
    axes.tick_params(labelsize=6, length=2, colors="#57606a")
    axes.grid(True, color="#d8dee4", linewidth=0.4)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title(panel["title"], fontsize=7.5, loc="left", color="#24292f")
    columns = 1 if max(len(line[0]) for line in lines) > 28 else 2
    axes.legend(
        fontsize=5.5, ncols=columns, frameon=False, loc="upper left", bbox_to_anchor=(-0.02, -0.1), handlelength=1,
        labelcolor="#57606a", columnspacing=1, labelspacing=0.3)


def draw(prometheus, start, end, file):
    panels = {panel["title"]: panel for panel in json.loads(DASHBOARD.read_text())["panels"]}

    def lines(panel):
        found = [
            (legend(target, labels), times, values)
            for target in panel["targets"]
            for labels, times, values in prometheus.series(expression(target), start, end)
        ]
        if not found:
            fail(f"no data for the panel '{panel['title']}'")
        return found

    pyplot.rcParams["font.family"] = "DejaVu Sans"
    figure = pyplot.figure(figsize=(12, 11.2), dpi=110)
    outer = figure.add_gridspec(
        2, 1, height_ratios=(0.5, 10), hspace=0.1, left=0.045, right=0.985, top=0.985, bottom=0.075)
    top = outer[0].subgridspec(1, len(STATS))
    for index, title in enumerate(STATS):
        draw_stat(figure.add_subplot(top[index]), panels[title], lines(panels[title]))
    rest = outer[1].subgridspec(len(PANELS) // 3, 3, hspace=0.58, wspace=0.2)
    for index, title in enumerate(PANELS):
        draw_lines(figure.add_subplot(rest[index]), panels[title], lines(panels[title]))
    data = io.BytesIO()
    figure.savefig(data, format="png")
    # A third of the size, without a visible difference.
    Image.open(data).convert("RGB").quantize(128).save(file, optimize=True)


def main():
    binary, picture = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory(prefix="gatehouse-picture-") as name:
        folder = Path(name)
        gateway = subprocess.Popen(
            [binary, "demo", "--any-ports", "--json"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=(folder / "demo.log").open("w"), env={**os.environ, "XDG_STATE_HOME": str(folder / "state")})
        prometheus = None
        try:
            line = gateway.stdout.readline()
            if not line:
                fail("the demo did not start: " + (folder / "demo.log").read_text())
            demo = json.loads(line)
            prometheus = Prometheus(folder, urllib.parse.urlsplit(demo["admin"]).netloc)
            say(f"load for {SECONDS} s")
            began, clock = time.time(), time.monotonic()
            threads = [threading.Thread(target=load, args=(demo, clock, seed)) for seed in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            say(f"alerts: {prometheus.firing() or 'none'}")
            # Rates need a few scrapes.
            draw(prometheus, began + 12, time.time(), picture)
        finally:
            if prometheus:
                stop(prometheus.process)
            stop(gateway)
    say(f"{picture}: {picture.stat().st_size} bytes")


main()
