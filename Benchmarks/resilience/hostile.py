#!/usr/bin/env python3
"""Measures ordinary requests to a gateway, alternately without and with 1,000 hostile connections.

    .build-bench/bin/python Benchmarks/resilience/hostile.py [--seconds 12] [--rounds 2] [--rate 500] [--one-pool]
        [--binary .build/release/gatehouse]

The ordinary load is an open loop: requests with valid tokens start at fixed times, independent of earlier responses,
and the time of a request counts from its scheduled start. One request in ten uses a new connection. Each response must
be 200 with the uid of its token. One process has all hostile connections, and uses little CPU time. Two probes show the
influence of the machine: a request to the upstream without the gateway, and a 401 of the gateway, which needs no
upstream. The gateway uses its default limits. Needs the packages of Benchmarks/side-by-side. All traffic is on
127.0.0.1."""

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
# The segment size of Ethernet in bytes. The kernel derives the size of send buffers from it; with the 64 KiB of
# loopback it would buffer megabytes for each connection.
SEGMENT = 1448
TIMEOUT = 10

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
    """A hostile connection, which reconnects after the gateway closed it. `step` is called about once a second."""

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
        self.counts["connections opened"] += 1

    def step(self):
        """Performs the next action. Reconnects in the next step if the gateway has closed the connection."""
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
            self.counts["closed by the gateway"] += 1
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
    title = "idle: connect and send nothing"


class HeadDripper(Hostile):
    title, drip = "send a head, one byte per second", b"a"

    def begin(self):
        return b"GET /work HTTP/1.1\r\nHost: a\r\nX-Drip: "


class BodyDripper(Hostile):
    title, drip = "send a body, one byte per second", b"a"

    def begin(self):
        return b"POST /public/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"


class NonReader(Hostile):
    title, receive_buffer, reads = f"request {LARGE >> 20} MiB and read nothing", 4096, False

    def begin(self):
        return b"GET /public/large HTTP/1.1\r\nHost: a\r\n\r\n"


class SlowReader(NonReader):
    title, reads = f"request {LARGE >> 20} MiB and read 1 KiB per second", True


class HalfClosed(SlowReader):
    title = "the same, half-closed after the request"

    def act(self):
        super().act()
        if self.steps == 0:
            self.socket.shutdown(socket.SHUT_WR)


class Resetter(Hostile):
    title, reads = "reset during a head, body or response, and reconnect", False
    stages = [HeadDripper.begin, BodyDripper.begin, NonReader.begin]

    def act(self):
        if self.steps == 0:
            return self.socket.send(random.choice(self.stages)(self))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()
        self.counts["resets"] += 1
        self.connect()


KINDS = [(HeadDripper, 250), (BodyDripper, 150), (NonReader, 120), (SlowReader, 80), (HalfClosed, 80), (Resetter, 150),
         (Idle, 170)]


def be_hostile(pipe):
    """Runs the hostile connections until the pipe has a message, then sends their counts."""
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
    """An ordinary request in flight, and the received part of its response."""

    def __init__(self, due, number, connection, keep):
        self.due, self.number, self.socket, self.keep, self.response = due, number, connection, keep, b""

    def is_complete(self):
        head, found, body = self.response.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head) if found else None
        return bool(length) and len(body) >= int(length[1])

    def wrong(self):
        code = re.search(rb'"code":"([^"]*)"', self.response)
        return f"wrong: {self.response[9:12].decode()} {code[1].decode() if code else ''}"

    def is_correct(self):
        head, _, body = self.response.partition(b"\r\n\r\n")
        return head.startswith(b"HTTP/1.1 200 ") and body.strip() == b"bench-user-%016d" % self.number


class Load:
    """Ordinary requests at a fixed rate."""

    def __init__(self, tokens, rate, seconds):
        self.tokens, self.interval, self.seconds = tokens, 1 / rate, seconds
        self.selector, self.free, self.open = selectors.DefaultSelector(), [], {}
        self.times, self.counts, self.expired = [], collections.Counter(), 0

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
        is_reused = keep and self.free
        connection = self.free.pop() if is_reused else socket.create_connection(("127.0.0.1", GATEWAY), TIMEOUT)
        close = "" if keep else "Connection: close\r\n"
        fields = f"Host: gateway.example\r\nAuthorization: Bearer {self.tokens[number]}\r\n{close}"
        request = Request(due, number, connection, keep)
        connection.sendall(f"GET /work HTTP/1.1\r\n{fields}\r\n".encode())
        self.open[connection] = request
        self.selector.register(connection, selectors.EVENT_READ, request)

    def receive(self, request):
        try:
            part = request.socket.recv(65536)
        except OSError as error:
            return self.end(request, f"no response ({type(error).__name__})")
        request.response += part
        if request.is_complete():
            self.end(request, "correct" if request.is_correct() else request.wrong())
        elif not part:
            self.end(request, "no response (closed)")

    def end(self, request, result):
        self.counts[result] += 1
        self.times.append(time.monotonic() - request.due)
        self.selector.unregister(request.socket)
        del self.open[request.socket]
        if request.keep and result == "correct":
            self.free.append(request.socket)
        else:
            request.socket.close()

    def expire(self, now):
        if now < self.expired + 1:
            return
        self.expired = now
        for request in [r for r in self.open.values() if now - r.due > TIMEOUT]:
            self.end(request, "timeout")


