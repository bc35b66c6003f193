#!/usr/bin/env python3
"""Checks every response of a gateway under load while its upstream is killed and restarted, and while the gateway stops
after SIGTERM.

    .build-bench/bin/python Benchmarks/resilience/restarts.py [--seconds 30] [--binary .build/release/gatehouse]

Two loads run at the same time: wrk with 64 connections and alternating valid and forged tokens, and 8 checkers that
know which token they sent. The script counts events that must never occur: a forged or missing token without a 401, a
response with another user's uid, a request at the upstream without a verified user. Needs the packages of
Benchmarks/side-by-side. All traffic is on 127.0.0.1."""

import argparse
import collections
import http.client
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "side-by-side"))
from tokens import TokenMint  # noqa: E402

GATEWAY, UPSTREAM, KEYS = 9490, 9491, 9492

NGINX = """
daemon off; worker_processes 1; pid @DIR@/@NAME@.pid; error_log @DIR@/@NAME@.log;
events { worker_connections 1024; }
http {
  log_format seen '$http_x_auth_uid';
  access_log @DIR@/seen.log seen;
  large_client_header_buffers 4 32k;
  keepalive_requests 1000000000;
  server { listen 127.0.0.1:@PORT@; root @DIR@; @BODY@ }
}
"""
GATEHOUSE = f"""
listen: [{{ address: "127.0.0.1:{GATEWAY}" }}]
drain: {{ delay: 1s, timeout: 10s }}
admin: {{ address: null }}
store: "sqlite::memory:"
log: {{ access: "off" }}
identity:
  firebase:
    project: bench-project
    keys_url: http://127.0.0.1:{KEYS}/jwks.json
    session_keys_url: http://127.0.0.1:{KEYS}/jwks.json
upstreams: {{ api: {{ servers: ["http://127.0.0.1:{UPSTREAM}"] }} }}
routes: [{{ path: /work, upstream: api }}]
"""


def start_nginx(folder, name, port, body):
    text = NGINX.replace("@DIR@", str(folder)).replace("@NAME@", name)
    text = text.replace("@PORT@", str(port)).replace("@BODY@", body)
    file = folder / f"{name}.conf"
    file.write_text(text)
    return subprocess.Popen(["nginx", "-c", str(file)], stderr=subprocess.DEVNULL, start_new_session=True)


def kill(process, how):
    try:
        os.killpg(process.pid, how)
    except ProcessLookupError:
        pass
    process.wait()


class Checker(threading.Thread):
    """Sends valid, forged and missing tokens on sequential keep-alive connections, and checks each response."""

    def __init__(self, tokens, forged, counts, stop):
        super().__init__(daemon=True)
        self.tokens, self.forged, self.counts, self.stop = tokens, forged, counts, stop

    def run(self):
        connection = None
        while not self.stop.is_set():
            number = random.randrange(len(self.tokens))
            kind = random.choice(["valid", "valid", "forged", "missing"])
            token = {"valid": self.tokens, "forged": self.forged}.get(kind, [None] * len(self.tokens))[number]
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", GATEWAY, timeout=20)
                connection.request("GET", "/work", headers={"Authorization": f"Bearer {token}"} if token else {})
                response = connection.getresponse()
                body = response.read().decode()
                self.check(kind, number, response.status, body)
                if response.getheader("Connection") == "close":
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                self.counts[f"{kind}: no response ({type(error).__name__})"] += 1
                connection = None
                time.sleep(0.01)

    def check(self, kind, number, status, body):
        if kind != "valid":
            expected = status == 401
        elif status == 200:
            expected = body.strip() == f"bench-user-{number:016d}"
        else:
            expected = status in (502, 504)
        self.counts[f"{kind}: {status}" + ("" if expected else " WRONG")] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=30, help="duration of the load in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-restarts-"))
    folder.chmod(0o777)
    mint = TokenMint(folder)
    tokens = mint.write(200)
    forged = [mint.forged(token) for token in tokens]
    mixed = folder / "mixed.txt"
    mixed.write_text("\n".join(t for pair in zip(tokens, forged) for t in pair) + "\n")
    (folder / "gatehouse.yaml").write_text(GATEHOUSE)
    echo = "location / { default_type text/plain; return 200 $http_x_auth_uid; }"
    keys = start_nginx(folder, "keys", KEYS, "access_log off;")
    upstream = start_nginx(folder, "upstream", UPSTREAM, echo)
    gateway = subprocess.Popen(
        [options.binary, "serve", "--config", str(folder / "gatehouse.yaml")],
        stderr=open(folder / "gateway.log", "w"), start_new_session=True)
    try:
        time.sleep(2)
        counts, stop = collections.Counter(), threading.Event()
        load = subprocess.Popen(
            ["wrk", "-t1", "-c64", f"-d{options.seconds}s", "-s", str(HERE.parent / "side-by-side/tokens.lua"),
             f"http://127.0.0.1:{GATEWAY}/work"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TOKENS": str(mixed)})
        checkers = [Checker(tokens, forged, counts, stop) for _ in range(8)]
        for checker in checkers:
            checker.start()
        end, kills = time.monotonic() + options.seconds - 4, 0
        while time.monotonic() < end:
            time.sleep(2)
            kill(upstream, signal.SIGKILL)
            kills += 1
            time.sleep(0.5)
            upstream = start_nginx(folder, "upstream", UPSTREAM, echo)
        gateway.send_signal(signal.SIGTERM)
        code = gateway.wait(15)
        stop.set()
        output = load.communicate()[0]
        report(options, folder, counts, kills, code, output)
    finally:
        for process in (keys, upstream, gateway):
            kill(process, signal.SIGKILL)


def report(options, folder, counts, kills, code, output):
    seen = collections.Counter((folder / "seen.log").read_text().split("\n")[:-1])
    unverified = sum(n for uid, n in seen.items() if not re.fullmatch(r"bench-user-\d{16}", uid))
    print(f"{options.seconds} s of load; upstream killed {kills} times; exit code of the gateway after SIGTERM: {code}")
    print("wrk:")
    for line in output.splitlines():
        if re.search(r"requests in|Non-2xx|Socket errors|Requests/sec", line):
            print("   ", line.strip())
    print("checkers:")
    for name, count in sorted(counts.items()):
        print(f"    {name:40}{count:8}")
    wrong = sum(count for name, count in counts.items() if name.endswith("WRONG"))
    print(f"wrong responses: {wrong}; requests at the upstream: {sum(seen.values())}, "
          f"without a verified user: {unverified}")
    sys.exit(1 if wrong or unverified or code != 0 else 0)


if __name__ == "__main__":
    main()
