#!/usr/bin/env python3
"""Tests of the commands to Redis and of the topology of a cluster: python3 Faults/test_slots.py"""

import asyncio
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import resp  # noqa: E402
import slots  # noqa: E402

ID = "07c37dfeb235213a872192d90877d0cd55635b91"


class ReplyTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path, self.received, self.replies = f"{self.folder.name}/redis.sock", b"", b""

        async def handle(reader, writer):
            self.received += await reader.read(1000)
            writer.write(self.replies)
            if self.replies:
                writer.close()
            await reader.read()
            writer.transport.abort()

        self.server = await asyncio.start_unix_server(handle, self.path)

    async def asyncTearDown(self):
        self.server.close()
        await asyncio.sleep(0.01)
        self.folder.cleanup()

    async def test_replies_of_each_kind(self):
        self.replies = b"+OK\r\n-MOVED 1 a:1\r\n:-2\r\n$-1\r\n*2\r\n$4\r\na\r\nb\r\n*-1\r\n"
        found = await resp.ask(self.path, *[("A",)] * 5)
        self.assertEqual(found, ["OK", "MOVED 1 a:1", -2, None, ["a\r\nb", None]])
        self.assertEqual([isinstance(reply, resp.Failure) for reply in found], [False, True, False, False, False])
        self.assertTrue(self.received.startswith(b"*1\r\n$1\r\nA\r\n"))

    async def test_a_server_that_does_not_respond(self):
        self.assertIsNone(await resp.ask(self.path, ("PING",), timeout=0.05))
        self.replies = b"$5\r\nab"
        self.assertIsNone(await resp.ask(self.path, ("PING",)))
        self.assertIsNone(await resp.ask(self.path + "x", ("PING",)))


class LineTests(unittest.TestCase):
    def line(self, words, flags="myself,master"):
        found = slots.lines(f"{ID} 198.18.1.2:6379@16379 {flags} - 0 1 7 connected {words}".rstrip() + "\n")
        self.assertEqual(len(found), 1)
        return found[0]

    def test_the_owner_of_a_slot(self):
        self.assertTrue(self.line("0-5460 7783").owns(7783))
        self.assertTrue(self.line("5461-10922").owns(7783))
        self.assertFalse(self.line("5461-7782 7784-10922 [7783-<-ab]").owns(7783))
        self.assertFalse(self.line("").owns(7783))

    def test_a_slot_that_is_being_moved(self):
        self.assertTrue(self.line(f"5461-10922 [7783->-{ID}]").is_moving(7783))
        self.assertTrue(self.line(f"0-5460 [7783-<-{ID}]").is_moving(7783))
        self.assertFalse(self.line(f"5461-10922 [778->-{ID}]").is_moving(7783))

    def test_the_role_and_the_address(self):
        line = self.line("", "slave,handshake")
        self.assertEqual((line.is_self, line.is_master, line.is_known), (False, False, False))
        self.assertEqual(line.address, "198.18.1.2")
        self.assertEqual(slots.lines(resp.Failure("ERR a b c d e f g h")), [])
        self.assertEqual(slots.lines(None), [])


if __name__ == "__main__":
    unittest.main()
