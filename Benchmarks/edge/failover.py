#!/usr/bin/env python3
"""One of three upstreams is frozen, resets its connections, becomes slow, in turn: what requests lose, beside HAProxy and nginx.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/edge/failover.py [--gatehouse .build/release/gatehouse] [--rate 150] [--fault 6] [--recovery 8] [--rounds 1]

All gateways are loaded at the same time, each with the same open loop of GETs, and send to the same three servers, so that each fault hits all of
them at the same moment. Settings are alike: an answer has to begin within 1 s, three failures in a row take a server out for 2 s, an active check each
second with 0.5 s to answer needs two results to change its mind, two retries on another server for whatever failed. nginx has no active checks.
HAProxy 2.6 does not count failures that it retried (`observe`), so there the active check is what takes a server out.

Told are requests from the fault to the end of the recovery: those that got no 2xx, those that got it after more than 0.5 s, the slowest; the seconds from the fault
to the beginning of the last request that it touched (where a whole second without such followed: what came after is a trial of the server), and those from the
recovery to the first answer of the server. Nothing leaves 127.0.0.1."""

import argparse
import asyncio
import os
import signal
import time

from openloop import OpenLoop
from stand import ROOT, Claims, Stand, free_port, quantile

LATE, CALM = 0.5, 1.0
FAULTS = (("frozen", "a", signal.SIGSTOP, signal.SIGCONT), ("resets", "b", signal.SIGUSR1, signal.SIGHUP), ("slow", "c", signal.SIGUSR2, signal.SIGHUP))
TIMEOUTS = """timeout connect 1s
 timeout client 30s
 timeout server 1s
 timeout check 500ms
 retries 2
 option redispatch 1
 retry-on conn-failure empty-response response-timeout 502 503 504"""


def gatehouse(stand, servers):
    upstream = {
        "servers": [f"http://127.0.0.1:{server.port}" for server in servers], "connect_timeout": "1s", "response_timeout": "1s",
        "health": {"path": "/healthz", "interval": "1s", "timeout": "500ms", "healthy": 2, "unhealthy": 2},
        "ejection": {"failures": 3, "time": "2s", "max_time": "2s", "max_share": 50},
        "retry": {"conditions": ["connect", "reset", "timeout", 502, 503, 504], "attempts": 2, "budget": 100},
    }
    return stand.gateway({"upstreams": {"api": upstream}, "routes": [{"path": "/**", "auth": "none", "upstream": "api"}]}).port


def haproxy(stand, servers):
    port = free_port()
    lines = "\n".join(f" server {name} 127.0.0.1:{server.port} check inter 1s fall 2 rise 2 observe layer7 error-limit 3 on-error mark-down"
                      for name, server in zip("abc", servers))
    stand.haproxy("haproxy", f"frontend clients\n bind 127.0.0.1:{port}\n default_backend api\nbackend api\n balance roundrobin\n"
                  f" option httpchk GET /healthz\n http-reuse always\n{lines}", TIMEOUTS)
    return port


def nginx(stand, servers):
    port = free_port()
    lines = " ".join(f"server 127.0.0.1:{server.port} max_fails=3 fail_timeout=2s;" for server in servers)
    stand.nginx("nginx", f"""
        upstream api {{ {lines} keepalive 64; }}
        server {{ listen 127.0.0.1:{port}; location / {{
          proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_connect_timeout 1s; proxy_read_timeout 1s;
          proxy_next_upstream error timeout http_502 http_503 http_504; proxy_next_upstream_tries 3; }} }}""")
    return port


KINDS = {"gatehouse": gatehouse, "haproxy": haproxy, "nginx": nginx}


async def one_fault(loads, server, fault, recovery, options):
    """Loads all gateways while a server fails and recovers; returns both moments."""
    running = [asyncio.create_task(load.run(2 + options.fault + options.recovery)) for load in loads.values()]
    await asyncio.sleep(2)
    os.kill(server.pid, fault)
    failed = time.monotonic()
    await asyncio.sleep(options.fault)
    os.kill(server.pid, recovery)
    recovered = time.monotonic()
    await asyncio.gather(*running)
    return failed, recovered


