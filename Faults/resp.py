"""Commands to a Redis over its local socket, past the proxy."""

import asyncio


class Failure(str):
    """A reply that is an error."""


async def read(reader):
    """Reads one reply: a `str`, a number, `None`, a list, or a `Failure`."""
    line = (await reader.readuntil(b"\r\n"))[:-2].decode("latin-1")
    kind, rest = line[:1], line[1:]
    if kind == "+":
        return rest
    if kind == "-":
        return Failure(rest)
    if kind == ":":
        return int(rest)
    if int(rest) < 0:
        return None
    if kind == "*":
        return [await read(reader) for _ in range(int(rest))]
    return (await reader.readexactly(int(rest) + 2))[:-2].decode("latin-1")


async def ask(path, *commands, timeout=0.5):
    """Sends commands in one pipeline. Returns the list of their replies, or `None` if the server does not respond."""
    async def run():
        reader, writer = await asyncio.open_unix_connection(str(path), limit=1 << 20)
        try:
            for words in commands:
                encoded = [str(word).encode("latin-1") for word in words]
                parts = [b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded]
                writer.write(b"*%d\r\n%s" % (len(words), b"".join(parts)))
            return [await read(reader) for _ in commands]
        finally:
            writer.transport.abort()
    try:
        return await asyncio.wait_for(run(), timeout)
    except (OSError, ValueError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError):
        return None
