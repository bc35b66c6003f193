#!/usr/bin/env python3
"""Measures the memory of a gateway with many idle connections.

    python3 Benchmarks/resilience/idle.py [--connections 10000] [--binary .build/release/gatehouse]

Each connection sends one request without a token, reads the response, and stays open. Prints the memory before and with
them, then sends one more request on each and counts the responses. All traffic is on 127.0.0.1."""

import argparse
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GATEWAY = """
listen: [{{ address: "127.0.0.1:{port}" }}]
workers: 2
admin: {{ address: "127.0.0.1:0" }}
store: "sqlite::memory:"
log: {{ level: critical, access: none }}
limits: {{ connections: {most}, connections_per_address: {most}, idle_timeout: 10m }}
identity: {{ firebase: {{ project: bench, keys_url: "http://127.0.0.1:1/", session_keys_url: "http://127.0.0.1:1/" }} }}
upstreams: {{ api: {{ servers: ["http://127.0.0.1:1"] }} }}
routes: [{{ path: "/{{path=**}}", upstream: api }}]
"""
REQUEST = b"GET /a HTTP/1.1\r\nHost: bench.example\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n"


def resident(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def answered(connection):
    """Whether a request on the connection gets its 401."""
    connection.sendall(REQUEST)
    data = b""
    while not data.rstrip().endswith(b"}"):
        part = connection.recv(65536)
        if not part:
            return False
        data += part
    return data.startswith(b"HTTP/1.1 401 ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=10_000, help="idle connections")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        file = pathlib.Path(folder) / "gatehouse.yaml"
        file.write_text(GATEWAY.format(port=port, most=options.connections + 100))
        gateway = subprocess.Popen([options.binary, "serve", "--config", file])
        try:
            measure(gateway, port, options.connections)
        finally:
            gateway.kill()
            gateway.wait()


def measure(gateway, port, count):
    connections = []
    while not connections:
        try:
            connections.append(socket.create_connection(("127.0.0.1", port), timeout=30))
        except ConnectionRefusedError:
            if gateway.poll() is not None:
                sys.exit("the gateway ended")
            time.sleep(0.05)
    answered(connections[0])
    before = resident(gateway)
    for _ in range(count - 1):
        connections.append(socket.create_connection(("127.0.0.1", port), timeout=30))
        if not answered(connections[-1]):
            sys.exit(f"connection {len(connections)} was closed")
    time.sleep(2)
    after = resident(gateway)
    served = sum(answered(connection) for connection in connections)
    print(f"{before:.1f} MiB with one connection, {after:.1f} MiB with {count:,}: "
          f"{(after - before) * 1024 / count:.1f} KiB each; {served:,} of them still served")


if __name__ == "__main__":
    main()
