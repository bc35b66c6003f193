#!/usr/bin/env python3
"""Measures the cost of a decision for other proxies: CPU time of the server that decides, and the latency that the
decision adds, through nginx (auth_request) and Envoy (ext_authz over HTTP and over gRPC), in one run.

    script/setup --bench
    script/proxies
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/decisions/cost.py [--gateway .build/release/gatehouse]
        [--rounds 5] [--seconds 4] [--connections 64] [--few 2] [--only nginx,envoy-http,envoy-grpc]

README.md describes the rows and columns. All traffic is on 127.0.0.1, and all started processes are ended."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("edge", "side-by-side"):
    sys.path.insert(0, str(HERE.parent / folder))
from table import cost, median  # noqa: E402
from testbed import Testbed, cpu_seconds, family, free_port  # noqa: E402

GUIDES = ROOT / "docs/guides/proxies"
BODY = '{"service":"bench","answer":"a small JSON document of about a hundred bytes, as many APIs give"}'
ACCESSES = {"nginx": "nginx auth_request", "envoy-http": "Envoy ext_authz, HTTP", "envoy-grpc": "Envoy ext_authz, gRPC"}
DECIDERS = ("no decision", "always yes", "gatehouse")
# A CheckResponse with a status of code 0 and an ok_response, each empty, as one message of gRPC.
YES = b"\0\0\0\0\4\x0a\0\x1a\0"


class Row:
    """A proxy, and the server that it asks. `decider` is `None` without a decision."""

    def __init__(self, access, name, proxy, decider):
        self.access, self.name, self.proxy, self.decider = access, name, proxy, decider
        self.title = f"{ACCESSES[access]}: {name}"
        self.url = f"http://127.0.0.1:{proxy.port}/bench"


def recipe(page, language, ports):
    """Returns the configuration of a recipe in the manual, with other ports."""
    blocks = re.findall(rf"```{language}\n(.*?)```", (GUIDES / page).read_text(), re.DOTALL)
    text = max(blocks, key=len)
    for port, other in ports.items():
        text, count = re.subn(rf"(127\.0\.0\.1:|port_value: ){port}\b", rf"\g<1>{other}", text)
        if count != 1:
            sys.exit(f"{page} has port {port} {count} times instead of once")
    return text


def nginx(testbed, name, service, decider):
    """Starts nginx with the recipe. Without a decider, its decision is removed."""
    port = free_port()
    text = recipe("nginx.md", "nginx", {8081: port, 3000: service, 9000: decider or 9})
    if decider is None:
        text = re.sub(r"location = /_gatehouse \{.*?\n    \}\n", "", text, flags=re.DOTALL)
        text = re.sub(r"^ *auth_request.*\n|^ *proxy_set_header X-Auth.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("keepalive 32;", "keepalive 256; keepalive_requests 1000000000;").replace(
        "events {}", "events { worker_connections 8192; }").replace(
        "http {", f"http {{\n  access_log off; keepalive_requests 1000000000;\n"
        f"  client_body_temp_path {testbed.folder}/{name}-body; proxy_temp_path {testbed.folder}/{name}-proxy;", 1)
    file = testbed.folder / f"{name}.conf"
    file.write_text("daemon off; worker_processes 1; worker_rlimit_nofile 16384;\n"
                    f"pid {testbed.folder}/{name}.pid; error_log {testbed.folder}/{name}.err;\n{text}")
    return started(testbed, name, ["nginx", "-c", file], port)


def envoy(testbed, options, name, page, service, decider):
    """Starts Envoy with one worker and the recipe. Without a decider, its filter is removed."""
    port = free_port()
    text = recipe(page, "yaml", {8081: port, 3000: service, 9000: decider or 9})
    if decider is None:
        text = re.sub(r" *- name: envoy\.filters\.http\.ext_authz\n.*?(?= *- name: envoy\.filters\.http\.router)", "",
                      text, flags=re.DOTALL)
    file = testbed.folder / f"{name}.yaml"
    file.write_text(text)
    command = [options.envoy, "-c", file, "--concurrency", 1, "--disable-hot-restart", "--log-level", "error"]
    return started(testbed, name, command, port)


def started(testbed, name, command, port):
    process = testbed.start(name, command)
    process.port = port
    testbed.await_port(port)
    return process


def always_yes(testbed):
    """Starts the servers that permit everything: nginx, over HTTP/1.1 and as a server of gRPC."""
    plain, grpc = free_port(), free_port()
    one = testbed.nginx("yes", f"server {{ listen 127.0.0.1:{plain}; location / {{ return 200; }} }}")
    folder = testbed.folder / "yes/envoy.service.auth.v3.Authorization"
    folder.mkdir(parents=True)
    (folder / "Check").write_bytes(YES)
    # nginx serves files for GET only; error_page lets it respond to POST with one.
    other = testbed.nginx("yes-grpc", f"""server {{
        listen 127.0.0.1:{grpc} http2; root {testbed.folder}/yes; default_type application/grpc;
        open_file_cache max=10; error_page 405 =200 $uri; add_trailer grpc-status 0 always;
    }}""")
    for process, port in ((one, plain), (other, grpc)):
        process.port = port
        testbed.await_port(port)
    return one, other


def gatehouse(testbed):
    port = free_port()
    decisions = {"address": f"127.0.0.1:{port}", "trust": ["127.0.0.1/32"], "protocols": ["http/1.1", "h2c"]}
    process = testbed.gateway(
        {"decisions": decisions, "routes": [{"path": "/**"}, {"path": "/bench", "recent_sign_in": "12h"}]})
    process.port = port
    return process


def rows(testbed, options, service):
    plain, grpc = always_yes(testbed)
    ours = gatehouse(testbed)
    found = []
    for access in ACCESSES:
        if access not in options.only.split(","):
            continue
        for name, decider in zip(DECIDERS, (None, grpc if access == "envoy-grpc" else plain, ours)):
            label, port = f"{access}-{len(found)}", decider and decider.port
            if access == "nginx":
                proxy = nginx(testbed, label, service, port)
            else:
                page = "envoy.md" if access == "envoy-http" else "envoy-grpc.md"
                proxy = envoy(testbed, options, label, page, service, port)
            found.append(Row(access, name, proxy, decider))
    return found


def status(url, token):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    try:
        return urllib.request.urlopen(request, timeout=10).status
    except urllib.error.HTTPError as error:
        return error.code


def check(row, testbed, token):
    """Fails unless a valid token passes, and a forged one exactly where Gatehouse decides."""
    forged = 401 if row.name == "gatehouse" else 200
    found = status(row.url, token), status(row.url, testbed.mint.forged(token))
    if found != (200, forged):
        sys.exit(f"{row.title}: status {found[0]} with a valid token and {found[1]} with a forged one; "
                 f"expected 200 and {forged}")


def wrk(row, testbed, seconds, connections):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s",
               HERE.parent / "side-by-side/tokens.lua", row.url]
    environment = {**os.environ, "TOKENS": str(testbed.folder / "tokens.txt")}
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment).stdout


def measure(row, testbed, options):
    """Returns the CPU times under load, and the latencies with few connections."""
    deciders = family(row.decider.pid) if row.decider else []
    proxies = family(row.proxy.pid)
    before = cpu_seconds(deciders), cpu_seconds(proxies)
    output = wrk(row, testbed, options.seconds, options.connections)
    spent = cpu_seconds(deciders) - before[0], cpu_seconds(proxies) - before[1]
    load = cost(output, spent[0], options.seconds)
    few = cost(wrk(row, testbed, options.seconds, options.few), 0, options.seconds)
    return {"us": load["us"], "proxy": spent[1] / (load["rate"] * options.seconds) * 1e6, "rate": load["rate"],
            "p50": few["p50"], "p99": few["p99"],
            "failed": sum(run[key] for run in (load, few) for key in ("not 2xx", "errors"))}


def show(results, found):
    print(f"{'':40}{'us CPU of decider':>18}{'(best-worst)':>15}{'us of proxy':>12}{'requests/s':>11}"
          f"{'p50 ms':>8}{'p99 ms':>8}{'+p50':>7}{'+p99':>7}{'failed':>8}")
    for row in found:
        own = results[row.title]
        plain = results[f"{ACCESSES[row.access]}: {DECIDERS[0]}"]
        values = median(own)
        # The difference is that of the same round, so that a slow minute affects both.
        added = [statistics.median(one[key] - other[key] for one, other in zip(own, plain)) for key in ("p50", "p99")]
        spread = f"({min(one['us'] for one in own):.1f}-{max(one['us'] for one in own):.1f})" if row.decider else ""
        decider = f"{values['us']:.1f}" if row.decider else "-"
        print(f"{row.title:40}{decider:>18}{spread:>15}{values['proxy']:12.1f}{values['rate']:11.0f}"
              f"{values['p50']:8.2f}{values['p99']:8.2f}{added[0]:7.2f}{added[1]:7.2f}"
              f"{sum(one['failed'] for one in own):8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    parser.add_argument("--envoy", default=str(ROOT / ".build/proxies-venv/bin/envoy"), help="Envoy's binary")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with all rows")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each of a row's two measurements")
    parser.add_argument("--connections", type=int, default=64, help="connections for the CPU times")
    parser.add_argument("--few", type=int, default=2, help="connections for the latencies")
    parser.add_argument("--tokens", type=int, default=2000, help="different tokens")
    parser.add_argument("--only", default=",".join(ACCESSES), help="the proxies to measure, separated by commas")
    parser.add_argument("--json", help="also write the results to this file")
    options = parser.parse_args()
    with Testbed(options.gateway) as testbed:
        service = free_port()
        testbed.nginx("service", f"server {{ listen 127.0.0.1:{service}; default_type application/json; "
                      f"location / {{ return 200 '{BODY}'; }} }}")
        testbed.await_port(service)
        tokens = testbed.mint.write(options.tokens)
        found = rows(testbed, options, service)
        for row in found:
            check(row, testbed, tokens[0])
            wrk(row, testbed, 1, options.connections)  # Opens the connections, and fills the caches with all tokens.
        results = {row.title: [] for row in found}
        for _ in range(options.rounds):
            for row in found:
                results[row.title].append(measure(row, testbed, options))
    print(f"medians of {options.rounds} rounds of {options.seconds} s; one worker each; "
          f"{options.connections} connections for CPU times, {options.few} for latencies\n")
    show(results, found)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    sys.exit(any(one["failed"] for each in results.values() for one in each))


if __name__ == "__main__":
    main()
