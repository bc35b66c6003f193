"""Frames of HTTP/2 and their streams, without the checks of a library, so that any frame can be sent."""

import asyncio
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 0x1, 0x1, 0x4, 0x8
LARGEST_WINDOW = (1 << 31) - 1
CODES = {0: "NO_ERROR", 1: "PROTOCOL_ERROR", 2: "INTERNAL_ERROR", 3: "FLOW_CONTROL_ERROR", 4: "SETTINGS_TIMEOUT",
         5: "STREAM_CLOSED", 6: "FRAME_SIZE_ERROR", 7: "REFUSED_STREAM", 8: "CANCEL", 9: "COMPRESSION_ERROR",
         10: "CONNECT_ERROR", 11: "ENHANCE_YOUR_CALM", 12: "INADEQUATE_SECURITY", 13: "HTTP_1_1_REQUIRED"}
# `:status: 200`, an index of the static table.
OK = b"\x88"


def frame(kind, payload=b"", stream=0, flags=0):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def settings(*entries):
    """A SETTINGS frame of (identifier, value) pairs."""
    return frame(SETTINGS, b"".join(struct.pack(">HI", *entry) for entry in entries))


def window(increment, stream=0):
    return frame(WINDOW_UPDATE, struct.pack(">I", increment), stream)


def reset(stream, code=8):
    return frame(RESET, struct.pack(">I", code), stream)


def integer(value, bits, first=0):
    """An integer of HPACK (RFC 7541 section 5.1)."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes((first | value,))
    out, value = bytearray((first | limit,)), value - limit
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes((value,))


def literal(name, value):
    """A field that is not added to the compression table."""
    name, value = name.encode(), value.encode()
    return b"\0" + integer(len(name), 7) + name + integer(len(value), 7) + value


def head(path="/", method="GET", token=None, more=()):
    """The block of a request's fields."""
    fields = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "bench.example"), *more]
    if token:
        fields.append(("authorization", f"Bearer {token}"))
    return b"".join(literal(name, value) for name, value in fields)


def request(stream, block, ends=True):
    return frame(HEADERS, block, stream, END_HEADERS | (END_STREAM if ends else 0))


def begin(*entries):
    """The beginning of a client's connection: its settings, the largest window, and the acknowledgement of the
    settings that the gateway is about to send."""
    return PREFACE + settings(*entries) + window(LARGEST_WINDOW - 65535) + frame(SETTINGS, flags=ACK)


def raise_descriptors():
    """Raises the limit of open files of this process, and of processes that it starts, to its maximum."""
    import resource
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def code_of(payload, offset=0):
    number = struct.unpack_from(">I", payload, offset)[0]
    return CODES.get(number, hex(number))


class Frames(asyncio.Protocol):
    """One side of a connection. Subclasses handle frames in `received`. The client's side sends `first` at once; the
    server's side skips the preface."""

    def __init__(self, first=b"", skip=0):
        self.first, self.skip, self.rest, self.transport = first, skip, b"", None
        self.unacknowledged, self.closed = 0, asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.first)

    def data_received(self, data):
        data = self.rest + data
        at = 0
        if self.skip:
            at = min(self.skip, len(data))
            self.skip -= at
        while len(data) - at >= 9:
            length = data[at] << 16 | data[at + 1] << 8 | data[at + 2]
            if len(data) - at < 9 + length:
                break
            stream = struct.unpack_from(">I", data, at + 5)[0] & LARGEST_WINDOW
            self.take(data[at + 3], data[at + 4], stream, data[at + 9:at + 9 + length])
            at += 9 + length
        self.rest = data[at:]

    def take(self, kind, flags, stream, payload):
        if kind == SETTINGS and not flags & ACK:
            self.settled()
        elif kind == PING and not flags & ACK:
            self.transport.write(frame(PING, payload, flags=ACK))
        elif kind == DATA and payload:
            self.opened(stream, len(payload))
        self.received(kind, flags, stream, payload)

    def settled(self):
        """Handles the settings of the peer. A client has acknowledged them in advance."""

    def opened(self, stream, count):
        """Opens the window of the connection again, in few frames."""
        self.unacknowledged += count
        if self.unacknowledged > 1 << 20:
            self.transport.write(window(self.unacknowledged))
            self.unacknowledged = 0

    def received(self, kind, flags, stream, payload):
        pass

    def connection_lost(self, error):
        if not self.closed.done():
            self.closed.set_result(error)


class EventServer(Frames):
    """The side of an upstream with h2c that begins an event stream for each request, and keeps it open."""

    everyone = set()
    # Content-Type by its index in the static table.
    HEAD = OK + b"\x0f\x10" + integer(17, 7) + b"text/event-stream"
    EVENT = b"data: 1\n\n"

    def __init__(self):
        super().__init__(settings((3, 1000)), skip=len(PREFACE))
        self.open = set()
        self.everyone.add(self)

    def settled(self):
        self.transport.write(frame(SETTINGS, flags=ACK))

    def received(self, kind, flags, stream, payload):
        if kind == HEADERS:
            self.open.add(stream)
            self.transport.write(frame(HEADERS, self.HEAD, stream, END_HEADERS) + frame(DATA, self.EVENT, stream))
        elif kind == RESET:
            self.open.discard(stream)

    def event(self):
        self.transport.write(b"".join(frame(DATA, self.EVENT, stream) for stream in self.open))

    def connection_lost(self, error):
        self.everyone.discard(self)
        super().connection_lost(error)
