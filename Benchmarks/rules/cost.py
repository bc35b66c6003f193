#!/usr/bin/env python3
"""Measures the CPU time per request of security rules: one gateway without a rule, and with several rules.

    .build-bench/bin/python Benchmarks/rules/cost.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one worker, wrk with 64 connections and 2,000 different tokens, CPU time
from /proc, all rules in each round. Each request has the path of its own user, and each measurement starts a new
gateway. All traffic is on 127.0.0.1."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from costs import arguments, compare, measure_new  # noqa: E402
from fleet import Fleet  # noqa: E402

RULES = """rules_version = '2';
service gatehouse.http {
  function signedIn() { return request.auth != null; }
  function isOwner(uid) { return signedIn() && request.auth.uid == uid; }
  match /v1/users/{uid}/{rest=**} {
    allow delete: if isOwner(uid) && recentSignIn(duration.value(5, 'm'));
    allow write: if isOwner(uid) && request.auth.token.email_verified;
    allow read: if isOwner(uid);
  }
}
"""
# The name of the row, the condition in the route's `allow`, and whether the gateway uses the rules file.
ROWS = (
    ("no rule", None, False),
    ("owner", "auth.uid == uid", False),
    ("owner, verified address, provider",
     "auth != null && auth.uid == uid && auth.token.email_verified"
     " && auth.token.firebase.sign_in_provider == 'google.com'", False),
    ("a rules file", None, True),
    ("a regular expression", "auth.token.email.matches('.*@bench[.]example')", False),
)
PATH = "/v1/users/bench-user-%016d/notes"


def sections(fleet, allow, has_rules):
    """Returns the sections of a gateway with a rule."""
    route = {"path": "/v1/users/{uid}/{rest=**}", "upstream": "api", **({"allow": allow} if allow else {})}
    return {"routes": [route], **({"rules": str(fleet.folder / "bench.rules")} if has_rules else {})}


def main():
    options = arguments(__doc__, "all rules")
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        (fleet.folder / "bench.rules").write_text(RULES)
        compare(options, {name: lambda row=row: measure_new(fleet, PATH, options.seconds, **sections(fleet, *row))
                          for name, *row in ROWS})


if __name__ == "__main__":
    main()
