#!/usr/bin/env python3
"""Measures lost and late requests while one of three upstream servers fails, in comparison with HAProxy and nginx.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/edge/failover.py [--gatehouse .build/release/gatehouse]
        [--rate 150] [--fault 6] [--recovery 8] [--rounds 1] [--only gatehouse,haproxy,nginx]

In turn, one server is frozen, resets its connections, or becomes slow. All gateways receive the same open loop of GET
requests at the same time and use the same three servers, so each fault affects all of them at the same moment. Their
settings are equivalent:
- A response must begin within 1 s.
- Three consecutive failures eject a server for 2 s.
- An active check runs each second with a timeout of 0.5 s; two equal results change the state. nginx has no active
  checks.
- A failed request is retried twice on another server.
HAProxy 2.6 does not count failures that it retried (`observe`), so only its active check ejects a server.

The table covers requests from the fault to the end of the recovery:
- failed: requests without a 2xx response; late: requests with a 2xx response after more than 0.5 s.
- ejected after: seconds from the fault to the last failed or late request before the first second without one.
- trials: later failed or late requests, with which the gateway tests the server.
- restored after: seconds from the recovery to the first response of the server.
All traffic is on 127.0.0.1."""

import argparse
import asyncio
import os
import signal
import time

from openloop import OpenLoop
from testbed import ROOT, Claims, Testbed, free_port, quantile

LATE, CALM = 0.5, 1.0
FAULTS = (("frozen", "a", signal.SIGSTOP, signal.SIGCONT), ("resets", "b", signal.SIGUSR1, signal.SIGHUP),
          ("slow", "c", signal.SIGUSR2, signal.SIGHUP))
TIMEOUTS = """timeout connect 1s
 timeout client 30s
 timeout server 1s
 timeout check 500ms
 retries 2
 option redispatch 1
 retry-on conn-failure empty-response response-timeout 502 503 504"""


def gatehouse(testbed, servers):
    upstream = {
        "servers": [f"http://127.0.0.1:{server.port}" for server in servers],
        "connect_timeout": "1s", "response_timeout": "1s",
        "health": {"path": "/healthz", "interval": "1s", "timeout": "500ms", "healthy": 2, "unhealthy": 2},
        "ejection": {"failures": 3, "time": "2s", "max_time": "2s", "max_share": 50},
        "retry": {"conditions": ["connect", "reset", "timeout", 502, 503, 504], "attempts": 2, "budget": 100},
    }
    routes = [{"path": "/**", "auth": "none", "upstream": "api"}]
    return testbed.gateway({"upstreams": {"api": upstream}, "routes": routes}).port


def haproxy(testbed, servers):
    port = free_port()
    checks = "check inter 1s fall 2 rise 2 observe layer7 error-limit 3 on-error mark-down"
    lines = "\n".join(f" server {name} 127.0.0.1:{server.port} {checks}" for name, server in zip("abc", servers))
    testbed.haproxy("haproxy", f"frontend clients\n bind 127.0.0.1:{port}\n default_backend api\n"
                    "backend api\n balance roundrobin\n option httpchk GET /healthz\n http-reuse always\n"
                    f"{lines}", TIMEOUTS)
    return port


def nginx(testbed, servers):
    port = free_port()
    lines = " ".join(f"server 127.0.0.1:{server.port} max_fails=3 fail_timeout=2s;" for server in servers)
    testbed.nginx("nginx", f"""
        upstream api {{ {lines} keepalive 64; }}
        server {{ listen 127.0.0.1:{port}; location / {{
          proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_connect_timeout 1s; proxy_read_timeout 1s;
          proxy_next_upstream error timeout http_502 http_503 http_504; proxy_next_upstream_tries 3; }} }}""")
    return port


KINDS = {"gatehouse": gatehouse, "haproxy": haproxy, "nginx": nginx}


async def one_fault(loads, server, fault, recovery, options):
    """Loads all gateways while a server fails and recovers. Returns the monotonic times of fault and recovery."""
    running = [asyncio.create_task(load.run(2 + options.fault + options.recovery)) for load in loads.values()]
    await asyncio.sleep(2)
    os.kill(server.pid, fault)
    failed = time.monotonic()
    await asyncio.sleep(options.fault)
    os.kill(server.pid, recovery)
    recovered = time.monotonic()
    await asyncio.gather(*running)
    return failed, recovered


