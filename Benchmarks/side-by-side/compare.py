#!/usr/bin/env python3
"""Measures Gatehouse beside nginx and HAProxy, in one run on one machine: the CPU time that each spends on a request.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/side-by-side/compare.py [--rounds 3] [--seconds 5] [--only NAME,...]

Every gateway runs with one worker and sends to the same nginx on loopback. wrk holds 64 connections open. On the rows with tokens each
request carries the next of 2,000 different RS256 tokens of about 1 KiB. CPU time is read from /proc: it counts what the gateway used,
whatever else the machine did; rounds go through all gateways in turn, so that a slow minute hits each of them.
Nothing leaves 127.0.0.1, and everything that is started is ended."""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from table import cost, middle, show
from tokens import TokenMint

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
UPSTREAM, KEYS = 9460, 9461
PORTS = {"gatehouse": 9470, "nginx": 9471, "haproxy-jwt": 9472, "haproxy": 9473}


class Peer:
    """One gateway, how to start it, and what wrk asks of it."""

    def __init__(self, name, command, port, tokens):
        self.name, self.command, self.port, self.tokens = name, command, port, tokens
        self.url = f"http://127.0.0.1:{port}/bench"


def fill(folder, name, **values):
    """Writes a template of `peers/` into the working folder, with its values filled in."""
    text = (HERE / "peers" / name).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    target = folder / name
    target.write_text(text)
    return target


def peers(folder, binary):
    values = dict(DIR=folder, UPSTREAM=UPSTREAM, KEYS=KEYS)
    gatehouse = fill(folder, "gatehouse.yaml", PORT=PORTS["gatehouse"], **values)
    nginx = fill(folder, "nginx.conf", PORT=PORTS["nginx"], **values)
    haproxy = fill(folder, "haproxy.cfg", PORT=PORTS["haproxy"], JWT_PORT=PORTS["haproxy-jwt"], **values)
    ours = [binary, "serve", "--config", gatehouse]
    return [
        Peer("gatehouse, all checks", ours, PORTS["gatehouse"], tokens=True),
        Peer("nginx, plain proxying", ["nginx", "-c", nginx], PORTS["nginx"], tokens=True),
        Peer("haproxy, plain proxying", ["haproxy", "-db", "-f", haproxy], PORTS["haproxy"], tokens=True),
        Peer("haproxy, jwt_verify", ["haproxy", "-db", "-f", haproxy], PORTS["haproxy-jwt"], tokens=True),
    ]


def start(command, log):
    return subprocess.Popen([str(part) for part in command], stdout=log, stderr=log, start_new_session=True)


def end(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def status(url, token):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        return urllib.request.urlopen(request, timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def wait_until_ready(url, token):
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if status(url, token) == 200:
            return True
        time.sleep(0.05)
    return False


def family(pid):
    """A process and those that it started."""
    found = [pid]
    try:
        for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += family(int(child))
    except OSError:
        pass
    return found


def cpu_seconds(pids):
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def peak_mib(pids):
    return sum(int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{p}/status").read_text()).group(1)) for p in pids) / 1024


def wrk(peer, seconds, connections, folder):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    if peer.tokens:
        command += ["-s", HERE / "tokens.lua"]
    environment = {**os.environ, "TOKENS": str(folder / "tokens.txt")}
    run = subprocess.run([str(part) for part in [*command, peer.url]], capture_output=True, text=True, env=environment)
    return run.stdout


def measure(peer, options, folder, token):
    log = open(folder / "peers.log", "ab")
    process = start(peer.command, log)
    try:
        if not wait_until_ready(peer.url, token if peer.tokens else None):
            sys.exit(f"{peer.name} did not become ready; see {folder}/peers.log")
        wrk(peer, 1, options.connections, folder)  # warm: every token was seen
        pids = family(process.pid)
        before = cpu_seconds(pids)
        output = wrk(peer, options.seconds, options.connections, folder)
        spent = cpu_seconds(pids) - before
        return cost(output, spent, options.seconds, mib=peak_mib(pids))
    finally:
        end(process)
        log.close()


def check_refuses_forgery(peer, folder, forged, token):
    log = open(folder / "peers.log", "ab")
    process = start(peer.command, log)
    try:
        wait_until_ready(peer.url, token)
        if status(peer.url, forged) != 401:
            sys.exit(f"{peer.name} let a forged token pass")
    finally:
        end(process)
        log.close()


def report(rows, options):
    print(f"medians of {options.rounds} rounds of {options.seconds} s, {options.connections} connections, one worker each\n")
    show(rows, [("mib", "MiB", 8, 1)])
    medians = {name: middle(results)["us"] for name, results in rows.items()}
    ours = medians.get("gatehouse, all checks")
    if ours:
        print()
        for name, value in medians.items():
            if not name.startswith("gatehouse"):
                print(f"Gatehouse with all checks / {name}: {ours / value:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--only", default="", help="names that begin so, separated by commas")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"))
    parser.add_argument("--json", help="write the rows there too")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-bench-"))
    folder.chmod(0o755)  # nginx's worker reads the key set as another user
    mint = TokenMint(folder)
    tokens = mint.write(options.tokens)
    with open(folder / "peers.log", "ab") as log:
        helpers = [start(["nginx", "-c", fill(folder, "services.conf", DIR=folder, UPSTREAM=UPSTREAM, KEYS=KEYS)], log)]
        try:
            chosen = [p for p in peers(folder, options.binary) if any(p.name.startswith(o) for o in options.only.split(","))]
            for peer in chosen:
                if "plain" not in peer.name:
                    check_refuses_forgery(peer, folder, mint.forged(tokens[0]), tokens[0])
            rows = {}
            for _ in range(options.rounds):
                for peer in chosen:
                    rows.setdefault(peer.name, []).append(measure(peer, options, folder, tokens[0]))
            report(rows, options)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
        finally:
            for helper in helpers:
                end(helper)


if __name__ == "__main__":
    main()
