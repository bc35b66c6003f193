#!/usr/bin/env python3
"""Measures the CPU time of a request over HTTP/2, in comparison with nginx, HAProxy and Envoy, in one run.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/http2/side_by_side.py [--gateway .build/release/gatehouse]
        [--rounds 5] [--seconds 4] [--connections 10] [--streams 32] [--users 10] [--only NAME,...]
        [--envoy $(script/proxies)/envoy]

h2load sends the requests, with TLS 1.3 and without. Each gateway has one worker and uses the same nginx on loopback, by
HTTP/1.1 or by HTTP/2 without TLS (h2c). nginx cannot use HTTP/2 to an upstream. Each connection belongs to a user with
an RS256 token of about 1 KiB; --users is the number of h2load processes among which the connections are divided, each
with a token of its own. CPU time is that of the gateway's processes, from /proc. Percentiles are those of h2load's log
of all requests. Each round measures all rows in turn. All traffic is on 127.0.0.1."""

import argparse
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "edge"))
from testbed import ROOT, Claims, Testbed, cpu_seconds, family, free_port, quantile, stop, wait_for  # noqa: E402
from table import median, show  # noqa: E402

CIPHER = "TLS_AES_256_GCM_SHA384"
BODY = '{"service":"bench","answer":"a small JSON document of about a hundred bytes, as many APIs give"}'
# The rows: name, gateway, path, and whether the gateway checks the token.
ROWS = (
    ("gatehouse to HTTP/1.1, all checks", "gatehouse", "/one", True),
    ("gatehouse to h2c, all checks", "gatehouse", "/two", True),
    ("nginx to HTTP/1.1, no check", "nginx", "/", False),
    ("haproxy to h2c, no check", "haproxy", "/", False),
    ("envoy to h2c, no check", "envoy", "/", False),
    ("haproxy to h2c, jwt_verify", "haproxy-jwt", "/", True),
    ("envoy to h2c, jwt_authn", "envoy-jwt", "/", True),
)
PROJECT = "bench-project"


class Servers:
    """The ports of the common upstream: `one` with HTTP/1.1, `two` with h2c."""

    def __init__(self, testbed):
        self.one, self.two = free_port(), free_port()
        answer = f"location / {{ return 200 '{BODY}'; }}"
        testbed.nginx("upstream", f"server {{ listen 127.0.0.1:{self.one} backlog=4096; {answer} }}"
                                  f"server {{ listen 127.0.0.1:{self.two} http2 backlog=4096; {answer} }}")
        testbed.await_port(self.two)


def gatehouse(testbed, servers, options):
    plain, secure = free_port(), free_port()
    tls = testbed.authority.files("server") | {"minimum_version": "1.3"}
    process = testbed.gateway({
        "listen": [{"address": f"127.0.0.1:{plain}", "protocols": ["http/1.1", "h2c"]},
                   {"address": f"127.0.0.1:{secure}", "tls": tls}],
        "upstreams": {"one": {"servers": [f"http://127.0.0.1:{servers.one}"]},
                      "two": {"servers": [f"http://127.0.0.1:{servers.two}"], "protocol": "h2c"}},
        "routes": [{"path": "/one", "upstream": "one"}, {"path": "/two", "upstream": "two"}]})
    return process, plain, secure


def nginx(testbed, servers, options):
    plain, secure, files = free_port(), free_port(), testbed.authority.files("server")
    location = 'location / { proxy_pass http://api; proxy_http_version 1.1; proxy_set_header Connection ""; }'
    process = testbed.nginx("nginx", f"""
        upstream api {{ server 127.0.0.1:{servers.one}; keepalive 512; keepalive_requests 1000000000; }}
        server {{ listen 127.0.0.1:{plain} http2; {location} }}
        server {{
          listen 127.0.0.1:{secure} ssl http2;
          ssl_certificate {files['certificate']}; ssl_certificate_key {files['private_key']};
          ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites {CIPHER};
          {location}
        }}""")
    return process, plain, secure


def haproxy(testbed, servers, options, checks=""):
    plain, secure = free_port(), free_port()
    tls = f"ssl crt {testbed.folder}/server.both ssl-min-ver TLSv1.3 ciphersuites {CIPHER} alpn h2"
    process = testbed.haproxy(
        "haproxy-jwt" if checks else "haproxy",
        f"frontend clients\n bind 127.0.0.1:{plain} proto h2\n bind 127.0.0.1:{secure} {tls}\n{checks}"
        f" default_backend api\nbackend api\n http-reuse always\n server one 127.0.0.1:{servers.two} proto h2")
    return process, plain, secure


