#!/usr/bin/env python3
"""Loads a gateway with the same ordinary requests without and with 1,000 hostile connections, and tells both side by side.

    .build-bench/bin/python Benchmarks/resilience/hostile.py [--seconds 12] [--rounds 2] [--binary .build/release/gatehouse]

The ordinary load is an open loop: requests with valid tokens begin at fixed times, whatever became of those before, and a request's time
counts from when it should have begun. One in ten comes on a connection of its own. Every answer must be 200 with the right user. The
hostile connections are one process that does little. What the machine itself costs shows beside: the upstream asked without the
gateway, and the gateway's own 401, which needs no upstream. Bounds are the gateway's defaults. Needs what Benchmarks/side-by-side needs. Nothing leaves 127.0.0.1."""

import argparse
import collections
import heapq
import http.client
import multiprocessing
import os
import pathlib
import random
import re
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "side-by-side"))
from tokens import TokenMint  # noqa: E402

GATEWAY, ADMIN, UPSTREAM, KEYS = 9590, 9591, 9592, 9593
LARGE = 8 << 20
# Of Ethernet. The kernel sizes send buffers by it, and with the 64 KiB of loopback it would itself hold megabytes for each.
SEGMENT = 1448
PATIENCE = 10

NGINX = f"""
daemon off; worker_processes 1; pid @DIR@/nginx.pid; error_log @DIR@/nginx.log;
events {{ worker_connections 8192; }}
worker_rlimit_nofile 16384;
http {{
  access_log off; large_client_header_buffers 4 32k; keepalive_requests 1000000000; client_max_body_size 0;
  client_body_temp_path @DIR@/body; proxy_temp_path @DIR@/proxy; default_type text/plain;
  server {{ listen 127.0.0.1:{KEYS}; root @DIR@; }}
  server {{
    listen 127.0.0.1:{UPSTREAM} sndbuf=128k; root @DIR@;
    location /work {{ return 200 $http_x_auth_uid; }}
    location /public/upload {{ proxy_pass http://127.0.0.1:{UPSTREAM}/work; }}
  }}
}}
"""
GATEHOUSE = f"""
listen: [{{ address: "127.0.0.1:{GATEWAY}" }}]
admin: {{ address: 127.0.0.1:{ADMIN} }}
store: "sqlite::memory:"
log: {{ access: "off" }}
identity:
  firebase:
    project: bench-project
    keys_url: http://127.0.0.1:{KEYS}/jwks.json
    session_keys_url: http://127.0.0.1:{KEYS}/jwks.json
upstreams:
  api: {{ servers: ["http://127.0.0.1:{UPSTREAM}"] }}
  public: {{ servers: ["http://127.0.0.1:{UPSTREAM}"] }}
routes: [{{ path: /work, upstream: api }}, {{ path: /public/**, auth: none, upstream: @PUBLIC@ }}]
"""


# The hostile side.

