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

import http.client
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from costs import arguments, compare, measure  # noqa: E402
from fleet import PROJECT, Fleet  # noqa: E402

NUMBER, APP = "123456789012", "1:123456789012:web:0a1b2c3d"
MODES = ("off", "monitor", "enforce")
ROUTES = [{"path": f"/{mode}/**", "app_check": mode, "upstream": "api"} for mode in MODES]
# The rows: the path, and the file of App Check tokens.
ROWS = {
    "off": ("/off/x", None), "off, with the field": ("/off/x", "apps.txt"), "monitor": ("/monitor/x", "apps.txt"),
    "enforce": ("/enforce/x", "apps.txt"),
}


def app_token(mint, index):
    """Returns a token with the claims of App Check."""
    now = int(time.time())
    return mint.sign({
        "sub": APP, "aud": [f"projects/{NUMBER}", f"projects/{PROJECT}"], "provider": "recaptcha_enterprise",
        "iss": f"https://firebaseappcheck.googleapis.com/{NUMBER}", "iat": now - 20, "exp": now + 8 * 3600,
        "jti": f"{index:043d}",
    }, typ="JWT")


def check(gateway, mint, user, app):
    """Fails unless `enforce` permits a valid App Check token, and denies a forged and a missing one."""
    for token, expected in ((app, 200), (mint.forged(app), 401), (None, 401)):
        connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=10)
        fields = {"X-Firebase-AppCheck": token} if token else {}
        connection.request("GET", "/enforce/x", headers={"Authorization": f"Bearer {user}", **fields})
        found = connection.getresponse().status
        connection.close()
        if found != expected:
            sys.exit(f"/enforce/x is {found} instead of {expected}")


def main():
    options = arguments(__doc__, "all rows")
    with Fleet(options.binary) as fleet:
        users = fleet.mint.write(2000)
        apps = fleet.mint.write(2000, lambda index: app_token(fleet.mint, index), "apps.txt")
        settings = {"project_number": NUMBER, "apps": {APP: "web"}, "keys_url": fleet.key_set}
        gateway = fleet.gateway(identity={"firebase": fleet.firebase(app_check=settings)}, routes=ROUTES)
        check(gateway, fleet.mint, users[0], apps[0])
        rows = {name: lambda row=row: measure(fleet, gateway, row[0], options.seconds, apps=row[1])
                for name, row in ROWS.items()}
        compare(options, rows, f", cached tokens\nID tokens of {len(users[0])} bytes, App Check tokens of "
                               f"{len(apps[0])} bytes")


if __name__ == "__main__":
    main()
