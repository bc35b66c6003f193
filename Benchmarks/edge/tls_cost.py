#!/usr/bin/env python3
"""Measures the CPU time of a request and of a handshake with TLS, in comparison with nginx and HAProxy, in one run.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/edge/tls_cost.py [--gatehouse .build/release/gatehouse]
        [--rounds 5] [--seconds 4] [--connections 64] [--only gatehouse,nginx,haproxy]

Each gateway has one worker, TLS 1.3 with TLS_AES_256_GCM_SHA384, the same ECDSA P-256 certificate, and the same nginx
without TLS as its upstream. Requests are from wrk with keep-alive connections; requests with tokens use 2,000 different
tokens of about 1 KiB in turn. Handshakes are from two parallel `openssl s_time -new`: full handshakes without a
request and without resumption. CPU time is that of the gateway's processes, from /proc. Each round measures all
gateways in turn. All traffic is on 127.0.0.1."""

import os
import re
import socket
import ssl
import subprocess
import sys

from testbed import HERE, Claims, Testbed, arguments, cpu_seconds, family, free_port, stop
from table import cost, median, show

CIPHER = "TLS_AES_256_GCM_SHA384"
BODY = '{"service":"bench","answer":"a small JSON document of about a hundred bytes, as many APIs give"}'
# The name of the row, the gateway, and whether requests have tokens.
ROWS = (
    ("gatehouse, plain", "gatehouse", False), ("nginx", "nginx", False), ("haproxy", "haproxy", False),
    ("gatehouse, all checks", "gatehouse", True), ("nginx, same requests", "nginx", True),
    ("haproxy, same requests", "haproxy", True),
)


def gatehouse(testbed, upstream):
    routes = [{"path": "/plain", "auth": "none", "upstream": "api"}, {"path": "/token", "upstream": "api"}]
    tls = testbed.authority.files("server") | {"minimum_version": "1.3"}
    upstreams = {"api": {"servers": [f"http://127.0.0.1:{upstream}"]}}
    return testbed.gateway({"upstreams": upstreams, "routes": routes}, tls=tls)


def nginx(testbed, upstream):
    port, files = free_port(), testbed.authority.files("server")
    process = testbed.nginx("nginx", f"""
        upstream api {{ server 127.0.0.1:{upstream}; keepalive 256; keepalive_requests 1000000000; }}
        server {{
          listen 127.0.0.1:{port} ssl;
          ssl_certificate {files['certificate']}; ssl_certificate_key {files['private_key']};
          ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites {CIPHER};
          location / {{ proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection ""; }}
        }}""")
    process.port = port
    return process


def haproxy(testbed, upstream):
    port = free_port()
    tls = f"ssl crt {testbed.folder}/server.both ssl-min-ver TLSv1.3 ciphersuites {CIPHER} alpn http/1.1"
    bind = f"bind 127.0.0.1:{port} {tls}"
    process = testbed.haproxy("haproxy", f"frontend clients\n {bind}\n default_backend api\n"
                              f"backend api\n http-reuse always\n server one 127.0.0.1:{upstream}")
    process.port = port
    return process


KINDS = {"gatehouse": gatehouse, "nginx": nginx, "haproxy": haproxy}


def negotiated(testbed, port):
    """Returns the negotiated version and cipher of a connection that verifies the certificate."""
    context = ssl.create_default_context(cafile=str(testbed.authority.file))
    with (socket.create_connection(("127.0.0.1", port), 5) as plain,
          context.wrap_socket(plain, server_hostname="localhost") as connection):
        return f"{connection.version()} {connection.cipher()[0]}"


def wrk(testbed, port, tokens, seconds, options):
    script = ["-s", HERE.parent / "side-by-side/tokens.lua"] if tokens else []
    url = f"https://localhost:{port}/{'token' if tokens else 'plain'}"
    command = ["wrk", "-t1", f"-c{options.connections}", f"-d{seconds}s", "--latency", *script, url]
    environment = {**os.environ, "TOKENS": str(testbed.folder / "tokens.txt")}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment).stdout


def requests(testbed, process, tokens, options):
    wrk(testbed, process.port, tokens, 1, options)
    pids = family(process.pid)
    for _ in range(3):  # On an overloaded machine, wrk may complete no handshake in time.
        before = cpu_seconds(pids)
        output = wrk(testbed, process.port, tokens, options.seconds, options)
        spent = cpu_seconds(pids) - before
        if "\n  0 requests in" not in output:
            break
    return cost(output, spent, options.seconds)