def judge(fates, name, failed, recovered):
    """The row of one gateway and one fault."""
    ours = sorted((fate for fate in fates if fate.began >= failed - 1), key=lambda fate: fate.began)
    touched = [fate for fate in ours if not 200 <= fate.status < 300 or fate.ended - fate.began > LATE]
    until = failed
    for fate in touched:
        if fate.began - until > CALM:
            break
        until = fate.began
    back = [fate.began for fate in ours if fate.body == name and fate.status == 200 and fate.began >= recovered]
    return {
        "requests": len(ours), "failed": sum(not 200 <= fate.status < 300 for fate in ours), "late": sum(
            200 <= fate.status < 300 and fate.ended - fate.began > LATE for fate in ours),
        "slowest": max(fate.ended - fate.began for fate in ours), "ejected": max(0, until - failed),
        "later": sum(fate.began > until for fate in touched), "back": min(back) - recovered if back else None,
        "p50": quantile([fate.ended - fate.began for fate in ours], 0.5) * 1000,
    }


def report(rows):
    print(f"{'':12}{'fault':10}{'requests':>9}{'failed':>8}{'late':>6}{'p50 ms':>8}{'slowest s':>11}{'out after s':>13}{'trials':>8}{'back after s':>14}")
    for name, fault, row in rows:
        back = "never" if row["back"] is None else f"{row['back']:.2f}"
        print(f"{name:12}{fault:10}{row['requests']:9}{row['failed']:8}{row['late']:6}{row['p50']:8.2f}{row['slowest']:11.2f}{row['ejected']:13.2f}"
              f"{row['later']:8}{back:>14}")


def claim(rows, options, claims):
    for fault, *_ in FAULTS:
        found = {name: [row for of, what, row in rows if (of, what) == (name, fault)] for name in KINDS}
        ours = found["gatehouse"]
        if not ours:
            continue
        failed, out = sum(row["failed"] for row in ours), max(row["ejected"] for row in ours)
        claims.hold(failed == 0, f"{fault}: {failed} requests failed through gatehouse")
        claims.hold(out < 3, f"{fault}: the server got no more requests that suffered after {out:.2f} s (bound: 3 s)")
        back = [row["back"] for row in ours]
        claims.hold(None not in back and max(back) < 6, f"{fault}: it served again {back} s after its recovery (bound: 6 s)")
        if theirs := found["haproxy"]:
            lost, others = (sum(row["failed"] + row["late"] for row in of) for of in (ours, theirs))
            claims.hold(lost <= 1.5 * others + 10, f"{fault}: {lost} requests failed or were late through gatehouse, {others} through HAProxy")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gatehouse", default=str(ROOT / ".build/release/gatehouse"), help="the program to measure")
    parser.add_argument("--rate", type=int, default=150, help="requests a second, of each gateway")
    parser.add_argument("--fault", type=float, default=6, help="seconds that a fault lasts")
    parser.add_argument("--recovery", type=float, default=8, help="seconds of load after it")
    parser.add_argument("--rounds", type=int, default=1, help="through all faults")
    parser.add_argument("--only", default=",".join(KINDS), help="gateways, separated by commas")
    return parser.parse_args()


def main():
    options, claims, rows = parse(), Claims(), []
    with Stand(options.gatehouse) as stand:
        servers = {name: stand.upstream("failing", name) for name in "abc"}
        ports = {name: KINDS[name](stand, servers.values()) for name in options.only.split(",")}
        for port in ports.values():
            stand.await_port(port)
        time.sleep(2.5)  # the active checks have seen every server
        for _ in range(options.rounds):
            for fault, name, cause, cure in FAULTS:
                loads = {of: OpenLoop(port, options.rate, b"GET / HTTP/1.1\r\nHost: bench\r\n\r\n") for of, port in ports.items()}
                failed, recovered = asyncio.run(one_fault(loads, servers[name], cause, cure, options))
                rows += [(of, fault, judge(load.fates, name, failed, recovered)) for of, load in loads.items()]
    print(f"one of three servers fails for {options.fault:g} s; {options.rate} requests a second through each gateway")
    report(rows)
    claim(rows, options, claims)
    claims.end()


if __name__ == "__main__":
    main()
