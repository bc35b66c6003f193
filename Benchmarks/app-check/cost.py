#!/usr/bin/env python3
"""Measures the CPU time of a request with a cached App Check token, beside the same request without App Check.

    script/setup --bench
    python3 -m venv .build-bench && .build-bench/bin/pip install cryptography
    .build-bench/bin/python Benchmarks/app-check/cost.py [--rounds 5] [--seconds 4]
        [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one gateway with one worker, wrk with 64 connections, CPU time of the
gateway from /proc, all rows in each round. Each request has the next of 2,000 different ID tokens, and on the rows with
a field, the next of 2,000 different App Check tokens. All are in the caches before a measurement. The row `off, with
the field` shows the cost of reading and removing the field; `monitor` and `enforce` add the hash and the lookup. All
traffic is on 127.0.0.1."""

import argparse
import http.client
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "redis"))
from fleet import KEYS, ROOT, UPSTREAM, Fleet, cpu_seconds, family, get, stop, wait_for  # noqa: E402
from table import cost, show  # noqa: E402
from tokens import PROJECT, TokenMint, b64, hashes, padding  # noqa: E402

NUMBER, APP = "123456789012", "1:123456789012:web:0a1b2c3d"
GATEWAY = f"""
listen: [{{ address: "127.0.0.1:9597" }}]
workers: 1
drain: {{ delay: 0s, timeout: 1s }}
admin: {{ address: "127.0.0.1:9598" }}
store: "sqlite::memory:"
log: {{ access: "off" }}
identity:
  firebase:
    project: {PROJECT}
    keys_url: http://127.0.0.1:{KEYS}/jwks.json
    session_keys_url: http://127.0.0.1:{KEYS}/jwks.json
    app_check:
      project_number: {NUMBER}
      apps: {{ "{APP}": web }}
      keys_url: http://127.0.0.1:{KEYS}/jwks.json
upstreams: {{ api: {{ servers: ["http://127.0.0.1:{UPSTREAM}"] }} }}
routes:
  - {{ path: /off/**, upstream: api }}
  - {{ path: /monitor/**, app_check: monitor, upstream: api }}
  - {{ path: /enforce/**, app_check: enforce, upstream: api }}
"""
# The rows: the path, and whether requests have an App Check token.
ROWS = {
    "off": ("/off/x", False), "off, with the field": ("/off/x", True), "monitor": ("/monitor/x", True),
    "enforce": ("/enforce/x", True),
}


def app_token(mint, index):
    """Returns a token with the claims of App Check."""
    now = int(time.time())
    claims = {
        "sub": APP, "aud": [f"projects/{NUMBER}", f"projects/{PROJECT}"], "provider": "recaptcha_enterprise",
        "iss": f"https://firebaseappcheck.googleapis.com/{NUMBER}", "iat": now - 20, "exp": now + 8 * 3600,
        "jti": f"{index:043d}",
    }
    header = {"kid": "bench", "typ": "JWT", "alg": "RS256"}
    signed = ".".join(b64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    return f"{signed}.{b64(mint.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def load(files, row, seconds):
    path, has_token = ROWS[row]
    environment = {**os.environ, "TOKENS": str(files[0]), "APP_TOKENS": str(files[1]) if has_token else ""}
    return subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", str(HERE / "tokens.lua"),
         f"http://127.0.0.1:9597{path}"],
        env=environment, capture_output=True, text=True, check=True).stdout


def measure(gateway, files, row, seconds):
    load(files, row, 1)
    pids = family(gateway.pid)
    before = cpu_seconds(pids)
    output = load(files, row, seconds)
    return cost(output, cpu_seconds(pids) - before, seconds)


def check(user, app):
    """Fails unless `enforce` permits a valid App Check token, and denies a forged and a missing one."""
    fields = {"Authorization": f"Bearer {user}"}
    for token, expected in ((app, 200), (TokenMint.forged(app), 401), (None, 401)):
        more = {"X-Firebase-AppCheck": token} if token else {}
        found = status("/enforce/x", {**fields, **more})
        if found != expected:
            sys.exit(f"/enforce/x is {found} instead of {expected}")


def status(path, fields):
    connection = http.client.HTTPConnection("127.0.0.1", 9597, timeout=10)
    connection.request("GET", path, headers=fields)
    found = connection.getresponse().status
    connection.close()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with all rows")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        users = [fleet.mint.token(index) for index in range(2000)]
        apps = [app_token(fleet.mint, index) for index in range(2000)]
        files = (fleet.folder / "users.txt", fleet.folder / "apps.txt")
        for file, tokens in zip(files, (users, apps)):
            file.write_text("\n".join(tokens) + "\n")
        (fleet.folder / "gateway.yaml").write_text(GATEWAY)
        gateway = fleet.start("gateway", [options.binary, "serve", "--config", fleet.folder / "gateway.yaml"])
        wait_for(lambda: get(9598, "/readyz")[0] == 200, f"the gateway; see {fleet.folder}/gateway.log")
        check(users[0], apps[0])
        rows = {row: [] for row in ROWS}
        for _ in range(options.rounds):
            for row in ROWS:
                rows[row].append(measure(gateway, files, row, options.seconds))
        stop(gateway)
        print(f"medians of {options.rounds} rounds of {options.seconds} s, 64 connections, one worker, cached tokens\n"
              f"ID tokens of {len(users[0])} bytes, App Check tokens of {len(apps[0])} bytes")
        show(rows)


if __name__ == "__main__":
    main()
