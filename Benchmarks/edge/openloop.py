"""An open loop of requests: they start at fixed times, independent of the results of earlier requests."""

import asyncio
import dataclasses
import re
import time

LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


@dataclasses.dataclass
class Result:
    """The result of one request. `status` is 0 if there was no response. Times are monotonic seconds."""

    began: float
    ended: float
    status: int
    body: str


class OpenLoop:
    """A load on one port. Connections are reused; a request opens a new one if none is free."""

    def __init__(self, port, rate, head, timeout=10):
        self.port, self.interval, self.head, self.timeout = port, 1 / rate, head, timeout
        self.free, self.results, self.running = [], [], set()

    async def run(self, seconds):
        start = time.monotonic()
        for number in range(int(seconds / self.interval)):
            due = start + number * self.interval
            await asyncio.sleep(max(0, due - time.monotonic()))
            task = asyncio.create_task(self.one(due))
            self.running.add(task)
            task.add_done_callback(self.running.discard)
        await asyncio.gather(*self.running)
        for _, writer in self.free:
            writer.close()

    async def one(self, due):
        status, body = 0, ""
        try:
            async with asyncio.timeout(self.timeout):
                reader, writer = self.free.pop() if self.free else await asyncio.open_connection("127.0.0.1", self.port)
                try:
                    writer.write(self.head)
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = LENGTH.search(head)
                    body = (await reader.readexactly(int(length[1]) if length else 0)).decode()
                    status = int(head[9:12])
                finally:
                    if status and b"\r\nconnection: close" not in head.lower():
                        self.free.append((reader, writer))
                    else:
                        writer.close()
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            pass
        self.results.append(Result(due, time.monotonic(), status, body))
