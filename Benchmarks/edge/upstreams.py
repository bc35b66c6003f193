"""The upstream servers of the gateways: `python3 upstreams.py KIND PORT [NAME]`. Each listens on 127.0.0.1 until it is
killed."""

import asyncio
import json
import re
import signal
import socket
import struct
import sys
import time


async def echo(port):
    """WebSocket: echoes each message. The text `?connections` returns the number of open connections, and `?head` the
    path and fields of the handshake."""
    from websockets.asyncio.server import serve

    is_open = set()

    async def handle(connection):
        is_open.add(connection)
        try:
            async for message in connection:
                if message == "?connections":
                    message = str(len(is_open))
                elif message == "?head":
                    message = json.dumps([connection.request.path, list(connection.request.headers.raw_items())])
                await connection.send(message)
        finally:
            is_open.discard(connection)

    async with serve(handle, "127.0.0.1", port, max_size=4 << 20, compression=None, ping_interval=None) as server:
        await server.serve_forever()


async def events(port):
    """Server-sent events: `/events?count=N&every=MS`. Each event contains its sending time in monotonic nanoseconds."""

    async def handle(reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b"\r\n")[0].decode()
            query = {name: int(value) for name, value in re.findall(r"(count|every)=(\d+)", target)}
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n")
            for number in range(query.get("count", 10)):
                await asyncio.sleep(query.get("every", 5) / 1000)
                event = f"id: {number}\ndata: {time.monotonic_ns()}\n\n".encode()
                writer.write(b"%x\r\n%s\r\n" % (len(event), event))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", port)
    for connection in server.sockets:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    await server.serve_forever()


async def failing(port, name):
    """HTTP: responds with its name. After SIGUSR1 it resets the connection of each request. After SIGUSR2 each response
    takes 2 s. SIGHUP restores normal operation."""
    mode = "normal"

    def set_mode(new):
        nonlocal mode
        mode = new

    loop = asyncio.get_running_loop()
    for number, new in ((signal.SIGUSR1, "resets"), (signal.SIGUSR2, "slow"), (signal.SIGHUP, "normal")):
        loop.add_signal_handler(number, set_mode, new)
    response = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(name)}\r\n\r\n{name}".encode()

    async def handle(reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                if mode == "resets":
                    connection = writer.get_extra_info("socket")
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return writer.transport.abort()
                if mode == "slow":
                    await asyncio.sleep(2)
                writer.write(response)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    kind, port, *more = sys.argv[1:]
    asyncio.run({"echo": echo, "events": events, "failing": failing}[kind](int(port), *more))
