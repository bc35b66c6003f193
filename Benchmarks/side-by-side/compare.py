#!/usr/bin/env python3
"""Measures the CPU time per request of Gatehouse, nginx and HAProxy in one run on one machine.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/side-by-side/compare.py [--rounds 3] [--seconds 5] [--only NAME,...]
    ... compare.py --binary before=PATH --binary after=PATH    # two builds of Gatehouse in alternating runs

Each gateway has one worker and uses the same nginx on loopback. wrk keeps 64 connections open. On the rows with tokens,
each request has the next of 2,000 different RS256 tokens of about 1 KiB. On the rows with session cookies, it has the
next of as many cookies, which the gateway issued for such tokens. CPU time is from /proc and includes only the work of
the gateway, independent of other load. Each round measures every gateway once, so that a slow minute affects all of
them. All traffic is on 127.0.0.1, and all started processes are ended."""

import argparse
import http.client
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

from table import cost, median, show
from tokens import TokenMint

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
UPSTREAM, KEYS = 9460, 9461
PORTS = {"gatehouse": 9470, "nginx": 9471, "haproxy-jwt": 9472, "haproxy": 9473}
BEARER, COOKIE = "Authorization: Bearer ", "Cookie: __session="
RATIOS = [("gatehouse, all checks", "nginx, plain proxying"), ("gatehouse, all checks", "haproxy, plain proxying"),
          ("gatehouse, all checks", "haproxy, jwt_verify")]


class Peer:
    """A gateway, its command line, and the start of the header line with the credential. `checks` is false if the
    gateway does not check credentials."""

    def __init__(self, name, command, port, header=BEARER, checks=True):
        self.name, self.command, self.port, self.header, self.checks = name, command, port, header, checks
        self.url = f"http://127.0.0.1:{port}/bench"
        self.credentials = None  # The file with one credential per line.


def fill(folder, name, **values):
    """Writes a template of `peers/` with its values into the working folder. Returns the path."""
    text = (HERE / "peers" / name).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    target = folder / name
    target.write_text(text)
    return target


def peers(folder, binaries):
    values = dict(DIR=folder, UPSTREAM=UPSTREAM, KEYS=KEYS)
    gatehouse = fill(folder, "gatehouse.yaml", PORT=PORTS["gatehouse"], **values)
    nginx = fill(folder, "nginx.conf", PORT=PORTS["nginx"], **values)
    haproxy = fill(folder, "haproxy.cfg", PORT=PORTS["haproxy"], JWT_PORT=PORTS["haproxy-jwt"], **values)
    ours = []
    for row, header in (("all checks", BEARER), ("session cookies", COOKIE)):
        for name, binary in binaries:
            command = [binary, "serve", "--config", gatehouse]
            ours.append(Peer(f"gatehouse{name and f' {name}'}, {row}", command, PORTS["gatehouse"], header))
    return ours + [
        Peer("nginx, plain proxying", ["nginx", "-c", nginx], PORTS["nginx"], checks=False),
        Peer("haproxy, plain proxying", ["haproxy", "-db", "-f", haproxy], PORTS["haproxy"], checks=False),
        Peer("haproxy, jwt_verify", ["haproxy", "-db", "-f", haproxy], PORTS["haproxy-jwt"]),
    ]


def ratios(binaries):
    """Returns the pairs of rows to divide: with several builds, each by the first; with one, Gatehouse by its peers."""
    if len(binaries) == 1:
        return RATIOS
    first = binaries[0][0]
    return [(f"gatehouse {name}, {row}", f"gatehouse {first}, {row}")
            for name, _ in binaries[1:] for row in ("all checks", "session cookies")]


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


