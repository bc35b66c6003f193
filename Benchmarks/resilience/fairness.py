#!/usr/bin/env python3
"""Measures the latency of an ordinary client while other connections keep the gateway busy.

    python3 Benchmarks/resilience/fairness.py [--seconds 6] [--rounds 2] [--binary .build/release/gatehouse ...]

One client sends sequential requests on one connection: without other load, with 4 connections that send bodies in
one-byte chunks, with 2 connections that pipeline denied requests, and with 200 connections of ordinary clients. The
gateway has one worker. Several binaries are measured in turn, so that noise of the machine affects all of them. Needs
nginx. All traffic is on 127.0.0.1."""

import argparse
import multiprocessing
import os
import pathlib
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GATEWAY, UPSTREAM = 9690, 9692
TIMEOUT = 20
CHUNKS_OF_BODY = 200_000

NGINX = f"""
daemon off; worker_processes 1; pid @DIR@/nginx.pid; error_log @DIR@/nginx.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; client_max_body_size 0; default_type text/plain;
  client_body_temp_path @DIR@/body; proxy_temp_path @DIR@/proxy;
  server {{
    listen 127.0.0.1:{UPSTREAM};
    location /open {{ return 200 ok; }}
    location /upload {{ proxy_pass http://127.0.0.1:{UPSTREAM}/open; }}
  }}
}}
"""
GATEHOUSE = f"""
listen: [{{ address: "127.0.0.1:{GATEWAY}" }}]
admin: {{ address: null }}
workers: 1
store: "sqlite::memory:"
log: {{ access: "off" }}
identity:
  firebase: {{ project: bench-project, keys_url: "http://127.0.0.1:9/", session_keys_url: "http://127.0.0.1:9/" }}
upstreams: {{ api: {{ servers: ["http://127.0.0.1:{UPSTREAM}"] }} }}
routes: [{{ path: /private, upstream: api }}, {{ path: /**, auth: none, upstream: api }}]
"""
ORDINARY = b"GET /open HTTP/1.1\r\nHost: a\r\n\r\n"


def connect():
    connection = socket.create_connection(("127.0.0.1", GATEWAY), TIMEOUT)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Peer:
    """A connection that keeps the gateway busy: it writes the bytes of `outgoing` repeatedly, and discards all
    responses."""

    def __init__(self, selector):
        self.socket, self.left = connect(), memoryview(b"")
        self.socket.setblocking(False)
        selector.register(self.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, self)

    def turn(self, events):
        if events & selectors.EVENT_READ and not self.socket.recv(1 << 18):
            sys.exit("the gateway closed a connection")
        if events & selectors.EVENT_WRITE:
            if not self.left:
                self.left = memoryview(self.outgoing())
            self.left = self.left[self.socket.send(self.left):]


class Chunker(Peer):
    """A connection that sends bodies in one-byte chunks."""

    head = b"POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = head + b"1\r\na\r\n" * CHUNKS_OF_BODY + b"0\r\n\r\n"

    def outgoing(self):
        return self.body


class Pipeliner(Peer):
    """A connection that pipelines denied requests."""

    def outgoing(self):
        return b"GET /private HTTP/1.1\r\nHost: a\r\n\r\n" * 2000


class Ordinary(Peer):
    """A connection that sends a request after each response."""

    def __init__(self, selector):
        super().__init__(selector)
        selector.modify(self.socket, selectors.EVENT_READ, self)
        self.socket.send(ORDINARY)

    def turn(self, events):
        if self.socket.recv(4096):
            self.socket.send(ORDINARY)


CASES = [("no other load", Peer, 0), ("4 connections with one-byte chunks", Chunker, 4),
         ("2 connections that pipeline", Pipeliner, 2), ("200 ordinary connections", Ordinary, 200)]


def press(kind, count, pipe):
    """Keeps `count` connections busy until the pipe has a message."""
    selector = selectors.DefaultSelector()
    for _ in range(count):
        kind(selector)
    pipe.send("ready")
    while not pipe.poll():
        for key, events in selector.select(0.1):
            key.data.turn(events)


def measure(kind, count, seconds):
    """Returns the times in seconds of an ordinary client's requests with the load of `count` connections."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=press, args=(kind, count, theirs), daemon=True)
    if count:
        process.start()
        ours.recv()
        time.sleep(0.5)
    times, client, end = [], connect(), time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        client.sendall(ORDINARY)
        if not client.recv(4096).startswith(b"HTTP/1.1 200"):
            sys.exit("an ordinary request failed")
        times.append(time.monotonic() - began)
        time.sleep(0.001)
    if count:
        ours.send("stop")
        process.join(5)
    return times


def quantile(times, share):
    """Returns a quantile in ms of times in seconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6, help="duration of each measurement in seconds")
    parser.add_argument("--rounds", type=int, default=2, help="rounds, each with all binaries and loads")
    parser.add_argument("--binary", nargs="+", default=[str(ROOT / ".build/release/gatehouse")],
                        help="the binaries to measure")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-fairness-"))
    folder.chmod(0o777)
    (folder / "nginx.conf").write_text(NGINX.replace("@DIR@", str(folder)))
    (folder / "gatehouse.yaml").write_text(GATEHOUSE)
    upstream = subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL,
                                start_new_session=True)
    times = {}
    try:
        for _ in range(options.rounds):
            for binary in options.binary:
                gateway = subprocess.Popen(
                    [binary, "serve", "--config", str(folder / "gatehouse.yaml")], stderr=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, start_new_session=True)
                try:
                    time.sleep(1.5)
                    for name, kind, count in CASES:
                        times.setdefault((binary, name), []).extend(measure(kind, count, options.seconds))
                finally:
                    os.killpg(gateway.pid, signal.SIGKILL)
                    gateway.wait()
    finally:
        os.killpg(upstream.pid, signal.SIGKILL)
        upstream.wait()
        for file in sorted(folder.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        folder.rmdir()
    for binary in options.binary:
        print(binary)
        print(f"    {'other load':40}{'requests':>10}{'p50':>12}{'p99':>12}")
        for name, _, _ in CASES:
            seen = times[binary, name]
            print(f"    {name:40}{len(seen):>10}{quantile(seen, 0.5):>9.2f} ms{quantile(seen, 0.99):>9.2f} ms")


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
