#!/usr/bin/env python3
"""Measures ordinary requests over HTTP/2 while other connections attack the gateway with frames.

    .build-bench/bin/python Benchmarks/http2/attacks.py [--gateway .build/release/gatehouse]
        [--seconds 10] [--rate 500] [--attackers 8] [--pause 0.05] [--only M-28,M-39] [--p99 25] [--list]

For each attack, the script sends --rate requests a second with tokens at fixed times, first without and then with the
attack, for --seconds each. The requests have ten connections and an upstream of their own. The attackers run in their
own process: each opens a connection, sends frames until the gateway closes it, and after --pause seconds opens the
next. Attacks that hold their connections have 20, each with 100 streams. The table has the latency of the ordinary
requests, the CPU time and the memory of the gateway, and how the attacking connections and streams ended. The ids are
those of docs/internals/security-cases.md. The script fails if an ordinary request fails, if p99 grows by more than
--p99 milliseconds, or if memory grows by more than 256 MiB. All traffic is on 127.0.0.1."""

import argparse
import asyncio
import collections
import itertools
import multiprocessing
import pathlib
import re
import select
import socket
import struct
import sys
import threading
import time

import frames
from frames import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PREFACE, PRIORITY,
                    RESET, SETTINGS, WINDOW_UPDATE, begin, frame, head, request, reset, settings, window)
from load import Load, in_process

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "edge"))
from testbed import ROOT, Claims, Testbed, cpu_seconds, free_port, metrics, quantile, stop  # noqa: E402

LARGE = 1 << 20
GROWTH = 256  # MiB
HELD = 20  # Connections of an attack that holds them.
BATCH = 16_384  # Bytes that an attacker prepares at a time.
SLOW, BIG = "/public/slow", "/public/large"
# The beginning without a larger window of the connection, so that it can still grow.
SMALL = PREFACE + settings() + frame(SETTINGS, flags=ACK)


def streams():
    """The numbers of a client's streams."""
    return range(1, 1 << 31, 2)


class Attack:
    """An attack. `chunks` is a function of an attacker that yields bytes to send, or seconds to wait."""

    def __init__(self, name, chunks, first=None, reads=True, holds=False):
        self.name, self.chunks, self.first, self.reads, self.holds = name, chunks, first or begin(), reads, holds


def per_stream(*parts):
    """Returns the chunks of an attack that sends the same frames on every stream."""
    return lambda attacker: (b"".join(part(stream) for part in parts) for stream in streams())


def endlessly(first, again, count=50):
    return lambda attacker: itertools.chain([first], itertools.repeat(again * count))


def many(path, count=100, more=()):
    """Returns the chunks of an attack that requests a path on `count` streams, and then waits."""
    block = head(path, more=more)
    return lambda attacker: itertools.chain(
        (request(stream, block) for stream in range(1, 2 * count, 2)), itertools.repeat(1.0))


def padded(attacker):
    """A body of one byte per DATA frame, with padding, within the windows."""
    piece = frame(DATA, bytes((254,)) + b"x" + bytes(254), 1, PADDED)
    yield request(1, head(SLOW, "POST"), ends=False)
    while True:
        if min(attacker.windows[0], attacker.windows[1]) < 256:
            yield 0.002
            continue
        attacker.windows[0] -= 256
        attacker.windows[1] -= 256
        yield piece


def drip(attacker):
    """Bodies of one byte per second on 100 streams, and PING frames."""
    block = head(SLOW, "POST")
    yield b"".join(request(stream, block, ends=False) for stream in range(1, 200, 2))
    while True:
        yield b"".join(frame(DATA, b"x", stream) for stream in range(1, 200, 2)) + frame(PING, bytes(8))
        yield 1.0


def bomb(attacker):
    """Heads with one large entry of the compression table, and many references to it."""
    entry = b"\x40\x01x" + frames.integer(4000, 7) + b"a" * 4000
    for stream in streams():
        yield frame(HEADERS, entry, stream, END_STREAM) + frame(CONTINUATION, b"\xbe" * 16000, stream, END_HEADERS)


