#!/usr/bin/env python3
"""Performs 1,000 reloads under load between two configurations, and replaces certificates under load.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/edge/reload.py [--gatehouse .build/release/gatehouse]
        [--reloads 1000] [--certificates 50] [--connections 8]

A and B differ in the upstream, the prefix of the identity fields, an extra field, the removed prefix of the path, a
response field, and the permitted users: `/x/v/who` requires a token with A and none with B. Each response identifies
the value of each difference, and all values must belong to one configuration. A request with a token must always pass.
A request without a token must be denied by A or pass with B. No connection may end without a response. Every 50th
configuration is invalid: it must be rejected, and the current one must remain. SIGHUP requests a reload; the reload is
complete when the gateway's metrics count it.

Then the script replaces the files of a TLS listener, first the certificate, later the key, while clients open new
connections and verify the certificate. The gateway checks the files every 500 ms. No handshake may fail, and each new
certificate must be served within 5 s. All traffic is on 127.0.0.1."""

import asyncio
import collections
import os
import pathlib
import signal
import ssl
import time

from testbed import Claims, Testbed, arguments, free_port, metrics, quantile, write

WORKERS = 2
INVALID_EVERY = 50


class Sides:
    """The two configurations of a gateway and their upstream servers."""

    def __init__(self, testbed):
        self.ports = {"a": free_port(), "b": free_port()}
        fields = "[$http_x_a_uid] [$http_x_b_uid] [$http_x_mark_a] [$http_x_mark_b]"
        servers = "\n".join(
            f"server {{ listen 127.0.0.1:{port}; location / {{ return 200 '{name} {fields} $uri'; }} }}"
            for name, port in self.ports.items())
        testbed.nginx("upstreams", servers)
        for port in self.ports.values():
            testbed.await_port(port)

    def sections(self, side):
        route = {"path": "/x/**", "upstream": "api", "strip_prefix": "/x" if side == "a" else "/x/v",
                 "auth": "required" if side == "a" else "optional"}
        return {
            "workers": WORKERS, "reload": {"watch": None},
            "upstreams": {"api": {"servers": [f"http://127.0.0.1:{self.ports[side]}"]}},
            "headers": {"prefix": f"X-{side.upper()}-", "extra": {f"X-Mark-{side.upper()}": "token.email"}},
            "routes": [route], "response_headers": {"set": {"X-Side": side}},
        }


async def send(reader, writer, token):
    """Sends a request. Returns the head of the response in lower case, and the body."""
    field = f"Authorization: Bearer {token}\r\n" if token else ""
    writer.write(f"GET /x/v/who HTTP/1.1\r\nHost: bench\r\n{field}\r\n".encode())
    async with asyncio.timeout(20):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("\r\ncontent-length:")[2].partition("\r\n")[0])
        return head, (await reader.readexactly(length)).decode()


class Client:
    """Sends requests continuously on one connection, and classifies the responses."""

    def __init__(self, port, tokens, counts):
        self.port, self.tokens, self.counts, self.stop = port, tokens, counts, False

    async def run(self):
        reader = writer = None
        number = 0
        while not self.stop:
            index, number = number % len(self.tokens), number + 1
            token = self.tokens[index] if number % 4 else None
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                head, body = await send(reader, writer, token)
                self.counts[self.classify(index, token, int(head[9:12]), head, body)] += 1
                if "\r\nconnection: close" in head:
                    self.counts["connection closed after a response"] += 1
                    writer.close()
                    writer = None
            except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
                self.counts[f"LOST: {type(error).__name__}"] += 1
                writer = None
            await asyncio.sleep(0)

    @staticmethod
    def classify(index, token, status, head, body):
        field = head.partition("\r\nx-side:")[2].partition("\r\n")[0].strip()
        if status == 401 and not token:
            return "a, denied" if field == "a" else f"MIXED: 401 with x-side {field!r}"
        if status != 200:
            return f"LOST: {status} {body[:200]}"
        side = body[:1]
        user = f"bench-user-{index:016d}" if token else ""
        email = f"user{index}@bench.example" if token else ""
        names = [f"[{user if side == s else ''}]" for s in "ab"] + [f"[{email if side == s else ''}]" for s in "ab"]
        expected = " ".join([side, *names, "/v/who" if side == "a" else "/who"])
        if body != expected or field != side or (side == "a" and not token):
            return f"MIXED: x-side {field!r}, token {bool(token)}: {body}"
        return side


