#!/usr/bin/env python3
"""Measures the CPU time per request of security rules: one gateway without a rule, and with several rules.

    .build-bench/bin/python Benchmarks/rules/cost.py [--rounds 5] [--seconds 4] [--binary .build/release/gatehouse]

The method is that of Benchmarks/side-by-side: one worker, wrk with 64 connections and 2,000 different tokens, CPU time
from /proc, all rules in each round. Each request has the path of its own user, and each measurement starts a new
gateway. All traffic is on 127.0.0.1."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
from fleet import KEYS, ROOT, UPSTREAM, Fleet, Load, cpu_seconds, family, get, stop, wait_for  # noqa: E402
from table import cost, show  # noqa: E402

PORT, ADMIN = 9587, 9588
GATEWAY = """
listen: [{{ address: "127.0.0.1:{port}" }}]
workers: 1
drain: {{ delay: 0s, timeout: 1s }}
admin: {{ address: "127.0.0.1:{admin}" }}
store: "sqlite::memory:"
log: {{ access: "off" }}
identity:
  firebase:
    project: bench-project
    keys_url: http://127.0.0.1:{keys}/jwks.json
    session_keys_url: http://127.0.0.1:{keys}/jwks.json
{rules}
upstreams: {{ api: {{ servers: ["http://127.0.0.1:{upstream}"] }} }}
routes:
  - path: /v1/users/{{uid}}/{{rest=**}}
    upstream: api
{allow}
"""
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
# A wrk script: each request has the next token, and the path of its user.
SCRIPT = """
local requests, at = {}, 0
function init()
  for line in io.lines(os.getenv("TOKENS")) do
    local path = string.format("/v1/users/bench-user-%016d/notes", #requests)
    requests[#requests + 1] = wrk.format("GET", path, {
      ["Authorization"] = "Bearer " .. line, ["Accept"] = "application/json", ["User-Agent"] = "wrk" })
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
"""


def gateway(fleet, allow, has_rules):
    file = fleet.folder / "gateway.yaml"
    rules = fleet.folder / "bench.rules"
    rules.write_text(RULES)
    file.write_text(GATEWAY.format(
        port=PORT, admin=ADMIN, keys=KEYS, upstream=UPSTREAM, rules=f"rules: {rules}" if has_rules else "",
        allow=f'    allow: "{allow}"' if allow else ""))
    process = fleet.start("gateway", [fleet.binary, "serve", "--config", file])
    wait_for(lambda: get(ADMIN, "/readyz")[0] == 200, f"the gateway; see {fleet.folder}/gateway.log", 60)
    return process


def measure(fleet, allow, has_rules, options):
    process = gateway(fleet, allow, has_rules)
    Load(fleet, PORT, "/", 1, 64).join()
    pids = family(process.pid)
    before = cpu_seconds(pids)
    load = Load(fleet, PORT, "/", options.seconds, 64)
    load.join()
    spent = cpu_seconds(pids) - before
    stop(process)
    return cost(load.output, spent, options.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with all rules")
    parser.add_argument("--seconds", type=int, default=4, help="duration of each measurement in seconds")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        fleet.mint.write(2000)
        (fleet.folder / "load-0.lua").write_text(SCRIPT)
        rows = {name: [] for name, _, _ in ROWS}
        for _ in range(options.rounds):
            for name, allow, has_rules in ROWS:
                rows[name].append(measure(fleet, allow, has_rules, options))
        print(f"medians of {options.rounds} rounds of {options.seconds} s, 64 connections, one worker")
        show(rows)


if __name__ == "__main__":
    main()
