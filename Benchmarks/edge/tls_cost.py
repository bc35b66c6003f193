#!/usr/bin/env python3
"""What TLS costs: the CPU time of a request and of a handshake, beside nginx and HAProxy with the same certificate, in one run.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/edge/tls_cost.py [--gatehouse .build/release/gatehouse] [--rounds 5] [--seconds 4] [--connections 64]

One worker each, TLS 1.3 with TLS_AES_256_GCM_SHA384 and an ECDSA P-256 certificate, one nginx without TLS behind all of them. Requests: wrk with
keep-alive connections; where there are tokens, 2,000 different ones of about 1 KiB in turn. Handshakes: two `openssl s_time -new` at a time, whole handshakes
without a request, none resumed. CPU time is that of the gateway's processes, from /proc; rounds go through all in turn. Nothing leaves 127.0.0.1."""

import os
import re
import socket
import ssl
import subprocess
import sys

from stand import HERE, Claims, Stand, arguments, cpu_seconds, family, free_port, stop
from table import cost, middle, show

CIPHER = "TLS_AES_256_GCM_SHA384"
ANSWER = '{"service":"bench","answer":"a small JSON document of about a hundred bytes, as many APIs give"}'
# A name, whose gateway, and whether its requests bear tokens.
ROWS = (
    ("gatehouse, plain", "gatehouse", False), ("nginx", "nginx", False), ("haproxy", "haproxy", False),
    ("gatehouse, all checks", "gatehouse", True), ("nginx, same requests", "nginx", True), ("haproxy, same requests", "haproxy", True),
)


def gatehouse(stand, upstream):
    routes = [{"path": "/plain", "auth": "none", "upstream": "api"}, {"path": "/token", "upstream": "api"}]
    tls = stand.authority.files("server") | {"minimum_version": "1.3"}
    return stand.gateway({"upstreams": {"api": {"servers": [f"http://127.0.0.1:{upstream}"]}}, "routes": routes}, tls=tls)


def nginx(stand, upstream):
    port, files = free_port(), stand.authority.files("server")
    process = stand.nginx("nginx", f"""
        upstream api {{ server 127.0.0.1:{upstream}; keepalive 256; keepalive_requests 1000000000; }}
        server {{
          listen 127.0.0.1:{port} ssl; ssl_certificate {files['certificate']}; ssl_certificate_key {files['private_key']};
          ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites {CIPHER};
          location / {{ proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection ""; }}
        }}""")
    process.port = port
    return process


def haproxy(stand, upstream):
    port = free_port()
    bind = f"bind 127.0.0.1:{port} ssl crt {stand.folder}/server.both ssl-min-ver TLSv1.3 ciphersuites {CIPHER} alpn http/1.1"
    process = stand.haproxy("haproxy", f"frontend clients\n {bind}\n default_backend api\nbackend api\n http-reuse always\n server one 127.0.0.1:{upstream}")
    process.port = port
    return process


KINDS = {"gatehouse": gatehouse, "nginx": nginx, "haproxy": haproxy}


def negotiated(stand, port):
    """What a client that verifies the certificate agrees on."""
    context = ssl.create_default_context(cafile=str(stand.authority.file))
    with socket.create_connection(("127.0.0.1", port), 5) as plain, context.wrap_socket(plain, server_hostname="localhost") as connection:
        return f"{connection.version()} {connection.cipher()[0]}"


def wrk(stand, port, tokens, seconds, options):
    script = ["-s", HERE.parent / "side-by-side/tokens.lua"] if tokens else []
    command = ["wrk", "-t1", f"-c{options.connections}", f"-d{seconds}s", "--latency", *script, f"https://localhost:{port}/{'token' if tokens else 'plain'}"]
    environment = {**os.environ, "TOKENS": str(stand.folder / "tokens.txt")}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment).stdout


def requests(stand, process, tokens, options):
    wrk(stand, process.port, tokens, 1, options)
    pids = family(process.pid)
    for _ in range(3):  # on a machine that others use up, wrk may not even get to its handshakes in time
        before = cpu_seconds(pids)
        output = wrk(stand, process.port, tokens, options.seconds, options)
        spent = cpu_seconds(pids) - before
        if "\n  0 requests in" not in output:
            break
    return cost(output, spent, options.seconds)


def handshakes(process, seconds):
    """The CPU time of a handshake in us, and handshakes a second."""
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
        found = middle(results)
        spread = f"({min(r['us'] for r in results):.0f}-{max(r['us'] for r in results):.0f})"
        print(f"{name:12}{found['us']:18.0f}{spread:>18}{found['rate']:14.0f}")


def measure(stand, processes, options):
    rows, shakes = {}, {}
    for _ in range(options.rounds):
        for name, kind, tokens in ROWS:
            if kind in processes:
                rows.setdefault(name, []).append(requests(stand, processes[kind], tokens, options))
        for kind, process in processes.items():
            shakes.setdefault(kind, []).append(handshakes(process, max(1, options.seconds // 2)))
    return rows, shakes


def claim(rows, shakes, claims):
    refused = sum(result["refused"] + result["errors"] for results in rows.values() for result in results)
    claims.hold(refused == 0, f"every request of every gateway was answered with 2xx ({refused} were not)")
    medians = {name: middle(results)["us"] for name, results in rows.items()}
    for ours, others in (("gatehouse, plain", ("nginx", "haproxy")), ("gatehouse, all checks", ("nginx, same requests", "haproxy, same requests"))):
        for other in others:
            if ours in medians and other in medians:
                ratio = medians[ours] / medians[other]
                claims.hold(ratio < 1.5, f"{ours} needs {ratio:.2f} of the CPU time of {other} (bound: 1.5)")
    for other in ("nginx", "haproxy"):
        if "gatehouse" in shakes and other in shakes:
            ratio = middle(shakes["gatehouse"])["us"] / middle(shakes[other])["us"]
            claims.hold(ratio < 1.5, f"a handshake with gatehouse needs {ratio:.2f} of the CPU time of one with {other} (bound: 1.5)")


def main():
    options = arguments(__doc__, ("rounds", 5, "through all gateways"), ("seconds", 4, "of each measurement"),
                        ("connections", 64, "kept alive"), ("only", ",".join(KINDS), "gateways, separated by commas"))
    claims = Claims()
    with Stand(options.gatehouse) as stand:
        stand.mint.write(2000)
        stand.authority.issue("server")
        upstream = free_port()
        stand.nginx("upstream", f"server {{ listen 127.0.0.1:{upstream} backlog=4096; location / {{ return 200 '{ANSWER}'; }} }}")
        stand.await_port(upstream)
        processes = {name: KINDS[name](stand, upstream) for name in options.only.split(",")}
        print(f"medians of {options.rounds} rounds of {options.seconds} s, {options.connections} connections, one worker each")
        for process in processes.values():
            stand.await_port(process.port)
        agreed = {name: negotiated(stand, process.port) for name, process in processes.items()}
        claims.hold(len(set(agreed.values())) == 1, f"all agree on the same: {agreed}")
        rows, shakes = measure(stand, processes, options)
        for process in processes.values():
            stop(process)
        show(rows)
        show_handshakes(shakes)
    claim(rows, shakes, claims)
    claims.end()


if __name__ == "__main__":
    main()
