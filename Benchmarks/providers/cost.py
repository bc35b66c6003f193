#!/usr/bin/env python3
"""Measures the CPU time of a request with a cached ID token of Apple, in comparison with a cached token of Firebase.

    .build-bench/bin/python Benchmarks/providers/cost.py [--rounds 5] [--seconds 4]
        [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one gateway with one worker, wrk with 64 connections and 2,000 different
tokens of each kind, CPU time of the gateway from /proc, both kinds in each round. The kinds differ in the length of
their claims, and so in the length of tokens and identity headers. All traffic is on 127.0.0.1."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from fleet import HERE, KEYS, ROOT, UPSTREAM, Fleet, cpu_seconds, family, get, stop, wait_for  # noqa: E402
from table import cost, show  # noqa: E402
from tokens import b64, hashes, padding  # noqa: E402

AUDIENCE = "example.bench.app"
GATEWAY = f"""
listen: [{{ address: "127.0.0.1:9597" }}]
workers: 1
drain: {{ delay: 0s, timeout: 1s }}
admin: {{ address: "127.0.0.1:9598" }}
store: "sqlite::memory:"
log: {{ access: "off" }}
identity:
  firebase:
    project: bench-project
    keys_url: http://127.0.0.1:{KEYS}/jwks.json
    session_keys_url: http://127.0.0.1:{KEYS}/jwks.json
  providers:
    apple.com: {{ audiences: [{AUDIENCE}], keys_url: "http://127.0.0.1:{KEYS}/jwks.json" }}
upstreams: {{ api: {{ servers: ["http://127.0.0.1:{UPSTREAM}"] }} }}
routes: [{{ path: /**, upstream: api }}]
"""


def apple_token(mint, index):
    """Returns a token with the claims of Apple, and a claim that makes it about as long as the Firebase tokens."""
    now = int(time.time())
    claims = {
        "iss": "https://appleid.apple.com", "aud": AUDIENCE, "sub": f"000123.{index:032x}.0123",
        "iat": now - 20, "exp": now + 8 * 3600, "auth_time": now - 300,
        "email": f"user{index}@bench.example", "email_verified": "true", "is_private_email": "false",
        "nonce_supported": True, "real_user_status": 2, "c_hash": "0123456789abcdef012345",
        "padding": "x" * 240,
    }
    header = {"alg": "RS256", "kid": "bench"}
    signed = ".".join(b64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    return f"{signed}.{b64(mint.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def load(tokens, seconds):
    return subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{seconds}s", "--latency", "-s", str(HERE.parent / "side-by-side/tokens.lua"),
         "http://127.0.0.1:9597/v1/x"],
        env={**os.environ, "TOKENS": str(tokens)}, capture_output=True, text=True, check=True).stdout


def measure(gateway, tokens, seconds):
    load(tokens, 1)
    pids = family(gateway.pid)
    before = cpu_seconds(pids)
    output = load(tokens, seconds)
    spent = cpu_seconds(pids) - before
    return cost(output, spent, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with both kinds of token")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        kinds = {
            "Firebase": [fleet.mint.token(index) for index in range(2000)],
            "Apple": [apple_token(fleet.mint, index) for index in range(2000)],
        }
        for name, tokens in kinds.items():
            (fleet.folder / f"{name}.txt").write_text("\n".join(tokens) + "\n")
        (fleet.folder / "gateway.yaml").write_text(GATEWAY)
        gateway = fleet.start("gateway", [options.binary, "serve", "--config", fleet.folder / "gateway.yaml"])
        wait_for(lambda: get(9598, "/readyz")[0] == 200, f"the gateway; see {fleet.folder}/gateway.log")
        rows = {name: [] for name in kinds}
        for _ in range(options.rounds):
            for name in kinds:
                rows[name].append(measure(gateway, fleet.folder / f"{name}.txt", options.seconds))
        stop(gateway)
        print(f"medians of {options.rounds} rounds of {options.seconds} s, 64 connections, one worker, cached tokens")
        show({f"{name}, {len(kinds[name][0])} bytes": results for name, results in rows.items()})


if __name__ == "__main__":
    main()