class Hostile:
    """One hostile connection, and those that follow when the gateway ends it. `act` is called about once a second."""

    receive_buffer = None
    reads = True

    def __init__(self, counts):
        self.counts, self.socket, self.steps = counts, None, 0

    def connect(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
        if self.receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", GATEWAY))
        self.steps = 0
        self.counts["connections made"] += 1

    def step(self):
        """Does the next thing, and begins anew where the gateway has ended the connection."""
        try:
            if self.socket is None:
                self.connect()
            else:
                self.act()
                self.steps += 1
                if self.reads and self.socket.recv(1024) == b"":
                    raise ConnectionError
        except BlockingIOError:
            pass
        except OSError:
            self.counts["ended by the gateway"] += 1
            self.close()

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def act(self):
        text = self.begin() if self.steps == 0 else self.drip
        if text:
            self.socket.send(text)

    drip = b""

    def begin(self):
        return b""


class Idle(Hostile):
    title = "idle: connect and say nothing"


class HeadDripper(Hostile):
    title, drip = "a head, a byte a second", b"a"

    def begin(self):
        return b"GET /work HTTP/1.1\r\nHost: a\r\nX-Drip: "


class BodyDripper(Hostile):
    title, drip = "a body, a byte a second", b"a"

    def begin(self):
        return b"POST /public/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"


class NonReader(Hostile):
    title, receive_buffer, reads = f"ask for {LARGE >> 20} MiB and read nothing", 4096, False

    def begin(self):
        return b"GET /public/large HTTP/1.1\r\nHost: a\r\n\r\n"


class SlowReader(NonReader):
    title, reads = f"ask for {LARGE >> 20} MiB and read 1 KiB a second", True


class HalfClosed(SlowReader):
    title = "the same, half-closed behind the request"

    def act(self):
        super().act()
        if self.steps == 0:
            self.socket.shutdown(socket.SHUT_WR)


class Resetter(Hostile):
    title, reads = "reset in a head, body or answer, and again", False
    stages = [HeadDripper.begin, BodyDripper.begin, NonReader.begin]

    def act(self):
        if self.steps == 0:
            return self.socket.send(random.choice(self.stages)(self))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()
        self.counts["resets"] += 1
        self.connect()


KINDS = [(HeadDripper, 250), (BodyDripper, 150), (NonReader, 120), (SlowReader, 80), (HalfClosed, 80), (Resetter, 150), (Idle, 170)]


def be_hostile(pipe):
    """Keeps the hostile connections up until the pipe says stop."""
    counts = collections.Counter()
    peers = [kind(counts) for kind, count in KINDS for _ in range(count)]
    random.shuffle(peers)
    now = time.monotonic()
    agenda = [(now + number / len(peers), number) for number in range(len(peers))]
    heapq.heapify(agenda)
    while not pipe.poll(max(0, agenda[0][0] - time.monotonic())):
        due, number = heapq.heappop(agenda)
        peers[number].step()
        heapq.heappush(agenda, (max(due + 1, time.monotonic()), number))
    pipe.send(dict(counts))


# The ordinary side.

class Request:
    """One ordinary request on its way."""

    def __init__(self, due, number, connection, keep):
        self.due, self.number, self.socket, self.keep, self.answer = due, number, connection, keep, b""

    def is_complete(self):
        head, found, body = self.answer.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head) if found else None
        return bool(length) and len(body) >= int(length[1])

    def wrong(self):
        code = re.search(rb'"code":"([^"]*)"', self.answer)
        return f"wrong: {self.answer[9:12].decode()} {code[1].decode() if code else ''}"

    def is_right(self):
        head, _, body = self.answer.partition(b"\r\n\r\n")
        return head.startswith(b"HTTP/1.1 200 ") and body.strip() == b"bench-user-%016d" % self.number


class Load:
    """Ordinary requests at a fixed rate."""

    def __init__(self, tokens, rate, seconds):
        self.tokens, self.interval, self.seconds = tokens, 1 / rate, seconds
        self.selector, self.free, self.open = selectors.DefaultSelector(), [], {}
        self.times, self.counts, self.looked = [], collections.Counter(), 0

    def run(self):
        start, sent, total = time.monotonic(), 0, int(self.seconds / self.interval)
        while sent < total or self.open:
            now = time.monotonic()
            while sent < total and start + sent * self.interval <= now:
                self.send(start + sent * self.interval, sent)
                sent += 1
            due = start + sent * self.interval if sent < total else now + 0.1
            for key, _ in self.selector.select(max(0, due - now)):
                self.receive(key.data)
            self.expire(time.monotonic())
        return self.times, dict(self.counts)

    def send(self, due, count):
        number, keep = count % len(self.tokens), count % 10 != 0
        connection = self.free.pop() if keep and self.free else socket.create_connection(("127.0.0.1", GATEWAY), PATIENCE)
        close = "" if keep else "Connection: close\r\n"
        text = f"GET /work HTTP/1.1\r\nHost: gateway.example\r\nAuthorization: Bearer {self.tokens[number]}\r\n{close}\r\n"
        request = Request(due, number, connection, keep)
        connection.sendall(text.encode())
        self.open[connection] = request
        self.selector.register(connection, selectors.EVENT_READ, request)

    def receive(self, request):
        try:
            part = request.socket.recv(65536)
        except OSError as error:
            return self.end(request, f"no answer ({type(error).__name__})")
        request.answer += part
        if request.is_complete():
            self.end(request, "right" if request.is_right() else request.wrong())
        elif not part:
            self.end(request, "no answer (closed)")

    def end(self, request, what):
        self.counts[what] += 1
        self.times.append(time.monotonic() - request.due)
        self.selector.unregister(request.socket)
        del self.open[request.socket]
        if request.keep and what == "right":
            self.free.append(request.socket)
        else:
            request.socket.close()

    def expire(self, now):
        if now < self.looked + 1:
            return
        self.looked = now
        for request in [r for r in self.open.values() if now - r.due > PATIENCE]:
            self.end(request, "no answer in time")


# What is told.

class Gateway:
    """What the system and the gateway tell about its process."""

    def __init__(self, pid):
        self.pid = pid

    def status(self, name):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", text)[1])

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{ADMIN}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if re.match(rf"{name}(\{{|$| )", line))


