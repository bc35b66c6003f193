#!/usr/bin/env python3
"""Measures WebSocket through a gateway: 10,000 echoed messages, then sockets that a revocation closes.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography websockets
    .build-bench/bin/python Benchmarks/edge/websocket.py [--gatehouse .build/release/gatehouse]
        [--messages 10000] [--times 100]

Client and upstream use Python's `websockets`. The upstream echoes text and binary messages of mixed sizes, one of them
1 MiB, directly and through the gateway, and the script compares order and content. Then a user opens a socket and is
revoked through the admin API, repeatedly. The script prints the time from sending the revocation to the client's close
event. The token is in turn in a header, a subprotocol and a query parameter. Every second socket sends messages
continuously. Another user's socket must remain open. All traffic is on 127.0.0.1."""

import asyncio
import collections
import random
import sys
import time

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from testbed import Claims, Testbed, arguments, quantile, revoke, uid

MIB = 1 << 20
WAYS = ("header", "subprotocol", "query")


def messages(count):
    """Generates the same messages each time: most under 126 bytes, some up to 4 KiB, few up to 64 KiB, and one of 1 MiB
    in the middle."""
    chance, pool = random.Random(1), random.Random(2).randbytes(2 * MIB)
    for number in range(count):
        size = chance.choice([chance.randrange(126)] * 14 + [chance.randrange(4096)] * 5 + [chance.randrange(65536)])
        if number == count // 2:
            size = MIB
        at = chance.randrange(MIB)
        content = b"%08d" % number + pool[at:at + max(0, size - 8)]
        yield content.decode("latin-1") if number % 3 == 0 else content


def open_socket(port, token=None, way="header"):
    headers = {"Authorization": f"Bearer {token}"} if token and way == "header" else {}
    protocols = ["bearer", token] if way == "subprotocol" else None
    query = f"?access_token={token}&room=1" if way == "query" else "?room=1"
    return connect(f"ws://127.0.0.1:{port}/{way}{query}", additional_headers=headers, subprotocols=protocols,
                   compression=None, max_size=4 * MIB, ping_interval=None, proxy=None, open_timeout=10, close_timeout=5)


async def echo(port, count, token=None):
    """Sends and receives all messages concurrently. Returns the seconds, the number of wrong messages, and the total
    size."""
    sent = list(messages(count))
    wrong = 0
    async with open_socket(port, token) as connection:
        began = time.monotonic()

        async def send():
            for message in sent:
                await connection.send(message)

        sending = asyncio.create_task(send())
        for message in sent:
            wrong += await asyncio.wait_for(connection.recv(), 30) != message
        await sending
        return time.monotonic() - began, wrong, sum(len(message) for message in sent)


async def revoke_one(gateway, token, index, way):
    """Revokes the user of a socket. Returns the ms from sending the revocation to the close event, its code, and the
    status of a second handshake."""
    connection = await open_socket(gateway.port, token, way)
    await connection.send("hello")
    assert await connection.recv() == "hello"
    if index % 2:
        busy = asyncio.create_task(keep_busy(connection))
        await asyncio.sleep(0.02)
    closing = asyncio.create_task(closed(connection))
    began = time.monotonic()
    if not await asyncio.to_thread(revoke, gateway, uid(index), int(time.time())):
        sys.exit(f"the revocation of {uid(index)} was not acknowledged")
    ended, code = await closing
    if index % 2:
        await busy
    try:
        again = await open_socket(gateway.port, token, way)
        await again.close()
        return (ended - began) * 1000, code, 101
    except InvalidStatus as denial:
        return (ended - began) * 1000, code, denial.response.status_code


async def keep_busy(connection):
    """Sends a message about every millisecond until the socket is closed."""
    try:
        while True:
            await connection.send("busy")
            await asyncio.sleep(0.001)
    except ConnectionClosed:
        pass


async def closed(connection):
    """Reads until the close event. Returns its monotonic time and code."""
    try:
        async with asyncio.timeout(10):
            while True:
                await connection.recv()
    except ConnectionClosed as event:
        return time.monotonic(), event.rcvd.code if event.rcvd else "no close frame"
    except TimeoutError:
        await connection.close()
        return time.monotonic(), "no close event within 10 s"


def configuration(upstream):
    route = {"upstream": "echo", "upgrade": ["websocket"]}
    return {
        "upstreams": {"echo": {"servers": [f"http://127.0.0.1:{upstream}"]}},
        "routes": [{"path": "/header", **route}, {"path": "/subprotocol", "token_protocol": True, **route},
                   {"path": "/query", "token_query": "access_token", **route}],
    }


async def measure(testbed, options, claims):
    upstream = testbed.upstream("echo").port
    gateway = testbed.gateway(configuration(upstream))
    token = testbed.mint.token(10_000_000)
    print(f"{options.messages} echoed messages, one of 1 MiB")
    print(f"{'':16}{'seconds':>9}{'messages/s':>12}{'MiB/s':>8}{'wrong':>7}")
    for name, port in (("directly", upstream), ("the gateway", gateway.port)):
        seconds, wrong, size = await echo(port, options.messages, token)
        print(f"{name:16}{seconds:9.2f}{options.messages / seconds:12.0f}{size / MIB / seconds:8.1f}{wrong:7}")
    claims.hold(wrong == 0, f"{options.messages} messages returned through the gateway in order and unchanged")
    bystander = await open_socket(gateway.port, token)
    times, codes, again = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for index in range(options.times):
        way = WAYS[index % len(WAYS)]
        milliseconds, code, status = await revoke_one(gateway, testbed.mint.token(index), index, way)
        times[way].append(milliseconds)
        codes[code] += 1
        again[status] += 1
        await bystander.send(str(index))
        assert await bystander.recv() == str(index)
    report(times, codes, again, options, claims)
    await asyncio.sleep(0.5)
    await bystander.send("?connections")
    left = await bystander.recv()
    claims.hold(left == "1", "the upstream's sockets of revoked users are closed, and the other user's socket is open; "
                             f"open sockets: {left}")


def report(times, codes, again, options, claims):
    print(f"\nms from sending the revocation to the client's close event, {options.times} times")
    print(f"{'token as':16}{'times':>7}{'p50':>9}{'p90':>9}{'max':>9}")
    everything = [value for values in times.values() for value in values]
    for name, values in [*times.items(), ("all", everything)]:
        print(f"{name:16}{len(values):7}" + "".join(f"{quantile(values, share):9.2f}" for share in (0.5, 0.9, 1)))
    claims.hold(codes == {1008: options.times}, f"each socket was closed with code 1008: {dict(codes)}")
    claims.hold(max(everything) < 1000,
                f"each socket was closed within a second; the slowest took {max(everything):.1f} ms")
    claims.hold(again == {401: options.times}, f"no socket could be opened again: {dict(again)}")


def main():
    options = arguments(__doc__, ("messages", 10_000, "echoed messages"), ("times", 100, "revocations"))
    claims = Claims()
    with Testbed(options.gatehouse) as testbed:
        asyncio.run(measure(testbed, options, claims))
    claims.end()


if __name__ == "__main__":
    main()