def haproxy_jwt(testbed, servers, options):
    text = (HERE.parent / "side-by-side/peers/haproxy.cfg").read_text()
    rules = "".join(line.replace("    ", " ") for line in text.splitlines(True) if "    http-request" in line)
    return haproxy(testbed, servers, options, rules.replace("@DIR@", str(testbed.folder)))


LISTENER = """
  - address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }}
    filter_chains:
      - filters:
          - name: envoy.filters.network.http_connection_manager
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.network.\
http_connection_manager.v3.HttpConnectionManager
              stat_prefix: clients
              codec_type: HTTP2
              route_config:
                virtual_hosts:
                  - {{ name: all, domains: ["*"], routes: [{{ match: {{ prefix: / }}, route: {{ cluster: api }} }}] }}
              http_filters:
{filters}
                - name: envoy.filters.http.router
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
{tls}"""
ENVOY_TLS = """        transport_socket:
          name: envoy.transport_sockets.tls
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
            common_tls_context:
              alpn_protocols: [h2]
              tls_params: {{ tls_minimum_protocol_version: TLSv1_3 }}
              tls_certificates:
                - {{ certificate_chain: {{ filename: {certificate} }}, private_key: {{ filename: {private_key} }} }}
"""
ENVOY_JWT = """                - name: envoy.filters.http.jwt_authn
                  typed_config:
                    "@type": type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication
                    providers:
                      firebase:
                        issuer: https://securetoken.google.com/{project}
                        audiences: [{project}]
                        local_jwks: {{ filename: {folder}/jwks.json }}
                        forward: true
                        claim_to_headers: [{{ header_name: x-auth-uid, claim_name: sub }}]
                        jwt_cache_config: {{ jwt_cache_size: 10000 }}
                    rules: [{{ match: {{ prefix: / }}, requires: {{ provider_name: firebase }} }}]
"""
ENVOY = """
static_resources:
  listeners:
{listeners}
  clusters:
    - name: api
      connect_timeout: 5s
      circuit_breakers: {{ thresholds: [{{ max_requests: 100000, max_pending_requests: 100000 }}] }}
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
          explicit_http_config: {{ http2_protocol_options: {{}} }}
      load_assignment:
        cluster_name: api
        endpoints:
          - lb_endpoints:
              - endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {upstream} }} }} }}
"""


def envoy(testbed, servers, options, name="envoy", filters=""):
    plain, secure = free_port(), free_port()
    tls = ENVOY_TLS.format(**testbed.authority.files("server"))
    listeners = LISTENER.format(port=plain, filters=filters, tls="") + LISTENER.format(
        port=secure, filters=filters, tls=tls)
    file = testbed.folder / f"{name}.yaml"
    file.write_text(ENVOY.format(listeners=listeners, upstream=servers.two))
    process = testbed.start(name, [options.envoy, "-c", file, "--concurrency", 1, "--disable-hot-restart",
                                   "--log-level", "error"])
    return process, plain, secure


def envoy_jwt(testbed, servers, options):
    return envoy(testbed, servers, options, "envoy-jwt", ENVOY_JWT.format(project=PROJECT, folder=testbed.folder))


KINDS = {"gatehouse": gatehouse, "nginx": nginx, "haproxy": haproxy, "envoy": envoy, "haproxy-jwt": haproxy_jwt,
         "envoy-jwt": envoy_jwt}


def negotiated(testbed, port):
    """Returns the protocol and the version of TLS that a client with both protocols negotiates."""
    context = ssl.create_default_context(cafile=str(testbed.authority.file))
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (socket.create_connection(("127.0.0.1", port), 5) as plain,
          context.wrap_socket(plain, server_hostname="localhost") as connection):
        return f"{connection.selected_alpn_protocol()} over {connection.version()}"


def h2load(url, tokens, seconds, options, folder):
    """Runs h2load. Returns the results of all requests as (status, microseconds), and the failed ones."""
    users = max(1, min(options.users, options.connections))
    shares = [options.connections // users + (user < options.connections % users) for user in range(users)]
    running = []
    for user, share in enumerate(shares):
        log = folder / f"h2load-{user}.tsv"
        log.unlink(missing_ok=True)  # h2load appends.
        command = ["h2load", "-t1", f"-c{share}", f"-m{options.streams}", f"-D{seconds}", f"--tls13-ciphers={CIPHER}",
                   "-H", f"authorization: Bearer {tokens[user]}", f"--log-file={log}", url]
        running.append((subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True), log))
    results, failed = [], 0
    for process, log in running:
        output = process.communicate()[0]
        counts = re.search(r"(\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", output)
        if not counts:
            sys.exit(f"h2load: {output}")
        failed += sum(int(counts[index]) for index in (2, 3, 4))
        for line in log.read_text().splitlines():
            fields = line.split("\t")
            results.append((int(fields[1]), int(fields[2])))
    return results, failed


