"""Ordinary requests over HTTP/2 at fixed times, in a process of their own."""

import asyncio
import collections
import multiprocessing
import time

import frames


class Client(frames.Frames):
    """A connection with concurrent requests."""

    def __init__(self):
        super().__init__(frames.begin())
        self.number, self.waiting, self.statuses = -1, {}, {}

    def send(self, path, token):
        """Sends a request. Returns a future of whether its response was complete and had the status 200."""
        self.number += 2
        self.waiting[self.number] = asyncio.get_running_loop().create_future()
        self.transport.write(frames.request(self.number, frames.head(path, token=token)))
        return self.waiting[self.number]

    def received(self, kind, flags, stream, payload):
        if kind == frames.HEADERS:
            self.statuses[stream] = payload[:1] == frames.OK
        if kind in (frames.HEADERS, frames.DATA) and flags & frames.END_STREAM:
            self.end(stream, "correct" if self.statuses.pop(stream, False) else "another status")
        elif kind == frames.RESET:
            self.end(stream, f"RST_STREAM {frames.code_of(payload)}")

    def end(self, stream, result):
        found = self.waiting.pop(stream, None)
        if found and not found.done():
            found.set_result(result)

    def connection_lost(self, error):
        super().connection_lost(error)
        for stream in list(self.waiting):
            self.end(stream, "no response (closed)")


class Load:
    """Requests with a fixed rate, divided among connections."""

    def __init__(self, port, path, tokens, rate, seconds, connections=10, timeout=10):
        self.port, self.path, self.tokens, self.rate, self.seconds = port, path, tokens, rate, seconds
        self.connections, self.timeout = connections, timeout
        self.times, self.counts = [], collections.Counter()

    def run(self):
        asyncio.run(self.all())
        return self.times, dict(self.counts)

    async def all(self):
        loop, running = asyncio.get_running_loop(), set()
        connect = loop.create_connection
        clients = [(await connect(Client, "127.0.0.1", self.port))[1] for _ in range(self.connections)]
        start = time.monotonic()
        for count in range(int(self.seconds * self.rate)):
            due = start + count / self.rate
            await asyncio.sleep(max(0, due - time.monotonic()))
            place = count % len(clients)
            if clients[place].closed.done():
                clients[place] = (await connect(Client, "127.0.0.1", self.port))[1]
            task = asyncio.create_task(self.one(clients[place], self.tokens[count % len(self.tokens)], due))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)
        for client in clients:
            client.transport.close()

    async def one(self, client, token, due):
        try:
            result = await asyncio.wait_for(client.send(self.path, token), self.timeout)
        except TimeoutError:
            result = "timeout"
        self.times.append((time.monotonic() - due) * 1000)
        self.counts[result] += 1


def in_process(target, *arguments):
    """Runs `target(*arguments)` in a new process. Returns the pipe that will receive the result, or its end if the
    process fails."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=lambda: theirs.send(target(*arguments)), daemon=True)
    process.start()
    theirs.close()
    return ours
