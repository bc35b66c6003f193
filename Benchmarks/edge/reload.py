#!/usr/bin/env python3
"""1,000 reloads under load between two configurations that differ in all they can, and certificates replaced under load.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/edge/reload.py [--gatehouse .build/release/gatehouse] [--reloads 1000] [--certificates 50] [--connections 8]

A and B differ in the upstream, the prefix of the identity fields, an extra field, the removed prefix of the path, a response field, and in who may pass: `/x/who`
needs a token under A and none under B. Each answer tells which of each it was made with; all must be of one configuration. Requests with a token must
all pass, those without must be refused by A or passed by B, and no connection may end without an answer. Every 50th configuration is a bad one, which
must be refused while the one before it stays. A reload is asked for by SIGHUP and has happened when the gateway's metrics say so.

Then certificates: the files of a TLS listener, which the gateway looks at each 500 ms, are replaced, certificate first and key later, while clients connect anew
and verify. No handshake may fail, and each new certificate must be served soon. Nothing leaves 127.0.0.1."""

import asyncio
import collections
import os
import pathlib
import signal
import ssl
import time

from stand import Claims, Stand, arguments, free_port, metrics, quantile, write

WORKERS = 2
BAD_EVERY = 50


class Sides:
    """The two configurations of a gateway and of what stands behind it."""

    def __init__(self, stand):
        self.ports = {"a": free_port(), "b": free_port()}
        servers = "\n".join(
            f"server {{ listen 127.0.0.1:{port}; location / {{ return 200 '{name} [$http_x_a_uid] [$http_x_b_uid] [$http_x_mark_a] [$http_x_mark_b] $uri'; }} }}"
            for name, port in self.ports.items())
        stand.nginx("upstreams", servers)
        for port in self.ports.values():
            stand.await_port(port)

    def sections(self, side):
        route = {"path": "/x/**", "upstream": "api", "strip_prefix": "/x" if side == "a" else "/x/v", "auth": "required" if side == "a" else "optional"}
        return {
            "workers": WORKERS, "reload": {"watch": None}, "upstreams": {"api": {"servers": [f"http://127.0.0.1:{self.ports[side]}"]}},
            "headers": {"prefix": f"X-{side.upper()}-", "extra": {f"X-Mark-{side.upper()}": "token.email"}}, "routes": [route],
            "response_headers": {"set": {"X-Side": side}},
        }


async def ask(reader, writer, token):
    """Sends a request and returns its answer's head, in lower case, and body."""
    field = f"Authorization: Bearer {token}\r\n" if token else ""
    writer.write(f"GET /x/v/who HTTP/1.1\r\nHost: bench\r\n{field}\r\n".encode())
    async with asyncio.timeout(20):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("\r\ncontent-length:")[2].partition("\r\n")[0])
        return head, (await reader.readexactly(length)).decode()


class Client:
    """Asks again and again on one connection, and judges what comes."""

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
                head, body = await ask(reader, writer, token)
                self.counts[self.judge(index, token, int(head[9:12]), head, body)] += 1
                if "\r\nconnection: close" in head:
                    self.counts["connection closed behind an answer"] += 1
                    writer.close()
                    writer = None
            except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
                self.counts[f"LOST: {type(error).__name__}"] += 1
                writer = None
            await asyncio.sleep(0)

    @staticmethod
    def judge(index, token, status, head, body):
        field = head.partition("\r\nx-side:")[2].partition("\r\n")[0].strip()
        if status == 401 and not token:
            return "a, refused" if field == "a" else f"MIXED: a refusal with x-side {field!r}"
        if status != 200:
            return f"LOST: {status} {body[:200]}"
        side = body[:1]
        user = f"bench-user-{index:016d}" if token else ""
        email = f"user{index}@bench.example" if token else ""
        names = [f"[{user if side == s else ''}]" for s in "ab"] + [f"[{email if side == s else ''}]" for s in "ab"]
        wanted = " ".join([side, *names, "/v/who" if side == "a" else "/who"])
        if body != wanted or field != side or (side == "a" and not token):
            return f"MIXED: x-side {field!r}, token {bool(token)}: {body}"
        return side