def status(url, header, credential):
    name, _, prefix = header.partition(": ")
    request = urllib.request.Request(url, headers={name: prefix + credential})
    try:
        return urllib.request.urlopen(request, timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def wait_until_ready(peer, credential):
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if status(peer.url, peer.header, credential) == 200:
            return True
        time.sleep(0.05)
    return False


def family(pid):
    """Returns the ids of a process and of its descendants."""
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


def resident(pid, field="VmRSS"):
    """Returns the resident memory of a process in MiB; with the field VmHWM, its peak."""
    return int(re.search(rf"{field}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def wrk(peer, seconds, connections):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", HERE / "tokens.lua"]
    environment = {**os.environ, "TOKENS": str(peer.credentials), "HEADER": peer.header}
    run = subprocess.run([str(part) for part in [*command, peer.url]], capture_output=True, text=True, env=environment)
    return run.stdout


def measure(peer, options, folder):
    log = open(folder / "peers.log", "ab")
    process = start(peer.command, log)
    try:
        if not wait_until_ready(peer, peer.credentials.read_text().splitlines()[0]):
            sys.exit(f"{peer.name} did not become ready; see {folder}/peers.log")
        wrk(peer, 1, options.connections)  # Fills the caches with all tokens.
        pids = family(process.pid)
        before = cpu_seconds(pids)
        output = wrk(peer, options.seconds, options.connections)
        spent = cpu_seconds(pids) - before
        return cost(output, spent, options.seconds, mib=sum(resident(pid, "VmHWM") for pid in pids))
    finally:
        end(process)
        log.close()


def prepare(peer, mint, tokens, folder):
    """Sets the peer's credentials, and checks that it denies a forged one."""
    peer.credentials = folder / "tokens.txt"
    log = open(folder / "peers.log", "ab")
    process = start(peer.command, log)
    try:
        if not wait_until_ready(Peer("", [], peer.port), tokens[0]):
            sys.exit(f"{peer.name} did not become ready; see {folder}/peers.log")
        first = tokens[0]
        if peer.header == COOKIE:
            cookies = session_cookies(peer.port, mint, len(tokens))
            first = cookies[0]
            peer.credentials = folder / f"cookies-{re.sub('[^a-z0-9]+', '-', peer.name)}.txt"
            peer.credentials.write_text("\n".join(cookies) + "\n")
        if peer.checks and status(peer.url, peer.header, mint.forged(first)) != 401:
            sys.exit(f"{peer.name} accepted a forged credential")
    finally:
        end(process)
        log.close()


def session_cookies(port, mint, count):
    """Returns `count` session cookies of different users, each for a recent sign-in."""
    connection, cookies = http.client.HTTPConnection("127.0.0.1", port), []
    for index in range(count):
        body = json.dumps({"id_token": mint.token(index, signed_in=30), "expires_in": 86_400})
        connection.request("POST", "/.gatehouse/session", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        text, cookie = response.read(), response.headers.get("Set-Cookie", "")
        if not cookie.startswith("__session="):
            sys.exit(f"no session cookie: {response.status} {text[:300]}")
        cookies.append(cookie.partition(";")[0].removeprefix("__session="))
    connection.close()
    return cookies


def report(rows, options, pairs):
    print(f"medians of {options.rounds} rounds of {options.seconds} s, {options.connections} connections, "
          "one worker each\n")
    show(rows, [("mib", "MiB", 8, 1)])
    medians = {name: median(results)["us"] for name, results in rows.items()}
    print()
    for one, other in pairs:
        if one in medians and other in medians:
            print(f"{one} / {other}: {medians[one] / medians[other]:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each with all gateways")
    parser.add_argument("--seconds", type=int, default=5, help="duration of each measurement in seconds")
    parser.add_argument("--connections", type=int, default=64, help="keep-alive connections")
    parser.add_argument("--tokens", type=int, default=2000, help="different tokens, and session cookies")
    parser.add_argument("--only", default="", help="prefixes of the names of the rows to measure, separated by commas")
    parser.add_argument("--binary", action="append", help="PATH, or NAME=PATH for each of several builds of Gatehouse")
    parser.add_argument("--json", help="also write the rows to this file")
    options = parser.parse_args()
    binaries = [(name, path) for name, _, path in
                (binary.rpartition("=") for binary in options.binary or [str(ROOT / ".build/release/gatehouse")])]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-bench-"))
    folder.chmod(0o755)  # nginx's worker reads the key set as a different user.
    mint = TokenMint(folder)
    tokens = mint.write(options.tokens)
    with open(folder / "peers.log", "ab") as log:
        helpers = [start(["nginx", "-c", fill(folder, "services.conf", DIR=folder, UPSTREAM=UPSTREAM, KEYS=KEYS)], log)]
        try:
            chosen = [p for p in peers(folder, binaries) if any(p.name.startswith(o) for o in options.only.split(","))]
            for peer in chosen:
                prepare(peer, mint, tokens, folder)
            rows = {}
            for _ in range(options.rounds):
                for peer in chosen:
                    rows.setdefault(peer.name, []).append(measure(peer, options, folder))
            report(rows, options, ratios(binaries))
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
        finally:
            for helper in helpers:
                end(helper)


if __name__ == "__main__":
    main()