QUICK, OPEN = head(SLOW), head(SLOW, "POST")
ATTACKS = [
    Attack("M-28 rapid reset", per_stream(lambda s: request(s, QUICK), reset)),
    Attack("M-29 resets by window updates of 0", per_stream(lambda s: request(s, OPEN, False), lambda s: window(0, s))),
    Attack("M-29 resets by DATA after the end", per_stream(
        lambda s: request(s, QUICK), lambda s: frame(DATA, b"x", s))),
    Attack("M-30 PRIORITY flood", per_stream(lambda s: frame(PRIORITY, b"\0\0\0\0\x01", s))),
    Attack("M-31 CONTINUATION flood", endlessly(frame(HEADERS, b"", 1, END_STREAM), frame(CONTINUATION, b"\0", 1))),
    Attack("M-33 compression bomb", bomb),
    Attack("M-34 field references, window 0", many(BIG, more=[("cookie", "a=1")] * 100), begin((4, 0)), holds=True),
    Attack("M-36 fields without a name", per_stream(lambda s: request(s, b"\0\0\0"))),
    Attack("M-36 empty HEADERS flood", per_stream(lambda s: request(s, b""))),
    Attack("M-37 empty DATA flood", endlessly(request(1, OPEN, False), frame(DATA, b"", 1))),
    Attack("M-38 padded DATA of one byte", padded),
    Attack("M-39 PING flood", endlessly(b"", frame(PING, bytes(8)))),
    Attack("M-39 SETTINGS flood", endlessly(b"", frame(SETTINGS))),
    Attack("M-39 PING flood, nothing read", endlessly(b"", frame(PING, bytes(8))), reads=False),
    Attack("M-40 stream errors, nothing read",
           per_stream(lambda s: request(s, OPEN, False), lambda s: window(0, s)), reads=False),
    Attack("M-41 window 0, large responses", many(BIG), begin((4, 0)), holds=True),
    Attack("M-41 large responses, nothing read", many(BIG), begin((4, frames.LARGEST_WINDOW)), False, True),
    Attack("M-42 WINDOW_UPDATE flood", endlessly(b"", window(1)), SMALL),
    Attack("M-42 WINDOW_UPDATE of 0", endlessly(b"", window(0)), SMALL),
    Attack("M-42 unknown frames", endlessly(b"", frame(0xAB, b"abc"))),
    Attack("M-48 slow bodies with PING", drip, holds=True),
    Attack("M-49 streams above the limit", per_stream(lambda s: request(s, QUICK))),
    Attack("M-61 heads of reset streams", per_stream(
        lambda s: request(s, OPEN, False), lambda s: window(0, s), lambda s: request(s, frames.literal("x", "y")))),
]


class Attacker(threading.Thread):
    """Repeats one attack, on one connection at a time."""

    def __init__(self, attack, port, pause, ended, counts):
        super().__init__(daemon=True)
        self.attack, self.port, self.pause, self.ended, self.counts = attack, port, pause, ended, counts

    def run(self):
        while not self.ended.is_set():
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), 5)
            except OSError as error:
                self.counts[f"not connected ({type(error).__name__})"] += 1
            else:
                self.counts["connections"] += 1
                self.goaway, self.rest = None, b""
                self.windows = collections.Counter({0: 65535, 1: 65535})
                how = self.episode()
                self.counts[f"{how}, GOAWAY {self.goaway or 'not received'}"] += 1
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.socket.close()
            self.ended.wait(self.pause)

    def episode(self):
        """Attacks until the end of the connection. Returns the kind of its end."""
        self.socket.setblocking(False)
        chunks, out, wait = self.attack.chunks(self), self.attack.first, 0
        blocked = time.monotonic()
        while not self.ended.is_set():
            now = time.monotonic()
            while len(out) < BATCH and now >= wait:
                chunk = next(chunks)
                if isinstance(chunk, float):
                    wait = now + chunk
                else:
                    out += chunk
            # After two seconds in which the gateway reads nothing, a client that reads nothing looks for its end.
            reads = self.attack.reads or (not self.attack.holds and now > blocked + 2)
            readable, writable, _ = select.select(
                [self.socket] if reads else [], [self.socket] if out else [], [],
                min(0.1, max(0, wait - now)) if not out else 0.1)
            try:
                if writable:
                    out, blocked = out[self.socket.send(out):], now
                    self.counts["writes"] += 1
                if readable:
                    data = self.socket.recv(65536)
                    if not data:
                        return "closed"
                    self.feed(data)
            except OSError as error:
                return self.last(error)
        return "open at the end"

    def last(self, error):
        """Reads what has arrived before a reset or a failed write."""
        try:
            while data := self.socket.recv(65536):
                self.feed(data)
            return "closed"
        except OSError:
            return "reset" if isinstance(error, ConnectionError) else type(error).__name__

    def feed(self, data):
        data, at = self.rest + data, 0
        while len(data) - at >= 9:
            length = int.from_bytes(data[at:at + 3], "big")
            if len(data) - at < 9 + length:
                break
            kind, stream = data[at + 3], int.from_bytes(data[at + 5:at + 9], "big")
            payload = data[at + 9:at + 9 + length]
            if kind == GOAWAY:
                self.goaway = frames.code_of(payload, 4)
            elif kind == RESET:
                self.counts[f"RST_STREAM {frames.code_of(payload)}"] += 1
            elif kind == HEADERS:
                self.counts["responses"] += 1
            elif kind == WINDOW_UPDATE:
                self.windows[stream] += int.from_bytes(payload, "big")
            at += 9 + length
        self.rest = data[at:]


