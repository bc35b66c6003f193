#!/usr/bin/env python3
"""Measures the CPU time of a request with the operators' console off, on, open and streaming to viewers.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/console/cost.py [--rounds 5] [--seconds 10]
        [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: gateways with one worker, wrk with 64 connections, CPU time of the
gateway from /proc, all rows in each round. One gateway has the console and one does not. The row `open` makes the
requests of ten pages of the overview, each once per 10 s; `ten viewers` reads ten streams of decisions at the default
rate, and `ten viewers, highest rate` at 200 decisions per second each. The last column is the resident memory of the
gateway after the measurement. All traffic is on 127.0.0.1."""

import contextlib
import http.client
import pathlib
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from costs import arguments, compare, measure  # noqa: E402
from fleet import ADMIN_TOKEN, Fleet, resident  # noqa: E402

VIEWERS = 10


class Reader(threading.Thread):
    """Reads responses of the admin API until the end of the `with` block, and counts their bytes. A stream is one
    response. Other paths are read in turn, with a pause after each round."""

    def __init__(self, gateway, paths, pause=None):
        super().__init__(daemon=True)
        self.gateway, self.paths, self.pause = gateway, paths, pause
        self.ended, self.bytes, self.failure = threading.Event(), 0, None
        self.socket = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        # A stream without decisions would be read until its next comment.
        with contextlib.suppress(AttributeError, OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.join()
        if self.failure or not self.bytes:
            sys.exit(f"{self.paths}: {self.failure or 'no data'}")

    def run(self):
        try:
            while not self.ended.is_set():
                for path in self.paths:
                    self.read(path)
                if self.pause:
                    self.ended.wait(self.pause)
        except (OSError, http.client.HTTPException) as error:
            if not self.ended.is_set():
                self.failure = error

    def read(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.gateway.admin, timeout=30)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
            # The response takes the socket of a connection that ends with it.
            self.socket = connection.sock
            response = connection.getresponse()
            if response.status != 200:
                raise http.client.HTTPException(f"{path} is {response.status}")
            while not self.ended.is_set() and (data := response.read1(65536)):
                self.bytes += len(data)
        finally:
            connection.close()


def main():
    options = arguments(__doc__, "all rows")
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        off = fleet.gateway("off", port=9597, admin=9598)
        on = fleet.gateway("on", port=9599, admin=9600, console=True)

        def row(gateway, *readers):
            def measurement():
                with contextlib.ExitStack() as stack:
                    for make in readers:
                        stack.enter_context(make())
                    found = measure(fleet, gateway, "/replicated/x", options.seconds)
                return found | {"memory": resident(gateway.pid)}
            return measurement

        def page():
            return Reader(on, ["/v1/status", "/v1/history"], pause=10)

        def viewer(rate):
            return lambda: Reader(on, [f"/v1/decisions?rate={rate}"])

        compare(options, {
            "off": row(off), "on": row(on), "open": row(on, *[page] * VIEWERS),
            "ten viewers": row(on, *[viewer(20)] * VIEWERS),
            "ten viewers, highest rate": row(on, *[viewer(200)] * VIEWERS),
        }, further=[("memory", "RSS MiB", 10, 1)])


if __name__ == "__main__":
    main()
