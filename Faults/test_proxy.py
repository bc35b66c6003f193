#!/usr/bin/env python3
"""Tests of the proxy and of the client: python3 Faults/test_proxy.py"""

import asyncio
import pathlib
import random
import socket
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import client  # noqa: E402
from proxy import Proxy, Rule  # noqa: E402


class ProxyTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.folder = tempfile.TemporaryDirectory()
        path = f"{self.folder.name}/server.sock"
        self.received = []

        async def echo(reader, writer):
            try:
                while data := await reader.read(100):
                    self.received.append(data)
                    writer.write(data)
            except (OSError, asyncio.CancelledError):
                pass
            writer.close()

        self.server = await asyncio.start_unix_server(echo, path)
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.proxy = Proxy(listener, path, lambda address: "g1", random.Random(1))
        await self.proxy.start()
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def asyncTearDown(self):
        self.writer.close()
        for server in (self.proxy.server, self.server):
            server.close()
        self.folder.cleanup()

    async def reply(self, data, seconds=60):
        self.writer.write(data)
        return await asyncio.wait_for(self.reader.read(100), seconds)

    async def test_it_forwards(self):
        self.assertEqual(await self.reply(b"one"), b"one")
        self.assertEqual(await self.reply(b"two"), b"two")

    async def test_it_delays_and_keeps_the_order(self):
        self.proxy.set("g1", Rule(delay=0.1))
        begin = time.monotonic()
        self.assertEqual(await self.reply(b"slow"), b"slow")
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)
        self.assertEqual(await self.reply(b"next"), b"next")

    async def test_it_treats_only_the_source_of_the_rule(self):
        self.proxy.set("g2", Rule(silent="both"))
        self.assertEqual(await self.reply(b"one"), b"one")

    async def test_it_resets(self):
        self.proxy.set("g1", Rule(reset=1))
        try:
            self.assertEqual(await self.reply(b"one"), b"")
        except ConnectionResetError:
            pass
        self.assertEqual(self.received, [])

    async def test_it_loses_replies(self):
        self.proxy.set("g1", Rule(lose_replies=1))
        with self.assertRaises(asyncio.TimeoutError):
            await self.reply(b"one", 0.2)
        self.assertEqual(self.received, [b"one"])
        self.proxy.set("g1", None)
        self.assertEqual(await self.reply(b"two"), b"two")

    async def test_a_half_open_connection_is_reset_at_the_end(self):
        self.proxy.set("g1", Rule(silent="requests"))
        with self.assertRaises(asyncio.TimeoutError):
            await self.reply(b"one", 0.2)
        self.assertEqual(self.received, [])
        self.proxy.set("g1", None)
        try:
            self.assertEqual(await asyncio.wait_for(self.reader.read(1), 60), b"")
        except ConnectionResetError:
            pass


class ClientTests(unittest.TestCase):
    def test_an_incomplete_response_is_no_response(self):
        for data in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"):
            self.assertIsNone(client.parse(data).status)

    def test_a_response(self):
        response = client.parse(b'HTTP/1.1 401 X\r\nContent-Length: 12\r\nSet-Cookie: __session=abc; Path=/\r\n\r\n'
                                b'{"code":"a"}')
        self.assertEqual((response.status, response.code, response.cookie), (401, "a", "abc"))
        self.assertIsNone(client.parse(b"HTTP/1.1 200 OK\r\nSet-Cookie: __session=; Max-Age=0\r\n\r\n").cookie)


if __name__ == "__main__":
    unittest.main()
