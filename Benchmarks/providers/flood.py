#!/usr/bin/env python3
"""Measures the effect of many unknown opaque tokens on the introspection endpoint, the gateway's memory and other
users.

    .build-bench/bin/python Benchmarks/providers/flood.py [--tokens 10000] [--seconds 10] [--latency 0.02]
        [--binary .build/release/gatehouse]

One gateway has one worker. wrk loads it with Firebase tokens on 16 connections as fast as it serves them: before,
during and after the flood. During the flood, another address (127.0.0.2) sends different unknown opaque tokens evenly
over the time, and a third one (127.0.0.3) uses a valid opaque token. All traffic is on loopback."""

import argparse
import asyncio
import http.server
import json
import os
import pathlib
import re
import socket
import statistics
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from fleet import ROOT, Fleet, Load, resident, stop  # noqa: E402
from table import percentile  # noqa: E402

OAUTH = {
    "introspection_url": "http://127.0.0.1:9562/introspect", "client_id": "gateway", "client_secret": "secret",
    "audiences": ["api"], "cache_for": "1s",
}


class Introspection(http.server.BaseHTTPRequestHandler):
    """An introspection endpoint (RFC 7662) with one valid token. It counts its calls."""

    protocol_version = "HTTP/1.1"
    calls, known, concurrent, peak, latency = 0, 0, 0, 0, 0.0
    lock = threading.Lock()

    def do_POST(self):
        kind = type(self)
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        is_known = form["token"] == ["known"]
        with kind.lock:
            kind.calls += 1
            kind.known += is_known
            kind.concurrent += 1
            kind.peak = max(kind.peak, kind.concurrent)
        time.sleep(kind.latency)
        with kind.lock:
            kind.concurrent -= 1
        active = {"active": True, "sub": "7", "aud": "api", "exp": int(time.time()) + 3600}
        body = json.dumps(active if is_known else {"active": False}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def request(connection, token):
    connection.sendall(f"GET /v1/x HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
    while len(body) < length:
        body += connection.recv(65536)
    return int(data[9:12])


def connect(source):
    connection = socket.create_connection(("127.0.0.1", 9597), timeout=20, source_address=(source, 0))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


async def one(pool, token, statuses):
    """Sends one request on a free connection of the pool, or on a new one."""
    if pool:
        reader, writer = pool.pop()
    else:
        reader, writer = await asyncio.open_connection("127.0.0.1", 9597, local_addr=("127.0.0.2", 0))
    try:
        writer.write(f"GET /v1/x HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
        await reader.readexactly(length)
        status = int(head[9:12])
        pool.append((reader, writer))
    except (OSError, asyncio.IncompleteReadError):
        status = 0
        writer.close()
    statuses[status] = statuses.get(status, 0) + 1


async def flood(options, statuses):
    """Sends different tokens evenly over the time, independent of earlier responses. Returns the seconds of sending."""
    begin, pool, tasks = time.monotonic(), [], []
    for index in range(options.tokens):
        due = begin + index * options.seconds / options.tokens
        if due > time.monotonic():
            await asyncio.sleep(due - time.monotonic())
        tasks.append(asyncio.create_task(one(pool, f"unknown-{index}-{os.urandom(12).hex()}", statuses)))
    sent = time.monotonic() - begin
    await asyncio.gather(*tasks)
    return sent


def known_user(stop_event, results):
    connection = connect("127.0.0.3")
    while not stop_event.is_set():
        begin = time.monotonic()
        status = request(connection, "known")
        results.append((status, time.monotonic() - begin))
        time.sleep(0.05)


def load(fleet, gateway, seconds):
    return Load(fleet, gateway.port, "/v1/x", seconds, 16)


def summary(run):
    run.join()
    output = run.output
    count = int(re.search(r"(\d+) requests in", output).group(1))
    other = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    return (f"{count} requests, p50 {percentile(output, 50):.2f} ms, p99 {percentile(output, 99):.2f} ms, "
            f"not 2xx: {other.group(1) if other else 0}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=10_000, help="unknown tokens in the flood")
    parser.add_argument("--seconds", type=int, default=10, help="duration of each phase in seconds")
    parser.add_argument("--latency", type=float, default=0.02, help="response time of the endpoint in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    Introspection.latency = options.latency
    server = Server(("127.0.0.1", 9562), Introspection)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        gateway = fleet.gateway(
            identity={"firebase": fleet.firebase(), "providers": {"oauth.bench": OAUTH}},
            routes=[{"path": "/**", "upstream": "api"}])
        load(fleet, gateway, 2).join()
        print("ordinary load before the flood:", summary(load(fleet, gateway, options.seconds)))
        before, results, end = resident(gateway.pid), [], threading.Event()
        user = threading.Thread(target=known_user, args=(end, results))
        user.start()
        statuses, ordinary = {}, load(fleet, gateway, options.seconds)
        seconds = asyncio.run(flood(options, statuses))
        print("ordinary load during the flood:", summary(ordinary))
        end.set()
        user.join()
        after = resident(gateway.pid)
        print("ordinary load after the flood: ", summary(load(fleet, gateway, options.seconds)))
        times = sorted(duration for _, duration in results)
        print(f"flood: {sum(statuses.values())} tokens sent in {seconds:.1f} s, "
              f"responses by status {dict(sorted(statuses.items()))}")
        print(f"endpoint: {Introspection.calls} calls, at most {Introspection.peak} at a time, "
              f"{Introspection.known} of them for the valid token")
        print(f"valid token: {len(results)} requests, {sum(status != 200 for status, _ in results)} not 200, "
              f"p50 {statistics.median(times) * 1000:.1f} ms, p99 {times[int(len(times) * 0.99)] * 1000:.1f} ms, "
              f"max {times[-1] * 1000:.1f} ms")
        print(f"memory of the gateway: {before:.1f} MiB before, {after:.1f} MiB after")
        stop(gateway)
    server.shutdown()


if __name__ == "__main__":
    main()
