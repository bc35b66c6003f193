"""Starts a gateway and runs Schemathesis against each of its listeners, by docs/reference/openapi.json.

Started by script/schemathesis. Prints the report of each run, and fails if one of them has a failure."""

import argparse
import base64
import contextlib
import functools
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/reference/openapi.json"
PROJECT, ADMIN_TOKEN, SECRET = "demo-project", "schemathesis-admin-token-0123456789", "billing-secret-0123456789"
METHODS = {"get", "head", "post", "put", "patch", "delete", "options", "trace"}

# Checks that are left out everywhere: an invented token, provider or uid is an error, and has to be.
EVERYWHERE = ["positive_data_acceptance"]


class Run:
    """The operations of one listener with the same credential."""

    def __init__(self, name, server, paths, headers, left_out=()):
        self.name, self.server, self.paths, self.headers = name, server, paths, headers
        self.left_out = [*EVERYWHERE, *left_out]


RUNS = [
    Run("admin", "http://127.0.0.1:9901", ".*", {"Authorization": f"Bearer {ADMIN_TOKEN}"}),
    Run("accounts", "https://api.example.com", ".*", {}),
    # A proxy may ask with any method, so that no method is an error. The call of gRPC needs HTTP/2.
    Run("proxies", "http://127.0.0.1:9000", "/authz/.*", {}, ["unsupported_method"]),
    Run("decisions", "http://127.0.0.1:9000", "/(decide|[.].*)", {}),
    Run("introspection", "http://127.0.0.1:9000", "/introspect",
        {"Authorization": "Basic " + base64.b64encode(f"billing:{SECRET}".encode()).decode()}),
]


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Keys:
    """The key set of Firebase and the keys of the gateway, in a folder."""

    def __init__(self, folder):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = self.key.public_key().public_numbers()
        n, e = (b64(v.to_bytes((v.bit_length() + 7) // 8, "big")) for v in (numbers.n, numbers.e))
        jwk = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "key", "n": n, "e": e}
        (folder / "jwks.json").write_text(json.dumps({"keys": [jwk]}))
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        for name in ("session.pem", "assertion.pem"):
            file = folder / name
            file.touch(0o600)
            file.write_bytes(ec.generate_private_key(ec.SECP256R1()).private_bytes(*form))

    def token(self):
        now = int(time.time())
        claims = {"iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "sub": "ada", "user_id": "ada",
                  "auth_time": now - 30, "iat": now - 20, "exp": now + 24 * 3600, "email": "ada@example.com",
                  "firebase": {"identities": {}, "sign_in_provider": "google.com"}}
        parts = ({"alg": "RS256", "kid": "key", "typ": "JWT"}, claims)
        signed = ".".join(b64(json.dumps(part).encode()) for part in parts)
        return f"{signed}.{b64(self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def gateway(binary, folder, ports):
    """A gateway with all three listeners."""
    handler = functools.partial(QuietHandler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    keys = f"http://127.0.0.1:{server.server_port}/jwks.json"
    address = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    configuration = {
        "listen": [{"address": address["https://api.example.com"]}], "workers": 1,
        "admin": {"address": address["http://127.0.0.1:9901"], "token": ADMIN_TOKEN, "console": True},
        "decisions": {
            "address": address["http://127.0.0.1:9000"], "trust": ["127.0.0.1/32"],
            "introspection": {"clients": [{"id": "billing", "secret": SECRET}], "requests_per_second": 1_000_000}},
        "store": "sqlite::memory:", "log": {"access": "none"}, "drain": {"delay": "0s", "timeout": "1s"},
        "identity": {
            "firebase": {"project": PROJECT, "keys_url": keys, "session_keys_url": keys},
            "providers": {"google.com": {
                "client_id": "client", "client_secret": "secret-0123456789", "keys_url": keys, "token_url": keys}}},
        "accounts": {
            "public_url": "https://api.example.com", "issuer": "https://api.example.com",
            "session_key": str(folder / "session.pem"), "calls_per_address": 100_000},
        "headers": {"assertion": {"key": str(folder / "assertion.pem"), "issuer": "https://api.example.com"}},
        "routes": [{"path": "/**"}],
    }
    file = folder / "gatehouse.yaml"
    file.write_text(json.dumps(configuration))  # JSON is valid YAML.
    with open(folder / "gateway.log", "wb") as log:
        process = subprocess.Popen([binary, "serve", "--config", file], stdout=log, stderr=log)
    try:
        wait_until_ready(process, ports["http://127.0.0.1:9901"], folder)
        yield process
    finally:
        process.terminate()
        process.wait()
        server.shutdown()


def wait_until_ready(process, port, folder):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.05)
    sys.exit(f"schemathesis: the gateway is not ready: {(folder / 'gateway.log').read_text()}")


def document(run, token):
    """Returns the part of the document for a run, with a valid token in its examples."""
    whole = json.loads(DOCUMENT.read_text().replace("eyJhbGciOiJSUzI1NiJ9.e30.c2ln", token))
    paths = {}
    for path, item in whole["paths"].items():
        if run.server in [server["url"] for server in item.pop("servers")] and re.fullmatch(run.paths, path):
            paths[path] = item
    operations = sum(method in METHODS for item in paths.values() for method in item)
    whole.pop("servers")
    return {**whole, "paths": paths}, operations


def test(run, options, folder, port, token):
    """Runs Schemathesis. Returns whether it found nothing."""
    part, operations = document(run, token)
    file = folder / f"{run.name}.json"
    file.write_text(json.dumps(part))
    print(f"\n=== {run.name}: {operations} operations", flush=True)
    headers = [option for name, value in run.headers.items() for option in ("-H", f"{name}: {value}")]
    command = [pathlib.Path(sys.executable).parent / "schemathesis", "run", file, "--url", f"http://127.0.0.1:{port}",
               "--checks", "all", "--exclude-checks", ",".join(run.left_out), "--phases", "examples,coverage,fuzzing",
               "--max-examples", options.examples, "--seed", options.seed, "--max-redirects", 0, "--workers", 1,
               "--warnings", "off", "--generation-database", "none", "--request-timeout", 30,
               "--continue-on-failure", *headers]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run([str(part) for part in command], cwd=folder, env=environment).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gateway", required=True, help="the binary")
    parser.add_argument("--examples", type=int, default=100, help="requests per operation in the random phase")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random phase")
    parser.add_argument("--only", default="", help="the names of the runs, separated by commas")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    chosen = [run for run in RUNS if not options.only or run.name in options.only.split(",")]
    with tempfile.TemporaryDirectory(prefix="gatehouse-schemathesis-") as name:
        folder = pathlib.Path(name)
        keys = Keys(folder)
        servers = sorted({run.server for run in RUNS})
        ports = dict(zip(servers, free_ports(len(servers))))
        with gateway(pathlib.Path(options.gateway).resolve(), folder, ports) as process:
            failed = [run.name for run in chosen if not test(run, options, folder, ports[run.server], keys.token())]
            if process.poll() is not None:
                sys.exit(f"schemathesis: the gateway ended: {(folder / 'gateway.log').read_text()[-4000:]}")
    print(f"\n{len(chosen)} runs, failed: {', '.join(failed) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
