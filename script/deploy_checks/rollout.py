"""The deployment of deploy/compose on loopback, without containers: both gateways are replaced under load.

The edge, the gateways and Redis run with the files of deploy/compose. Their addresses are 127.0.80.x in place of
172.30.80.x, and their ports are free ones.
"""

import base64
import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import compose
import redis_store
from programs import run

CLIENTS = 4


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def key_set():
    """A key set with one new key."""
    modulus = base64.urlsafe_b64encode(b"\xc1" + os.urandom(254) + b"\x01").decode().rstrip("=")
    return json.dumps({"keys": [
        {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "test", "e": "AQAB", "n": modulus}]}).encode()


class Services(http.server.ThreadingHTTPServer):
    """The sample service, and the source of the key sets. It records the client's address of each request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Service)
        self.keys, self.clients = key_set(), set()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path.startswith("/public"):
            self.server.clients.add(self.headers.get("X-Forwarded-For"))
        body = self.server.keys if self.path == "/keys" else b"ok"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except OSError:
            # A gateway ended during its health check.
            pass

    def log_message(self, *arguments):
        pass


class Stack:
    """All processes of the deployment. They end with the `with` block."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.processes = binary, folder, {}
        self.services = Services()
        self.port, self.listener, self.admin = free_port(), free_port(), free_port()
        shutil.copy(compose.FOLDER / "make-secrets", folder)
        assert run(folder / "make-secrets")[0] == 0
        parsed, files = compose.load()
        self.redis = redis_store.Server(folder, compose.redis_options(parsed["services"]["redis"]))
        self.configuration = self.write("gatehouse.yaml", files["gatehouse"], {
            "0.0.0.0:8080": '"${LISTEN}"', "172.30.80.": "127.0.80.", "redis:6379": f"127.0.0.1:{self.redis.port}",
            "/run/secrets": f"{folder}/secrets", "app:8080": f"127.0.0.1:{self.services.server_port}"})
        self.edge = self.write("haproxy.cfg", files["haproxy"], {
            "maxconn 8000": "maxconn 100", "bind :8080": f"bind 127.0.0.1:{self.port}",
            ":8080": f":{self.listener}", "172.30.80.": "127.0.80.",
            "port 9901": f"port {self.admin}", "default-server ": "default-server source 127.0.80.10 "})

    def write(self, name, text, changes):
        for old, new in changes.items():
            assert old in text, f"{name} has no '{old}'"
            text = text.replace(old, new)
        path = self.folder / name
        path.write_text(text)
        return path

    def __enter__(self):
        self.redis.start()
        self.launch("edge", ["haproxy", "-db", "-f", self.edge], {})
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.redis.kill()
        self.services.shutdown()

    def launch(self, name, command, environment):
        log = open(self.folder / f"{name}.log", "ab")
        self.processes[name] = subprocess.Popen(
            [str(part) for part in command], env={"PATH": os.environ["PATH"], **environment}, stdout=log, stderr=log)

    def environment(self, number):
        keys = f"http://127.0.0.1:{self.services.server_port}/keys"
        address = f"127.0.80.1{number}"
        return {"LISTEN": f"{address}:{self.listener}", "ADMIN_ADDRESS": f"{address}:{self.admin}",
                "FIREBASE_PROJECT": "my-app", "GATEHOUSE_FIREBASE_KEYS_URL": keys,
                "GATEHOUSE_FIREBASE_SESSION_KEYS_URL": keys}

    def start(self, number):
        """Starts a gateway, and waits until the health check of the Compose file passes."""
        self.launch(f"gateway-{number}", [self.binary, "serve", "--config", self.configuration],
                    self.environment(number))
        deadline = time.monotonic() + 60
        while True:
            code, output = self.health(number)
            if code == 0:
                return
            if time.monotonic() > deadline or self.processes[f"gateway-{number}"].poll() is not None:
                log = (self.folder / f"gateway-{number}.log").read_text()
                raise RuntimeError(f"gateway-{number}: {output}{log}")
            time.sleep(0.1)

    def health(self, number):
        """The exit code and the output of the health check of the Compose file."""
        check = compose.load()[0]["services"][f"gateway-{number}"]["healthcheck"]["test"]
        assert check[:2] == ["CMD", "/usr/bin/gatehouse"], check
        words = [word.replace("172.30.80.", "127.0.80.").replace(":9901", f":{self.admin}") for word in check[2:]]
        return run(self.binary, *words, env={"PATH": os.environ["PATH"]})

    def replace(self, number):
        process = self.processes[f"gateway-{number}"]
        process.terminate()
        code = process.wait(60)
        self.start(number)
        return code

    def request(self):
        """The status of a request on a connection of its own; 0 without a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", "/public/hello")
            response = connection.getresponse()
            response.read()
            return response.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


class Load:
    """Clients that send one request after the other."""

    def __init__(self, stack):
        self.stack, self.statuses, self.ended = stack, [], threading.Event()
        self.threads = [threading.Thread(target=self.send, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def send(self):
        while not self.ended.is_set():
            self.statuses.append(self.stack.request())
            self.ended.wait(0.02)

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        return self.statuses


def problems(binary):
    with tempfile.TemporaryDirectory() as name, Stack(binary, Path(name)) as stack:
        for number in (1, 2):
            stack.start(number)
        deadline = time.monotonic() + 20
        while stack.request() != 200:
            if time.monotonic() > deadline:
                yield f"no request passes: {(stack.folder / 'edge.log').read_text()}"
                return
            time.sleep(0.1)
        load = Load(stack)
        codes = [stack.replace(number) for number in (1, 2)]
        statuses = load.end()
        failed = [status for status in statuses if status != 200]
        if codes != [0, 0]:
            yield f"the gateways ended with the codes {codes}"
        if failed or len(statuses) < 100:
            yield f"{len(failed)} of {len(statuses)} requests failed while the gateways were replaced: {set(failed)}"
        stack.configuration.write_text("listen: [\n")
        for code, output in (stack.health(number) for number in (1, 2)):
            if code != 0:
                yield f"the health check fails with an invalid configuration on disk: {output}"
        if stack.services.clients != {"127.0.0.1"}:
            yield f"the service received the client addresses {stack.services.clients}"
