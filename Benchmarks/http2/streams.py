#!/usr/bin/env python3
"""Measures the memory of the gateway for open event streams, over HTTP/2 and over HTTP/1.1.

    .build-bench/bin/python Benchmarks/http2/streams.py [--gateway .build/release/gatehouse]
        [--connections 100] [--streams 10000] [--single 2000] [--hold 2]

Each row has its own gateway with one worker. Clients open event streams with tokens of 2,000 users: over HTTP/2 on
--connections connections, over HTTP/1.1 on one connection each. The upstream receives them over HTTP/2 or over HTTP/1.1
and keeps them open. --streams is the number with HTTP/2 on both sides; rows with HTTP/1.1 on a side have --single
streams, because each needs a descriptor there. Then the upstream sends one event on every stream. Memory is RSS and PSS
from /proc after --hold seconds: before, with the connections, with all streams, after the event, and after the end. All
traffic is on 127.0.0.1."""

import argparse
import asyncio
import pathlib
import re
import socket
import struct
import sys
import time

import frames

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "edge"))
from testbed import ROOT, Claims, Testbed, free_port, metrics, stop  # noqa: E402

LIMIT = 60  # The longest wait in seconds.


class EventClient(frames.Frames):
    """A connection whose streams all begin an event stream."""

    def __init__(self):
        super().__init__(frames.begin((4, 65535)))
        self.begun, self.events, self.refused, self.number = 0, 0, 0, -1

    def open(self, token):
        self.number += 2
        self.transport.write(frames.request(self.number, frames.head("/events", token=token)))

    def received(self, kind, flags, stream, payload):
        if kind == frames.HEADERS and payload[:1] == frames.OK:
            self.begun += 1
        elif kind == frames.DATA:
            self.events += payload.count(b"data: ")
        elif kind in (frames.HEADERS, frames.RESET, frames.GOAWAY):
            self.refused += 1


class SingleClient(asyncio.Protocol):
    """A connection with HTTP/1.1 and one event stream."""

    def __init__(self):
        self.begun, self.events, self.refused, self.transport = 0, 0, 0, None

    def connection_made(self, transport):
        self.transport = transport

    def open(self, token):
        self.transport.write(f"GET /events HTTP/1.1\r\nHost: bench.example\r\n"
                             f"Authorization: Bearer {token}\r\n\r\n".encode())

    def data_received(self, data):
        if data.startswith(b"HTTP/1.1 200 "):
            self.begun += 1
        elif data.startswith(b"HTTP/1.1 "):
            self.refused += 1
        self.events += data.count(b"data: ")

    def connection_lost(self, error):
        self.refused += 1


class SingleServer(asyncio.Protocol):
    """The side of an upstream with HTTP/1.1 that begins an event stream for each request, and keeps it open."""

    everyone = set()
    EVENT = b"9\r\ndata: 1\n\n\r\n"
    HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    def __init__(self):
        self.transport, self.rest = None, b""

    def connection_made(self, transport):
        self.transport = transport
        self.everyone.add(self)

    def data_received(self, data):
        self.rest += data
        while b"\r\n\r\n" in self.rest:
            _, _, self.rest = self.rest.partition(b"\r\n\r\n")
            self.transport.write(self.HEAD + self.EVENT)

    def event(self):
        self.transport.write(self.EVENT)

    def connection_lost(self, error):
        self.everyone.discard(self)


def memory(pid):
    """Returns RSS and PSS of a process in KiB."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return tuple(int(re.search(rf"^{name}:\s+(\d+)", text, re.M)[1]) for name in ("Rss", "Pss"))


def cut(transport):
    """Resets a connection. After an ordinary close, the gateway serves the streams until a write fails, because the
    client may have closed only its sending direction."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def until(holds, what):
    end = time.monotonic() + LIMIT
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {LIMIT} s")
        await asyncio.sleep(0.02)