def reloads(gateway):
    """Returns the total number of accepted and of rejected reloads."""
    counters = [(name, value) for name, value in metrics(gateway).items()
                if name.startswith("gatehouse_config_reloads_total")]
    return [sum(value for name, value in counters if f'result="{result}"' in name) for result in ("ok", "refused")]


async def until(gateway, accepted, rejected):
    """Waits up to 10 s for the total numbers of accepted and rejected reloads. Returns the seconds; `None` after the
    timeout."""
    began = time.monotonic()
    while time.monotonic() < began + 10:
        found = await asyncio.to_thread(reloads, gateway)
        if found[0] >= accepted and found[1] >= rejected:
            return time.monotonic() - began
        await asyncio.sleep(0.002)
    return None


async def decided_by(gateway, token):
    """Sends a request on a new connection. Returns the side that decided it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    try:
        return (await send(reader, writer, token))[1][:1]
    finally:
        writer.close()


async def reload_all(gateway, sides, base, token, options):
    """Performs all reloads. Returns the ms of each accepted reload, the number of reloads that the metrics did not
    count, and the number of requests after a counted reload that another configuration decided."""
    times, missed, stale, current = [], 0, 0, "a"
    for number in range(options.reloads):
        accepted, rejected = reloads(gateway)
        invalid = number % INVALID_EVERY == INVALID_EVERY - 1
        side = "b" if current == "a" else "a"
        sections = sides.sections(side)
        if invalid:
            sections |= {"routes": [{"path": "/x", "upstream": "nowhere"}]}
        write(gateway.file, base | sections)
        os.kill(gateway.pid, signal.SIGHUP)
        seconds = await until(gateway, accepted + (not invalid), rejected + invalid)
        missed += seconds is None
        if seconds is not None and not invalid:
            times.append(seconds * 1000)
            current = side
        stale += await decided_by(gateway, token) != current
    return times, missed, stale


def resources(process):
    """Returns the resident memory of a process in MiB, its open descriptors, and its threads."""
    folder = pathlib.Path(f"/proc/{process.pid}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) / 1024, len(list((folder / "fd").iterdir())), int(status["Threads"])


async def configurations(testbed, options, claims):
    sides = Sides(testbed)
    gateway = testbed.gateway(sides.sections("a"))
    base = testbed.base(gateway.port, gateway.admin)
    tokens, counts = testbed.mint.write(50), collections.Counter()
    clients = [Client(gateway.port, tokens, counts) for _ in range(options.connections)]
    running = [asyncio.create_task(client.run()) for client in clients]
    await asyncio.sleep(0.5)
    before, began = resources(gateway), time.monotonic()
    times, missed, stale = await reload_all(gateway, sides, base, tokens[0], options)
    seconds = time.monotonic() - began
    after = resources(gateway)
    for client in clients:
        client.stop = True
    await asyncio.gather(*running)
    accepted, rejected = reloads(gateway)
    print(f"{options.reloads} reloads within {seconds:.1f} s, {options.connections} connections, {WORKERS} workers: "
          f"{accepted:.0f} accepted, {rejected:.0f} invalid ones rejected")
    print(f"ms from SIGHUP to the metrics: p50 {quantile(times, 0.5):.1f}, p99 {quantile(times, 0.99):.1f}, "
          f"max {quantile(times, 1):.1f}")
    print("responses:")
    for name, count in sorted(counts.items()):
        print(f"    {name:40}{count:9}")
    count = sum(counts[name] for name in ("a", "b", "a, denied"))
    lost, mixed = (sum(n for name, n in counts.items() if name.startswith(kind)) for kind in ("LOST", "MIXED"))
    claims.hold(missed == 0, f"the metrics counted {options.reloads - missed} of {options.reloads} reloads as expected")
    claims.hold(lost == 0, f"{lost} of {count + lost + mixed} requests were lost")
    claims.hold(mixed == 0, f"{mixed} of {count + lost + mixed} requests were decided by a mixture of configurations")
    claims.hold(stale == 0, f"{stale} of {options.reloads} requests after a counted reload were decided by another "
                            "configuration")
    claims.hold(min(counts["a"], counts["b"]) > count / 10,
                f"both configurations responded: A {counts['a'] + counts['a, denied']} times, B {counts['b']} times")
    claims.hold(gateway.poll() is None, "the gateway is still the same process")
    claims.hold(after[0] < before[0] + 64 and after[1] < before[1] + 32 and after[2] <= before[2] + 4,
                f"no resource leaks: {before[0]:.0f} MiB, {before[1]} descriptors, {before[2]} threads before; "
                f"{after[0]:.0f} MiB, {after[1]}, {after[2]} after")


class Connector:
    """Opens verified TLS connections one after the other, sends a request on each, and records when it first received
    each certificate."""

    def __init__(self, testbed, port):
        self.context, self.port = ssl.create_default_context(cafile=str(testbed.authority.file)), port
        self.seen, self.failures, self.count, self.stop = {}, collections.Counter(), 0, False

    async def run(self):
        while not self.stop:
            try:
                async with asyncio.timeout(10):
                    reader, writer = await asyncio.open_connection(
                        "127.0.0.1", self.port, ssl=self.context, server_hostname="localhost")
                    serial = int(writer.get_extra_info("peercert")["serialNumber"], 16)
                    self.seen.setdefault(serial, time.monotonic())
                    writer.write(b"GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    response = await reader.read()
                    writer.close()
                self.count += 1
                if not response.startswith(b"HTTP/1.1 200 "):
                    self.failures[f"response {response[:40]!r}"] += 1
            except (OSError, TimeoutError) as error:
                self.failures[f"{type(error).__name__}: {error}"] += 1


async def certificates(testbed, options, claims):
    upstream = free_port()
    testbed.nginx("behind", f"server {{ listen 127.0.0.1:{upstream}; location / {{ return 200 ok; }} }}")
    testbed.await_port(upstream)
    testbed.authority.issue("replaced")
    gateway = testbed.gateway({
        "workers": WORKERS, "reload": {"watch": "500ms"},
        "upstreams": {"api": {"servers": [f"http://127.0.0.1:{upstream}"]}},
        "routes": [{"path": "/x", "auth": "none", "upstream": "api"}],
    }, name="with-tls", tls=testbed.authority.files("replaced"))
    connectors = [Connector(testbed, gateway.port) for _ in range(4)]
    running = [asyncio.create_task(connector.run()) for connector in connectors]
    delays, unseen = [], 0
    for _ in range(options.certificates):
        serial = testbed.authority.issue("replaced")
        began, delay = time.monotonic(), None
        while delay is None and time.monotonic() < began + 10:
            await asyncio.sleep(0.02)
            delay = min((connector.seen[serial] - began for connector in connectors if serial in connector.seen),
                        default=None)
        delays.append(delay if delay is not None else 10)
        unseen += delay is None
    for connector in connectors:
        connector.stop = True
    await asyncio.gather(*running)
    failures = sum((connector.failures for connector in connectors), collections.Counter())
    print(f"\n{options.certificates} certificates replaced during {sum(c.count for c in connectors)} verified "
          f"connections; s until the new one was served: p50 {quantile(delays, 0.5):.2f}, max {max(delays):.2f}")
    claims.hold(not failures, f"{sum(failures.values())} connections failed {dict(failures) or ''}")
    claims.hold(unseen == 0 and max(delays) < 5,
                f"each new certificate was served within {max(delays):.2f} s without a signal (bound: 5 s)")


def main():
    options = arguments(__doc__, ("reloads", 1000, "reloads of the configuration"),
                        ("certificates", 50, "certificates replaced under load"),
                        ("connections", 8, "connections of the load"))
    claims = Claims()
    with Testbed(options.gatehouse) as testbed:
        if options.reloads:
            asyncio.run(configurations(testbed, options, claims))
        if options.certificates:
            asyncio.run(certificates(testbed, options, claims))
    claims.end()


if __name__ == "__main__":
    main()
