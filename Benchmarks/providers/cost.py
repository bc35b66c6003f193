#!/usr/bin/env python3
"""Measures the CPU time of a request with a cached ID token of Apple, in comparison with a cached token of Firebase.

    .build-bench/bin/python Benchmarks/providers/cost.py [--rounds 5] [--seconds 4]
        [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one gateway with one worker, wrk with 64 connections and 2,000 different
tokens of each kind, CPU time of the gateway from /proc, both kinds in each round. The kinds differ in the length of
their claims, and so in the length of tokens and identity headers. All traffic is on 127.0.0.1."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from costs import arguments, compare, measure  # noqa: E402
from fleet import Fleet  # noqa: E402

AUDIENCE = "example.bench.app"


def apple_token(mint, index):
    """Returns a token with the claims of Apple, and a claim that makes it about as long as the Firebase tokens."""
    now = int(time.time())
    return mint.sign({
        "iss": "https://appleid.apple.com", "aud": AUDIENCE, "sub": f"000123.{index:032x}.0123",
        "iat": now - 20, "exp": now + 8 * 3600, "auth_time": now - 300,
        "email": f"user{index}@bench.example", "email_verified": "true", "is_private_email": "false",
        "nonce_supported": True, "real_user_status": 2, "c_hash": "0123456789abcdef012345",
        "padding": "x" * 240,
    })


def main():
    options = arguments(__doc__, "both kinds of token")
    with Fleet(options.binary) as fleet:
        kinds = {
            "Firebase": fleet.mint.write(2000, name="Firebase.txt"),
            "Apple": fleet.mint.write(2000, lambda index: apple_token(fleet.mint, index), "Apple.txt"),
        }
        apple = {"audiences": [AUDIENCE], "keys_url": fleet.key_set}
        gateway = fleet.gateway(
            identity={"firebase": fleet.firebase(), "providers": {"apple.com": apple}},
            routes=[{"path": "/**", "upstream": "api"}])
        rows = {f"{name}, {len(tokens[0])} bytes":
                lambda name=name: measure(fleet, gateway, "/v1/x", options.seconds, tokens=f"{name}.txt")
                for name, tokens in kinds.items()}
        compare(options, rows, ", cached tokens")


if __name__ == "__main__":
    main()