class Row:
    """A measurement: the protocols of clients and of the upstream, and the numbers of connections and streams."""

    def __init__(self, client, upstream, connections, streams):
        self.client, self.upstream, self.connections, self.streams = client, upstream, connections, streams
        self.server = frames.EventServer if upstream == "h2c" else SingleServer
        self.name = f"{client} to {upstream}"
        self.memory, self.events, self.left = {}, 0, None

    def gateway(self, testbed, port):
        upstream = {"protocol": "h2c"} if self.upstream == "h2c" else {"connections": self.streams + 16}
        return testbed.gateway({
            "limits": {"connections": self.connections + 100, "connections_per_address": self.connections + 100},
            "upstreams": {"events": {"servers": [f"http://127.0.0.1:{port}"], **upstream}},
            "routes": [{"path": "/events", "upstream": "events"}],
        } | self.listener(), self.name.replace(" ", "-").replace("/", "-"))

    def listener(self):
        self.port = free_port()
        return {"listen": [{"address": f"127.0.0.1:{self.port}", "protocols": ["http/1.1", "h2c"]}]}

    async def run(self, testbed, tokens, hold):
        loop, port = asyncio.get_running_loop(), free_port()
        listening = await loop.create_server(self.server, "127.0.0.1", port, backlog=4096)
        process = await asyncio.to_thread(self.gateway, testbed, port)
        kind, clients = EventClient if self.client == "HTTP/2" else SingleClient, []
        try:
            await self.note("before", process, hold)
            for _ in range(self.connections):
                clients.append((await loop.create_connection(kind, "127.0.0.1", self.port))[1])
            await self.note("connections", process, hold)
            for number in range(self.streams):
                clients[number % self.connections].open(tokens[number % len(tokens)])
                if number % 200 == 199:
                    await self.reach(clients, number + 1)
            await self.reach(clients, self.streams)
            await self.note("streams", process, hold)
            before = sum(client.events for client in clients)
            for server in list(self.server.everyone):
                server.event()
            await until(lambda: sum(client.events for client in clients) >= before + self.streams, "the event")
            self.events = sum(client.events for client in clients) - before
            await self.note("event", process, hold)
            for client in clients:
                cut(client.transport)
            await until(lambda: metrics(process).get("gatehouse_requests_in_flight", 0) == 0, "the end of the streams")
            await self.note("after", process, hold)
            self.left = metrics(process).get("gatehouse_connections")
        finally:
            stop(process)
            listening.close()
            for server in list(self.server.everyone):
                server.transport.abort()

    async def reach(self, clients, count):
        await until(lambda: sum(client.begun for client in clients) >= count
                    or any(client.refused for client in clients), f"{count} streams")
        refused = sum(client.refused for client in clients)
        if refused:
            sys.exit(f"{self.name}: {refused} streams or connections were refused")

    async def note(self, when, process, hold):
        await asyncio.sleep(hold)
        self.memory[when] = memory(process.pid)

    def per(self, when, since, count):
        """Returns RSS and PSS in KiB that each of `count` things added between two measurements."""
        return tuple((one - other) / count for one, other in zip(self.memory[when], self.memory[since]))


def show(rows):
    print(f"{'':22}{'connections':>12}{'streams':>9}{'per stream, KiB':>22}{'after an event':>20}"
          f"{'of which connection':>21}{'before, MiB':>13}{'open':>7}{'ended':>7}")
    print(f"{'':22}{'':21}{'RSS':>11}{'PSS':>11}{'RSS':>10}{'PSS':>10}{'RSS':>21}")
    for row in rows:
        stream, event = row.per("streams", "before", row.streams), row.per("event", "before", row.streams)
        connection = row.per("connections", "before", row.streams)
        mib = [row.memory[when][0] / 1024 for when in ("before", "event", "after")]
        print(f"{row.name:22}{row.connections:12}{row.streams:9}{stream[0]:11.1f}{stream[1]:11.1f}{event[0]:10.1f}"
              f"{event[1]:10.1f}{connection[0]:21.1f}{mib[0]:13.1f}{mib[1]:7.1f}{mib[2]:7.1f}")


async def measure(options, testbed, claims):
    tokens = testbed.mint.write(min(2000, options.streams))
    per_connection = -(-options.streams // options.connections)
    if per_connection > 100:
        sys.exit(f"{per_connection} streams of a connection are above the gateway's default limit of 100")
    few = max(1, -(-options.single // per_connection))
    rows = [Row("HTTP/2", "h2c", options.connections, options.streams),
            Row("HTTP/2", "h2c", few, options.single), Row("HTTP/2", "HTTP/1.1", few, options.single),
            Row("HTTP/1.1", "h2c", options.single, options.single),
            Row("HTTP/1.1", "HTTP/1.1", options.single, options.single)]
    for row in rows:
        await row.run(testbed, tokens, options.hold)
    show(rows)
    for row in rows:
        claims.hold(row.events == row.streams, f"{row.name}: one event arrived on each of the {row.streams} streams "
                                               f"({row.events} events)")
        claims.hold(row.left == 0, f"{row.name}: no connection of a client was left at the end ({row.left})")
    most = rows[0].per("event", "before", rows[0].streams)[0]
    claims.hold(most < 64, f"an open stream over HTTP/2 on both sides needs {most:.1f} KiB (bound: 64 KiB)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    parser.add_argument("--connections", type=int, default=100, help="connections with HTTP/2")
    parser.add_argument("--streams", type=int, default=10_000, help="streams with HTTP/2 on both sides")
    parser.add_argument("--single", type=int, default=2_000, help="streams of rows with HTTP/1.1 on a side")
    parser.add_argument("--hold", type=float, default=2, help="seconds before each measurement of the memory")
    options = parser.parse_args()
    most = frames.raise_descriptors()
    if most < 2 * options.single + 500:
        sys.exit(f"the limit of open files is {most}; --single {(most - 500) // 2} is the largest number for it")
    claims = Claims()
    with Testbed(options.gateway) as testbed:
        asyncio.run(measure(options, testbed, claims))
    claims.end()


if __name__ == "__main__":
    main()
