"""A raw HTTP client on asyncio: one connection per request, and no repetition."""

import asyncio
import json


class Response:
    """A response. The status is `None` if there is none, and `error` has the reason."""

    def __init__(self, status=None, head="", body=b"", error=None):
        self.status, self.head, self.body, self.error = status, head, body, error

    @property
    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def code(self):
        found = self.json if self.status and self.status >= 400 else None
        return found.get("code") if isinstance(found, dict) else None

    @property
    def cookie(self):
        """The value of the session cookie. `None` if the response sets none."""
        for line in self.head.split("\r\n"):
            name, _, value = line.partition(":")
            if name.lower() == "set-cookie" and value.strip().startswith("__session="):
                return value.strip()[len("__session="):].partition(";")[0] or None
        return None


async def exchange(address, port, method, path, fields=(), body=None, timeout=10):
    """Sends a request and returns its response."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {address}:{port}", "Connection: close", *fields]
    if body is not None:
        body = json.dumps(body).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    elif method == "POST":
        lines.append("Content-Length: 0")
    data = "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")
    try:
        return await asyncio.wait_for(transfer(address, port, data), timeout)
    except asyncio.TimeoutError:
        return Response(error="timeout")
    except (OSError, ValueError) as error:
        return Response(error=type(error).__name__)


async def transfer(address, port, data):
    reader, writer = await asyncio.open_connection(address, port)
    try:
        writer.write(data)
        return parse(await reader.read())
    finally:
        writer.transport.abort()


def parse(data):
    """Returns the response that `data` contains. Fails if it is not complete."""
    head, separator, body = data.partition(b"\r\n\r\n")
    if not separator:
        return Response(error="closed")
    head = head.decode("latin-1")
    status = int(head.split(" ", 2)[1])
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "content-length" and int(value) > len(body):
            return Response(error="closed")
        if name.lower() == "transfer-encoding" and not body.endswith(b"0\r\n\r\n"):
            return Response(error="closed")
    return Response(status, head, body)