def handshakes(process, seconds):
    """Returns the CPU time of a handshake in us, and the handshakes per second."""
    command = ["openssl", "s_time", "-connect", f"127.0.0.1:{process.port}", "-new", "-time", str(seconds), "-tls1_3"]
    pids = family(process.pid)
    before = cpu_seconds(pids)
    clients = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    outputs = [client.communicate()[0] for client in clients]
    spent = cpu_seconds(pids) - before
    found = [re.search(r"(\d+) connections in (\d+) real seconds", output) for output in outputs]
    if not all(found) or not all(int(f[1]) for f in found):
        sys.exit(f"openssl s_time: {outputs}")
    count = sum(int(f[1]) for f in found)
    return {"us": spent / count * 1e6, "rate": count / seconds}


def show_handshakes(rows):
    print(f"\n{'':12}{'us CPU/handshake':>18}{'(best-worst)':>18}{'handshakes/s':>14}")
    for name, results in rows.items():
        found = median(results)
        spread = f"({min(r['us'] for r in results):.0f}-{max(r['us'] for r in results):.0f})"
        print(f"{name:12}{found['us']:18.0f}{spread:>18}{found['rate']:14.0f}")


def measure(testbed, processes, options):
    rows, shakes = {}, {}
    for _ in range(options.rounds):
        for name, kind, tokens in ROWS:
            if kind in processes:
                rows.setdefault(name, []).append(requests(testbed, processes[kind], tokens, options))
        for kind, process in processes.items():
            shakes.setdefault(kind, []).append(handshakes(process, max(1, options.seconds // 2)))
    return rows, shakes


def claim(rows, shakes, claims):
    failed = sum(result["not 2xx"] + result["errors"] for results in rows.values() for result in results)
    claims.hold(failed == 0, f"all responses of all gateways were 2xx ({failed} were not)")
    medians = {name: median(results)["us"] for name, results in rows.items()}
    for ours, others in (("gatehouse, plain", ("nginx", "haproxy")),
                         ("gatehouse, all checks", ("nginx, same requests", "haproxy, same requests"))):
        for other in others:
            if ours in medians and other in medians:
                ratio = medians[ours] / medians[other]
                claims.hold(ratio < 1.5, f"{ours} needs {ratio:.2f} of the CPU time of {other} (bound: 1.5)")
    for other in ("nginx", "haproxy"):
        if "gatehouse" in shakes and other in shakes:
            ratio = median(shakes["gatehouse"])["us"] / median(shakes[other])["us"]
            claims.hold(ratio < 1.5, f"a handshake with gatehouse needs {ratio:.2f} of the CPU time of one with "
                                     f"{other} (bound: 1.5)")


def main():
    options = arguments(__doc__, ("rounds", 5, "rounds, each with all gateways"),
                        ("seconds", 4, "duration of each measurement in seconds"),
                        ("connections", 64, "keep-alive connections"),
                        ("only", ",".join(KINDS), "gateways to measure, separated by commas"))
    claims = Claims()
    with Testbed(options.gatehouse) as testbed:
        testbed.mint.write(2000)
        testbed.authority.issue("server")
        upstream = free_port()
        testbed.nginx("upstream", f"server {{ listen 127.0.0.1:{upstream} backlog=4096; "
                                  f"location / {{ return 200 '{BODY}'; }} }}")
        testbed.await_port(upstream)
        processes = {name: KINDS[name](testbed, upstream) for name in options.only.split(",")}
        print(f"medians of {options.rounds} rounds of {options.seconds} s, {options.connections} connections, "
              "one worker each")
        for process in processes.values():
            testbed.await_port(process.port)
        agreed = {name: negotiated(testbed, process.port) for name, process in processes.items()}
        claims.hold(len(set(agreed.values())) == 1, f"all gateways negotiate the same version and cipher: {agreed}")
        rows, shakes = measure(testbed, processes, options)
        for process in processes.values():
            stop(process)
        show(rows)
        show_handshakes(shakes)
    claim(rows, shakes, claims)
    claims.end()


if __name__ == "__main__":
    main()
