"""A TCP proxy before each Redis. It delays, resets, loses replies, and leaves connections half-open, for each source
separately.

Packets cannot be delayed or lost at the links, because `tc netem` is a module that kernels may lack."""

import asyncio
import dataclasses
import socket


@dataclasses.dataclass
class Rule:
    """The treatment of the connections of one source. Probabilities are per chunk of data."""
    delay: float = 0
    jitter: float = 0
    reset: float = 0
    lose_replies: float = 0
    silent: str = ""  # `both`, `requests` or `replies`: these bytes vanish, and the connection stays open


class Proxy:
    """Forwards connections at a listening socket to a local socket of the server."""

    def __init__(self, listener, target, name_of, random):
        self.listener, self.target, self.name_of, self.random = listener, target, name_of, random
        self.rules = {}
        self.connections = set()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, sock=self.listener)

    def rule(self, source):
        return self.rules.get(source) or Rule()

    def set(self, source, rule):
        """Sets or removes the rule of a source. Connections that lost bytes are reset with the removal."""
        if rule is None:
            self.rules.pop(source, None)
            for connection in list(self.connections):
                if connection.source == source and connection.has_gap:
                    connection.reset()
        else:
            self.rules[source] = rule

    async def accept(self, reader, writer):
        peer = writer.get_extra_info("peername")
        connection = Connection(self, self.name_of(peer[0]), writer)
        self.connections.add(connection)
        try:
            await connection.run(reader)
        except asyncio.CancelledError:
            pass
        finally:
            self.connections.discard(connection)
            connection.reset()


class Connection:
    def __init__(self, proxy, source, client):
        self.proxy, self.source, self.client, self.server = proxy, source, client, None
        self.has_gap = False
        client.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def reset(self):
        for writer in (self.client, self.server):
            if writer is not None:
                writer.transport.abort()

    async def run(self, reader):
        try:
            replies, self.server = await asyncio.open_unix_connection(self.proxy.target)
        except OSError:
            return
        pumps = [asyncio.ensure_future(self.pump(reader, self.server, "requests")),
                 asyncio.ensure_future(self.pump(replies, self.client, "replies"))]
        _, pending = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in pending:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)

    async def pump(self, reader, writer, direction):
        """Forwards one direction until its end."""
        queue = asyncio.Queue()
        sender = asyncio.ensure_future(self.send(queue, writer))
        loop, random, due = asyncio.get_running_loop(), self.proxy.random, 0
        try:
            while not sender.done():
                data = await reader.read(1 << 16)
                if not data:
                    break
                rule = self.proxy.rule(self.source)
                if random.random() < rule.reset:
                    return
                loses = direction == "replies" and random.random() < rule.lose_replies
                if loses or rule.silent in ("both", direction):
                    self.has_gap = self.has_gap or not loses
                    continue
                wait = rule.delay + random.random() * rule.jitter
                due = max(due, loop.time() + wait)
                queue.put_nowait((due, data))
            queue.put_nowait((due, b""))
            await sender
        except OSError:
            pass
        finally:
            sender.cancel()

    async def send(self, queue, writer):
        loop = asyncio.get_running_loop()
        while True:
            due, data = await queue.get()
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            if not data:
                return
            writer.write(data)
            await writer.drain()