def evaluate(results, name, failed, recovered):
    """Returns the row of one gateway and one fault."""
    ours = sorted((result for result in results if result.began >= failed - 1), key=lambda result: result.began)
    affected = [result for result in ours if not 200 <= result.status < 300 or result.ended - result.began > LATE]
    until = failed
    for result in affected:
        if result.began - until > CALM:
            break
        until = result.began
    restored = [result.began for result in ours
                if result.body == name and result.status == 200 and result.began >= recovered]
    return {
        "requests": len(ours), "failed": sum(not 200 <= result.status < 300 for result in ours),
        "late": sum(200 <= result.status < 300 and result.ended - result.began > LATE for result in ours),
        "slowest": max(result.ended - result.began for result in ours), "ejected": max(0, until - failed),
        "trials": sum(result.began > until for result in affected),
        "restored": min(restored) - recovered if restored else None,
        "p50": quantile([result.ended - result.began for result in ours], 0.5) * 1000,
    }


def report(rows):
    print(f"{'':12}{'fault':10}{'requests':>9}{'failed':>8}{'late':>6}{'p50 ms':>8}{'slowest s':>11}"
          f"{'ejected after s':>17}{'trials':>8}{'restored after s':>18}")
    for name, fault, row in rows:
        restored = "never" if row["restored"] is None else f"{row['restored']:.2f}"
        print(f"{name:12}{fault:10}{row['requests']:9}{row['failed']:8}{row['late']:6}{row['p50']:8.2f}"
              f"{row['slowest']:11.2f}{row['ejected']:17.2f}{row['trials']:8}{restored:>18}")


def claim(rows, options, claims):
    for fault, *_ in FAULTS:
        found = {name: [row for of, what, row in rows if (of, what) == (name, fault)] for name in KINDS}
        ours = found["gatehouse"]
        if not ours:
            continue
        failed, ejected = sum(row["failed"] for row in ours), max(row["ejected"] for row in ours)
        claims.hold(failed == 0, f"{fault}: {failed} requests failed through gatehouse")
        claims.hold(ejected < 3, f"{fault}: gatehouse ejected the server after {ejected:.2f} s (bound: 3 s)")
        restored = [row["restored"] for row in ours]
        claims.hold(None not in restored and max(restored) < 6,
                    f"{fault}: gatehouse restored the server {restored} s after its recovery (bound: 6 s)")
        if theirs := found["haproxy"]:
            here, there = (sum(row["failed"] + row["late"] for row in rows) for rows in (ours, theirs))
            claims.hold(here <= 1.5 * there + 10, f"{fault}: {here} requests failed or were late through gatehouse, "
                                                  f"{there} through HAProxy")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gatehouse", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    parser.add_argument("--rate", type=int, default=150, help="requests a second to each gateway")
    parser.add_argument("--fault", type=float, default=6, help="duration of a fault in seconds")
    parser.add_argument("--recovery", type=float, default=8, help="seconds of load after a fault")
    parser.add_argument("--rounds", type=int, default=1, help="rounds, each with all faults")
    parser.add_argument("--only", default=",".join(KINDS), help="gateways to measure, separated by commas")
    return parser.parse_args()


def main():
    options, claims, rows = parse(), Claims(), []
    with Testbed(options.gatehouse) as testbed:
        servers = {name: testbed.upstream("failing", name) for name in "abc"}
        ports = {name: KINDS[name](testbed, servers.values()) for name in options.only.split(",")}
        for port in ports.values():
            testbed.await_port(port)
        time.sleep(2.5)  # After this time, the active checks know the state of every server.
        for _ in range(options.rounds):
            for fault, name, cause, cure in FAULTS:
                loads = {of: OpenLoop(port, options.rate, b"GET / HTTP/1.1\r\nHost: bench\r\n\r\n")
                         for of, port in ports.items()}
                failed, recovered = asyncio.run(one_fault(loads, servers[name], cause, cure, options))
                rows += [(of, fault, evaluate(load.results, name, failed, recovered)) for of, load in loads.items()]
    print(f"one of three servers fails for {options.fault:g} s; {options.rate} requests a second through each gateway")
    report(rows)
    claim(rows, options, claims)
    claims.end()


if __name__ == "__main__":
    main()