def measure(process, url, tokens, options, folder):
    h2load(url, tokens, 1, options, folder)
    pids = family(process.pid)
    before = cpu_seconds(pids)
    results, failed = h2load(url, tokens, options.seconds, options, folder)
    spent = cpu_seconds(pids) - before
    if not results:
        sys.exit(f"{url}: no response in {options.seconds} s; repeat the run on a machine with less load")
    times = [microseconds / 1000 for _, microseconds in results]
    return {"us": spent / len(results) * 1e6, "rate": len(results) / options.seconds,
            "p50": quantile(times, 0.5), "p99": quantile(times, 0.99),
            "not 2xx": sum(not 200 <= status < 300 for status, _ in results), "errors": failed}


def curl_status(url, token):
    command = ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code} %{http_version}", "-H",
               f"Authorization: Bearer {token}", "--http2-prior-knowledge" if url.startswith("http:") else "--http2",
               url]
    return subprocess.run(command, capture_output=True, text=True).stdout


def check(testbed, chosen, started, tokens, claims):
    """Checks each row once: HTTP/2, 200 with a token, and 401 with a forged one if the gateway checks tokens."""
    for name, kind, path, checks in chosen:
        _, plain, secure = started[kind]
        for url in (f"http://127.0.0.1:{plain}{path}", f"https://127.0.0.1:{secure}{path}"):
            wait_for(lambda: curl_status(url, tokens[0]) == "200 2", f"{name} ({url}); see {testbed.folder}")
            forged = curl_status(url, testbed.mint.forged(tokens[0]))
            if forged != ("401 2" if checks else "200 2"):
                sys.exit(f"{name} responded to a forged token with {forged}")
    agreed = {kind: negotiated(testbed, secure) for kind, (_, _, secure) in started.items()}
    claims.hold(set(agreed.values()) == {"h2 over TLSv1.3"}, f"all gateways negotiate HTTP/2 and TLS 1.3: {agreed}")


def claim(tables, claims):
    for transport, rows in tables.items():
        failed = sum(result["not 2xx"] + result["errors"] for results in rows.values() for result in results)
        claims.hold(failed == 0, f"{transport}: all responses of all gateways were 2xx ({failed} were not)")
        medians = {name: median(results)["us"] for name, results in rows.items()}
        for ours in [name for name in medians if name.startswith("gatehouse")]:
            for other in [name for name in medians if not name.startswith("gatehouse")]:
                print(f"{transport}: {ours} / {other}: {medians[ours] / medians[other]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    parser.add_argument("--envoy", default=str(ROOT / ".build/proxies-venv/bin/envoy"), help="Envoy's binary")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with all rows")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement in seconds")
    parser.add_argument("--connections", type=int, default=10, help="connections of the clients")
    parser.add_argument("--streams", type=int, default=32, help="concurrent requests of a connection")
    parser.add_argument("--users", type=int, default=10, help="processes of h2load, each with one token")
    parser.add_argument("--only", default="", help="prefixes of the rows to measure, separated by commas")
    options = parser.parse_args()
    chosen = [row for row in ROWS if any(row[0].startswith(prefix) for prefix in options.only.split(","))]
    if not shutil.which(options.envoy):
        print(f"no Envoy at {options.envoy}: its rows are skipped; script/proxies installs it", file=sys.stderr)
        chosen = [row for row in chosen if not row[1].startswith("envoy")]
    claims = Claims()
    with Testbed(options.gateway) as testbed:
        tokens = testbed.mint.write(max(1, options.users))
        testbed.authority.issue("server")
        servers = Servers(testbed)
        started = {kind: KINDS[kind](testbed, servers, options) for kind in dict.fromkeys(row[1] for row in chosen)}
        check(testbed, chosen, started, tokens, claims)
        tables = {"cleartext": {}, "TLS": {}}
        for _ in range(options.rounds):
            for transport, rows in tables.items():
                for name, kind, path, _ in chosen:
                    process, plain, secure = started[kind]
                    origin = f"https://127.0.0.1:{secure}" if transport == "TLS" else f"http://127.0.0.1:{plain}"
                    result = measure(process, origin + path, tokens, options, testbed.folder)
                    rows.setdefault(name, []).append(result)
        for process, _, _ in started.values():
            stop(process)
        for transport, rows in tables.items():
            print(f"\n{transport}: medians of {options.rounds} rounds of {options.seconds} s, {options.connections} "
                  f"connections with {options.streams} concurrent requests each, {options.users} users, one worker "
                  "each\n")
            show(rows)
    claim(tables, claims)
    claims.end()


if __name__ == "__main__":
    main()