def in_process(target, *arguments):
    """Runs `target(*arguments)` in a process of its own; its result comes out of the pipe."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=lambda: theirs.send(target(*arguments)), daemon=True)
    process.start()
    return ours


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def probe(port, expected):
    """How long a request without a token takes on a connection of its own: to the upstream itself, or to the gateway alone."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/work", headers={"Connection": "close"})
    status = connection.getresponse().status
    connection.close()
    if status != expected:
        sys.exit(f"port {port} answered {status} instead of {expected}")
    return time.monotonic() - began


def phase(gateway, tokens, options, hostile):
    """One run of the ordinary load; returns what is told of it."""
    if hostile:
        ours, theirs = multiprocessing.Pipe()
        enemy = multiprocessing.Process(target=be_hostile, args=(theirs,), daemon=True)
        enemy.start()
        time.sleep(2)
    else:
        time.sleep(1)
    gateway.forget_peak()
    cpu, began = gateway.cpu(), time.monotonic()
    answers = in_process(lambda: Load(tokens, options.rate, options.seconds).run())
    connections = upstream = 0
    looked, alone, refused = 0, [], []
    while not answers.poll(0.05):
        alone.append(probe(UPSTREAM, 200))
        refused.append(probe(GATEWAY, 401))
        if time.monotonic() > looked + 0.5:
            looked = time.monotonic()
            connections = max(connections, int(gateway.metric("gatehouse_connections")))
            upstream = max(upstream, int(gateway.metric("gatehouse_upstream_connections")))
    times, counts = answers.recv()
    told = {
        "requests": len(times), "answered rightly": counts.get("right", 0),
        "anything else": ", ".join(f"{n} {what}" for what, n in sorted(counts.items()) if what != "right") or "0",
        "p50": f"{quantile(times, 0.5):.2f} ms", "p99": f"{quantile(times, 0.99):.2f} ms",
        "slowest": f"{max(times) * 1000:.0f} ms",
        "the upstream alone, p99": f"{quantile(alone, 0.99):.2f} ms", "refused with 401, p99": f"{quantile(refused, 0.99):.2f} ms",
        "memory, peak": f"{gateway.status('VmHWM') / 1024:.0f} MiB",
        "connections, peak": connections, "to the upstream, peak": upstream,
        "CPU of the gateway": f"{(gateway.cpu() - cpu) / (time.monotonic() - began) * 100:.0f} % of a core",
    }
    if hostile:
        ours.send("stop")
        told["hostile"] = ours.recv()
        enemy.join(5)
    return told, counts


def report(columns, failed):
    print("hostile connections:")
    for kind, count in KINDS:
        print(f"    {count:5}  {kind.title}")
    print(f"    {sum(count for _, count in KINDS):5}")
    for name in [name for name in columns[-1] if name != "hostile"]:
        print(f"{name:24}" + "".join(f"{str(column[name]):>24}" for column in columns))
    for column in columns:
        if "hostile" in column:
            print("hostile side:", ", ".join(f"{count} {what}" for what, count in column["hostile"].items()))
    print(f"answered wrongly or not at all: {failed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=12, help="of each phase")
    parser.add_argument("--rounds", type=int, default=2, help="each a phase without and one with them")
    parser.add_argument("--rate", type=int, default=500, help="ordinary requests a second")
    parser.add_argument("--one-pool", action="store_true", help="the hostile requests share the ordinary ones' upstream connections")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"))
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-hostile-"))
    folder.chmod(0o777)
    tokens = TokenMint(folder).write(200)
    (folder / "public").mkdir()
    (folder / "public/large").write_bytes(bytes(LARGE))
    (folder / "nginx.conf").write_text(NGINX.replace("@DIR@", str(folder)))
    (folder / "gatehouse.yaml").write_text(GATEHOUSE.replace("@PUBLIC@", "api" if options.one_pool else "public"))
    upstream = subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL, start_new_session=True)
    process = subprocess.Popen(
        [options.binary, "serve", "--config", str(folder / "gatehouse.yaml")], stderr=open(folder / "gateway.log", "w"),
        start_new_session=True)
    try:
        time.sleep(2)
        gateway, columns, failed = Gateway(process.pid), [], 0
        for number in range(options.rounds * 2):
            told, counts = phase(gateway, tokens, options, hostile=number % 2 == 1)
            columns.append({"": "with them" if number % 2 else "without"} | told)
            failed += sum(counts.values()) - counts.get("right", 0)
        report(columns, failed)
        time.sleep(3)
        left = int(gateway.metric("gatehouse_connections")), int(gateway.metric("gatehouse_requests_in_flight"))
        print(f"three seconds later: {left[0]} connections, {left[1]} requests in flight, {gateway.status('VmRSS') / 1024:.0f} MiB")
        sys.exit(1 if failed or process.poll() is not None else 0)
    finally:
        for child in (process, upstream):
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        for file in sorted(folder.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        folder.rmdir()


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