def attack_until(pipe, attack, port, attackers, pause):
    """Attacks until the pipe has a message, then sends the counts."""
    sys.setswitchinterval(0.0005)
    ended, counts = threading.Event(), collections.Counter()
    threads = [Attacker(attack, port, pause, ended, counts) for _ in range(HELD if attack.holds else attackers)]
    for thread in threads:
        thread.start()
    pipe.recv()
    ended.set()
    for thread in threads:
        thread.join(5)
    pipe.send(dict(counts))


class SlowServer(asyncio.Protocol):
    """The side of an upstream with HTTP/1.1 that reads requests, and never responds."""

    def connection_made(self, transport):
        self.transport = transport


def serve_slowly(port):
    async def serve():
        listening = await asyncio.get_running_loop().create_server(SlowServer, "127.0.0.1", port, backlog=4096)
        await listening.serve_forever()

    asyncio.run(serve())


class Gateway:
    """The gateway's process, and its figures."""

    def __init__(self, testbed, upstream, slow):
        self.port = free_port()
        self.process = testbed.gateway({
            "listen": [{"address": f"127.0.0.1:{self.port}", "protocols": ["http/1.1", "h2c"]}],
            "upstreams": {name: {"servers": [f"http://127.0.0.1:{port}"]} for name, port in (
                ("api", upstream), ("public", upstream), ("slow", slow))},
            "routes": [{"path": "/work", "upstream": "api"},
                       {"path": "/public/slow", "auth": "none", "upstream": "slow"},
                       {"path": "/public/**", "auth": "none", "upstream": "public"}]})

    def status(self, name):
        """Returns a figure of /proc in MiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1024

    def cpu(self):
        return cpu_seconds([self.process.pid])

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def errors(self):
        """Returns the connections that the gateway closed with an error, by reason."""
        found = {name: value for name, value in metrics(self.process).items()
                 if name.startswith(("gatehouse_http2_connection_errors_total", "gatehouse_http2_streams_refused"))}
        return collections.Counter({(re.search(r'reason="(\w+)"', name) or [0, "streams refused"])[1]: int(value)
                                    for name, value in found.items()})


class Phase:
    """The ordinary requests of some seconds, with the figures of the gateway."""

    def __init__(self, gateway, tokens, options):
        gateway.forget_peak()
        began, cpu = time.monotonic(), gateway.cpu()
        load = Load(gateway.port, "/work", tokens, options.rate, options.seconds)
        self.times, self.counts = in_process(load.run).recv()
        self.cpu = (gateway.cpu() - cpu) / (time.monotonic() - began) * 100
        self.peak = gateway.status("VmHWM")
        self.p50, self.p99 = quantile(self.times, 0.5), quantile(self.times, 0.99)

    @property
    def failed(self):
        return sum(self.counts.values()) - self.counts.get("correct", 0)


class Result:
    """An attack, and the phases without it and with it."""

    def __init__(self, attack, gateway, tokens, options):
        self.attack = attack
        self.without = Phase(gateway, tokens, options)
        self.before, errors = gateway.status("VmRSS"), gateway.errors()
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(
            target=attack_until, args=(theirs, attack, gateway.port, options.attackers, options.pause), daemon=True)
        process.start()
        time.sleep(min(2, options.seconds / 4))
        self.under = Phase(gateway, tokens, options)
        ours.send("stop")
        self.counts = collections.Counter(ours.recv())
        process.join(10)
        time.sleep(min(2, options.seconds / 4))
        self.after = gateway.status("VmRSS")
        self.reasons = gateway.errors() - errors

    def row(self):
        one, two = self.without, self.under
        return (f"{self.attack.name:36}{one.p50:9.2f}{one.p99:9.2f}{two.p50:9.2f}{two.p99:9.2f}{two.failed:8}"
                f"{one.cpu:8.0f}{two.cpu:6.0f}{self.before:9.0f}{two.peak:7.0f}{self.after:7.0f}"
                f"{self.counts['connections']:13}")

    def ends(self):
        hidden = ("connections", "writes")
        found = [f"{name}: {count}" for name, count in sorted(self.counts.items()) if name not in hidden]
        reasons = ", ".join(f"{name} {count}" for name, count in sorted(self.reasons.items()))
        return f"{self.attack.name}\n    {'; '.join(found)}\n    metrics: {reasons or 'none'}"


TITLE = (f"{'':36}{'without':>18}{'with the attack':>18}{'not':>8}{'CPU, % of a core':>16}{'memory, MiB':>22}\n"
         f"{'':36}{'p50 ms':>9}{'p99 ms':>9}{'p50 ms':>9}{'p99 ms':>9}{'200':>8}{'without':>8}{'with':>6}"
         f"{'before':>9}{'peak':>7}{'after':>7}{'connections':>13}")


def measure(testbed, chosen, options):
    upstream, slow = free_port(), free_port()
    (testbed.folder / "large").write_bytes(bytes(LARGE))
    testbed.nginx("upstream", f"""server {{
        listen 127.0.0.1:{upstream} backlog=4096;
        location / {{ return 200 'ok'; }}
        location = /public/large {{ alias {testbed.folder}/large; }} }}""")
    testbed.await_port(upstream)
    server = multiprocessing.Process(target=serve_slowly, args=(slow,), daemon=True)
    server.start()
    testbed.await_port(slow)
    gateway, results, tokens = Gateway(testbed, upstream, slow), [], testbed.mint.write(200)
    print(TITLE)
    for attack in chosen:
        results.append(Result(attack, gateway, tokens, options))
        print(results[-1].row(), flush=True)
        if gateway.process.poll() is not None:
            sys.exit(f"the gateway ended: {(testbed.folder / 'gateway.log').read_text()[-2000:]}")
    server.terminate()
    stop(gateway.process)
    return results


def claim(results, options, claims):
    failed = collections.Counter()
    for result in results:
        failed.update(result.without.counts)
        failed.update(result.under.counts)
    total = failed.pop("correct", 0)
    claims.hold(not failed, f"{total} ordinary requests had the response 200; others: {dict(failed) or 0}")
    slowest = max(results, key=lambda result: result.under.p99 - result.without.p99)
    grown = slowest.under.p99 - slowest.without.p99
    claims.hold(grown <= options.p99, f"p99 of ordinary requests grew by at most {grown:.1f} ms, under "
                                      f"{slowest.attack.name} (bound: {options.p99} ms)")
    largest = max(results, key=lambda result: result.under.peak - result.before)
    more = largest.under.peak - largest.before
    claims.hold(more <= GROWTH, f"memory grew by at most {more:.0f} MiB, under {largest.attack.name} "
                                f"(bound: {GROWTH} MiB)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    parser.add_argument("--seconds", type=float, default=10, help="duration of each phase in seconds")
    parser.add_argument("--rate", type=int, default=500, help="ordinary requests a second")
    parser.add_argument("--attackers", type=int, default=8, help="concurrent connections of an attack")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two connections of an attacker")
    parser.add_argument("--only", default="", help="prefixes of the attacks to run, separated by commas")
    parser.add_argument("--p99", type=float, default=25, help="bound of the growth of p99 in milliseconds")
    parser.add_argument("--list", action="store_true", help="only list the attacks")
    options = parser.parse_args()
    chosen = [attack for attack in ATTACKS if any(attack.name.startswith(part) for part in options.only.split(","))]
    if options.list or not chosen:
        print("\n".join(attack.name for attack in ATTACKS))
        return
    frames.raise_descriptors()
    claims = Claims()
    with Testbed(options.gateway) as testbed:
        results = measure(testbed, chosen, options)
    print("\nends of the attacking connections, and frames that their streams received:")
    for result in results:
        print(result.ends())
    print()
    claim(results, options, claims)
    claims.end()


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