def reloads(gateway):
    """How many were accepted and refused so far."""
    found = metrics(gateway)
    return [sum(value for name, value in found.items() if name.startswith("gatehouse_config_reloads_total") and f'result="{result}"' in name)
            for result in ("ok", "refused")]


async def until(gateway, accepted, refused):
    """Waits until so many reloads were accepted and refused; returns the seconds, or None."""
    began = time.monotonic()
    while time.monotonic() < began + 10:
        found = await asyncio.to_thread(reloads, gateway)
        if found[0] >= accepted and found[1] >= refused:
            return time.monotonic() - began
        await asyncio.sleep(0.002)
    return None


async def decided_by(gateway, token):
    """The side that decides a request on a new connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    try:
        return (await ask(reader, writer, token))[1][:1]
    finally:
        writer.close()


async def reload_all(gateway, sides, base, token, options):
    """Reloads as often as asked for; returns how long each took, how many were not seen to happen, and how many of the requests
    that began after a reload was told were decided by another configuration."""
    times, missed, stale, current = [], 0, 0, "a"
    for number in range(options.reloads):
        accepted, refused = reloads(gateway)
        bad = number % BAD_EVERY == BAD_EVERY - 1
        side = "b" if current == "a" else "a"
        sections = sides.sections(side)
        write(gateway.file, base | (sections | {"routes": [{"path": "/x", "upstream": "nowhere"}]} if bad else sections))
        os.kill(gateway.pid, signal.SIGHUP)
        seconds = await until(gateway, accepted + (not bad), refused + bad)
        missed += seconds is None
        if seconds is not None and not bad:
            times.append(seconds * 1000)
            current = side
        stale += await decided_by(gateway, token) != current
    return times, missed, stale


def holdings(process):
    """What a process has: MiB of memory, open descriptors, threads."""
    folder = pathlib.Path(f"/proc/{process.pid}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) / 1024, len(list((folder / "fd").iterdir())), int(status["Threads"])


async def configurations(stand, options, claims):
    sides = Sides(stand)
    gateway = stand.gateway(sides.sections("a"))
    base = stand.base(gateway.port, gateway.admin)
    tokens, counts = stand.mint.write(50), collections.Counter()
    clients = [Client(gateway.port, tokens, counts) for _ in range(options.connections)]
    running = [asyncio.create_task(client.run()) for client in clients]
    await asyncio.sleep(0.5)
    before, began = holdings(gateway), time.monotonic()
    times, missed, stale = await reload_all(gateway, sides, base, tokens[0], options)
    seconds = time.monotonic() - began
    after = holdings(gateway)
    for client in clients:
        client.stop = True
    await asyncio.gather(*running)
    accepted, refused = reloads(gateway)
    print(f"{options.reloads} reloads within {seconds:.1f} s, {options.connections} connections, {WORKERS} workers: {accepted:.0f} accepted, {refused:.0f} refused as wanted")
    print(f"ms from SIGHUP until the metrics told it: p50 {quantile(times, 0.5):.1f}, p99 {quantile(times, 0.99):.1f}, max {quantile(times, 1):.1f}")
    print("answers:")
    for name, count in sorted(counts.items()):
        print(f"    {name:40}{count:9}")
    count = sum(counts[name] for name in ("a", "b", "a, refused"))
    lost, mixed = (sum(n for name, n in counts.items() if name.startswith(kind)) for kind in ("LOST", "MIXED"))
    claims.hold(missed == 0, f"{options.reloads - missed} of {options.reloads} reloads were told as accepted or, the bad ones, as refused")
    claims.hold(lost == 0, f"{lost} of {count + lost + mixed} requests were lost")
    claims.hold(mixed == 0, f"{mixed} of {count + lost + mixed} were decided by a mix of two configurations")
    claims.hold(stale == 0, f"{stale} of {options.reloads} requests that began after a reload was told were decided by another configuration")
    claims.hold(min(counts["a"], counts["b"]) > count / 10, f"both took part: A answered {counts['a'] + counts['a, refused']}, B {counts['b']}")
    claims.hold(gateway.poll() is None, "the gateway is still the same process")
    claims.hold(after[0] < before[0] + 64 and after[1] < before[1] + 32 and after[2] <= before[2] + 4,
                f"nothing piles up: {before[0]:.0f} MiB, {before[1]} descriptors, {before[2]} threads before, {after[0]:.0f} MiB, {after[1]}, {after[2]} after")


class Connector:
    """Makes one verified TLS connection after the other, with a request on it, and notes whose certificate it saw when."""

    def __init__(self, stand, port):
        self.context, self.port = ssl.create_default_context(cafile=str(stand.authority.file)), port
        self.seen, self.failures, self.count, self.stop = {}, collections.Counter(), 0, False

    async def run(self):
        while not self.stop:
            try:
                async with asyncio.timeout(10):
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.context, server_hostname="localhost")
                    serial = int(writer.get_extra_info("peercert")["serialNumber"], 16)
                    self.seen.setdefault(serial, time.monotonic())
                    writer.write(b"GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    answer = await reader.read()
                    writer.close()
                self.count += 1
                if not answer.startswith(b"HTTP/1.1 200 "):
                    self.failures[f"answered {answer[:40]!r}"] += 1
            except (OSError, TimeoutError) as error:
                self.failures[f"{type(error).__name__}: {error}"] += 1


async def certificates(stand, options, claims):
    upstream = free_port()
    stand.nginx("behind", f"server {{ listen 127.0.0.1:{upstream}; location / {{ return 200 ok; }} }}")
    stand.await_port(upstream)
    stand.authority.issue("replaced")
    gateway = stand.gateway({
        "workers": WORKERS, "reload": {"watch": "500ms"}, "upstreams": {"api": {"servers": [f"http://127.0.0.1:{upstream}"]}},
        "routes": [{"path": "/x", "auth": "none", "upstream": "api"}]}, name="with-tls", tls=stand.authority.files("replaced"))
    connectors = [Connector(stand, gateway.port) for _ in range(4)]
    running = [asyncio.create_task(connector.run()) for connector in connectors]
    delays, unseen = [], 0
    for _ in range(options.certificates):
        serial = stand.authority.issue("replaced")
        began, delay = time.monotonic(), None
        while delay is None and time.monotonic() < began + 10:
            await asyncio.sleep(0.02)
            delay = min((connector.seen[serial] - began for connector in connectors if serial in connector.seen), default=None)
        delays.append(delay if delay is not None else 10)
        unseen += delay is None
    for connector in connectors:
        connector.stop = True
    await asyncio.gather(*running)
    failures = sum((connector.failures for connector in connectors), collections.Counter())
    print(f"\n{options.certificates} certificates replaced, {sum(c.count for c in connectors)} verified connections meanwhile; "
          f"s until the new one was served: p50 {quantile(delays, 0.5):.2f}, max {max(delays):.2f}")
    claims.hold(not failures, f"{sum(failures.values())} connections failed {dict(failures) or ''}")
    claims.hold(unseen == 0 and max(delays) < 5, f"each new certificate was served within {max(delays):.2f} s (bound: 5 s; no signal was sent)")


def main():
    options = arguments(__doc__, ("reloads", 1000, "of the configuration"), ("certificates", 50, "replaced under load"),
                        ("connections", 8, "of the load"))
    claims = Claims()
    with Stand(options.gatehouse) as stand:
        if options.reloads:
            asyncio.run(configurations(stand, options, claims))
        if options.certificates:
            asyncio.run(certificates(stand, options, claims))
    claims.end()


if __name__ == "__main__":
    main()
