#!/usr/bin/env python3
"""Measures how long an ordinary client waits beside connections that bring much work at once.

    python3 Benchmarks/resilience/fairness.py [--seconds 6] [--rounds 2] [--binary .build/release/gatehouse ...]

One client sends requests one after the other on one connection, and its times are reported: alone; beside 4 connections that send bodies in chunks of one
byte; beside 2 connections that pipeline requests that are refused; beside 200 connections of ordinary clients. The gateway has one worker. Several binaries
are measured in turns, so that the machine's own noise is the same for all. Bounded by the seconds; needs nginx. Nothing leaves 127.0.0.1."""

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
PATIENCE = 20
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
identity: {{ firebase: {{ project: bench-project, keys_url: "http://127.0.0.1:9/", session_keys_url: "http://127.0.0.1:9/" }} }}
upstreams: {{ api: {{ servers: ["http://127.0.0.1:{UPSTREAM}"] }} }}
routes: [{{ path: /private, upstream: api }}, {{ path: /**, auth: none, upstream: api }}]
"""
ORDINARY = b"GET /open HTTP/1.1\r\nHost: a\r\n\r\n"


def connect():
    connection = socket.create_connection(("127.0.0.1", GATEWAY), PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Peer:
    """One connection that keeps the gateway busy: writes what `outgoing` gives, and drops what comes back."""

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
    """Bodies in chunks of one byte."""

    head = b"POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = head + b"1\r\na\r\n" * CHUNKS_OF_BODY + b"0\r\n\r\n"

    def outgoing(self):
        return self.body


class Pipeliner(Peer):
    """Requests that are refused, without waiting for answers."""

    def outgoing(self):
        return b"GET /private HTTP/1.1\r\nHost: a\r\n\r\n" * 2000


class Ordinary(Peer):
    """A request after each answer."""

    def __init__(self, selector):
        super().__init__(selector)
        selector.modify(self.socket, selectors.EVENT_READ, self)
        self.socket.send(ORDINARY)

    def turn(self, events):
        if self.socket.recv(4096):
            self.socket.send(ORDINARY)


CASES = [("alone", Peer, 0), ("4 connections with one-byte chunks", Chunker, 4),
         ("2 connections that pipeline refusals", Pipeliner, 2), ("200 ordinary connections", Ordinary, 200)]


def press(kind, count, pipe):
    """Keeps `count` connections busy until the pipe says stop."""
    selector = selectors.DefaultSelector()
    for _ in range(count):
        kind(selector)
    pipe.send("ready")
    while not pipe.poll():
        for key, events in selector.select(0.1):
            key.data.turn(events)


def measure(kind, count, seconds):
    """The times, in seconds, of an ordinary client's requests beside `count` connections."""
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
            sys.exit("an ordinary request was not answered rightly")
        times.append(time.monotonic() - began)
        time.sleep(0.001)
    if count:
        ours.send("stop")
        process.join(5)
    return times


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--binary", nargs="+", default=[str(ROOT / ".build/release/gatehouse")])
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-fairness-"))
    folder.chmod(0o777)
    (folder / "nginx.conf").write_text(NGINX.replace("@DIR@", str(folder)))
    (folder / "gatehouse.yaml").write_text(GATEHOUSE)
    upstream = subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL, start_new_session=True)
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
        print(f"    {'an ordinary client beside':40}{'requests':>10}{'p50':>12}{'p99':>12}")
        for name, _, _ in CASES:
            seen = times[binary, name]
            print(f"    {name:40}{len(seen):>10}{quantile(seen, 0.5):>9.2f} ms{quantile(seen, 0.99):>9.2f} ms")


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