# The report.

class Gateway:
    """The gateway's process, its figures from /proc, and its metrics."""

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
        with urllib.request.urlopen(f"http://127.0.0.1:{ADMIN}/metrics", timeout=5) as response:
            lines = response.read().decode().splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if re.match(rf"{name}(\{{|$| )", line))


def in_process(target, *arguments):
    """Runs `target(*arguments)` in a new process. Returns the pipe that will receive the result."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=lambda: theirs.send(target(*arguments)), daemon=True)
    process.start()
    return ours


def quantile(times, share):
    """Returns a quantile in ms of times in seconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def probe(port, expected):
    """Sends a request without a token on a new connection to the upstream or to the gateway. Returns the seconds."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    connection.request("GET", "/work", headers={"Connection": "close"})
    status = connection.getresponse().status
    connection.close()
    if status != expected:
        sys.exit(f"port {port} responded with {status} instead of {expected}")
    return time.monotonic() - began


def phase(gateway, tokens, options, hostile):
    """Runs the ordinary load once. Returns its column of the report, and its counts of results."""
    if hostile:
        ours, theirs = multiprocessing.Pipe()
        attacker = multiprocessing.Process(target=be_hostile, args=(theirs,), daemon=True)
        attacker.start()
        time.sleep(2)
    else:
        time.sleep(1)
    gateway.forget_peak()
    cpu, began = gateway.cpu(), time.monotonic()
    results = in_process(lambda: Load(tokens, options.rate, options.seconds).run())
    connections = upstream = 0
    read, direct, denied = 0, [], []
    while not results.poll(0.05):
        direct.append(probe(UPSTREAM, 200))
        denied.append(probe(GATEWAY, 401))
        if time.monotonic() > read + 0.5:
            read = time.monotonic()
            connections = max(connections, int(gateway.metric("gatehouse_connections")))
            upstream = max(upstream, int(gateway.metric("gatehouse_upstream_connections")))
    times, counts = results.recv()
    others = [f"{n} {result}" for result, n in sorted(counts.items()) if result != "correct"]
    column = {
        "requests": len(times), "correct responses": counts.get("correct", 0),
        "other results": ", ".join(others) or "0",
        "p50": f"{quantile(times, 0.5):.2f} ms", "p99": f"{quantile(times, 0.99):.2f} ms",
        "slowest": f"{max(times) * 1000:.0f} ms",
        "upstream directly, p99": f"{quantile(direct, 0.99):.2f} ms",
        "denied with 401, p99": f"{quantile(denied, 0.99):.2f} ms",
        "memory, peak": f"{gateway.status('VmHWM') / 1024:.0f} MiB",
        "client connections, peak": connections, "to the upstream, peak": upstream,
        "CPU of the gateway": f"{(gateway.cpu() - cpu) / (time.monotonic() - began) * 100:.0f} % of a core",
    }
    if hostile:
        ours.send("stop")
        column["hostile"] = ours.recv()
        attacker.join(5)
    return column, counts


def report(columns, failed):
    print("hostile connections:")
    for kind, count in KINDS:
        print(f"    {count:5}  {kind.title}")
    print(f"    {sum(count for _, count in KINDS):5}")
    for name in [name for name in columns[-1] if name != "hostile"]:
        print(f"{name:26}" + "".join(f"{str(column[name]):>24}" for column in columns))
    for column in columns:
        if "hostile" in column:
            print("hostile side:", ", ".join(f"{count} {event}" for event, count in column["hostile"].items()))
    print(f"wrong or missing responses: {failed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=12, help="duration of each phase in seconds")
    parser.add_argument("--rounds", type=int, default=2,
                        help="rounds of one phase without and one with hostile connections")
    parser.add_argument("--rate", type=int, default=500, help="ordinary requests a second")
    parser.add_argument("--one-pool", action="store_true",
                        help="hostile and ordinary requests use the same pool of upstream connections")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-hostile-"))
    folder.chmod(0o777)
    tokens = TokenMint(folder).write(200)
    (folder / "public").mkdir()
    (folder / "public/large").write_bytes(bytes(LARGE))
    (folder / "nginx.conf").write_text(NGINX.replace("@DIR@", str(folder)))
    (folder / "gatehouse.yaml").write_text(GATEHOUSE.replace("@PUBLIC@", "api" if options.one_pool else "public"))
    upstream = subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL,
                                start_new_session=True)
    process = subprocess.Popen(
        [options.binary, "serve", "--config", str(folder / "gatehouse.yaml")],
        stderr=open(folder / "gateway.log", "w"), start_new_session=True)
    try:
        time.sleep(2)
        gateway, columns, failed = Gateway(process.pid), [], 0
        for number in range(options.rounds * 2):
            column, counts = phase(gateway, tokens, options, hostile=number % 2 == 1)
            columns.append({"": "with" if number % 2 else "without"} | column)
            failed += sum(counts.values()) - counts.get("correct", 0)
        report(columns, failed)
        time.sleep(3)
        left = int(gateway.metric("gatehouse_connections")), int(gateway.metric("gatehouse_requests_in_flight"))
        print(f"three seconds later: {left[0]} connections, {left[1]} requests in flight, "
              f"{gateway.status('VmRSS') / 1024:.0f} MiB")
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
