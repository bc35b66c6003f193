"""Gateways, an upstream, a key server, Redis servers and a Sentinel group on loopback, for several benchmarks."""

import collections
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "side-by-side"))
from compare import cpu_seconds, family, resident  # noqa: E402, F401
from tokens import PROJECT, TokenMint  # noqa: E402

UPSTREAM, KEYS = 9560, 9561
ADMIN_TOKEN = "bench-admin-token-of-the-measurements"
ROUTES = [
    {"path": "/replicated/**", "upstream": "api"},
    {"path": "/strict/**", "upstream": "api", "revocation": "strict"},
    {"path": "/recent/**", "upstream": "api", "recent_sign_in": "1m"},
    {"path": "/off/**", "upstream": "api", "revocation": "off"},
    {"path": "/public/**", "upstream": "api", "auth": "none"},
]
SENTINEL = """
port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor bench 127.0.0.1 {master} 2
sentinel down-after-milliseconds bench 1000
sentinel failover-timeout bench 5000
sentinel parallel-syncs bench 1
"""


class Fleet:
    """All processes of a benchmark. They end with the `with` block."""

    # The port of the key server.
    keys = KEYS
    # The program of Redis servers.
    server = "redis-server"

    def __init__(self, binary):
        self.binary = binary
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-redis-"))
        self.folder.chmod(0o755)
        self.mint = TokenMint(self.folder)
        self.processes = []

    def __enter__(self):
        services = (HERE.parent / "side-by-side/peers/services.conf").read_text()
        for name, value in (("DIR", self.folder), ("UPSTREAM", UPSTREAM), ("KEYS", KEYS)):
            services = services.replace(f"@{name}@", str(value))
        (self.folder / "services.conf").write_text(services)
        self.start("services", ["nginx", "-c", self.folder / "services.conf"])
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, name, command):
        log = open(self.folder / f"{name}.log", "ab")
        process = subprocess.Popen([str(p) for p in command], stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def end(self, processes):
        """Ends processes before the end of the benchmark."""
        for process in processes:
            stop(process)
            self.processes.remove(process)

    def redis(self, port, *options):
        """Starts a server that flushes each write to the disk before it responds."""
        folder = self.folder / f"redis-{port}"
        folder.mkdir(exist_ok=True)
        process = self.start(f"redis-{port}", [
            self.server, "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always", *options])
        wait_for(lambda: cli(port, "PING") == "PONG", f"redis on {port}")
        return process

    def sentinels(self, ports, master):
        for port in ports:
            folder = self.folder / f"sentinel-{port}"
            folder.mkdir(exist_ok=True)
            (folder / "sentinel.conf").write_text(SENTINEL.format(port=port, folder=folder, master=master))
            self.start(f"sentinel-{port}", ["redis-server", folder / "sentinel.conf", "--sentinel"])
        for port in ports:
            wait_for(lambda: f"num-other-sentinels\n{len(ports) - 1}" in cli(port, "SENTINEL", "MASTER", "bench"),
                     "the sentinels")

    def gateway(self, name="gateway", store="sqlite::memory:", port=9597, admin=9598, ready=True, console=False,
                **sections):
        """Starts a gateway with the upstream `api`. `sections` overrides the common configuration."""
        upstreams = {"api": {"servers": [f"http://127.0.0.1:{UPSTREAM}"]}}
        common = {"store": store, "upstreams": upstreams, "routes": ROUTES}
        if console:
            common["admin"] = self.base(port, admin)["admin"] | {"console": True}
        return self.launch(name, port, admin, common | sections, ready)

    def launch(self, name, port, admin, sections, ready):
        file = self.folder / f"{name}.yaml"
        write(file, self.base(port, admin) | sections)
        process = self.start(name, [self.binary, "serve", "--config", file])
        process.name, process.port, process.admin, process.file = name, port, admin, file
        if ready:
            wait_for(lambda: process.poll() is not None or get(admin, "/readyz")[0] == 200,
                     f"{name}; see {self.folder}/{name}.log", 120)
            if process.poll() is not None:
                sys.exit(f"the gateway ended: {(self.folder / f'{name}.log').read_text()}")
        return process

    def base(self, port, admin):
        return {
            "listen": [{"address": f"127.0.0.1:{port}"}], "workers": 1, "drain": {"delay": "0s", "timeout": "1s"},
            "admin": {"address": f"127.0.0.1:{admin}", "token": ADMIN_TOKEN}, "store": "sqlite::memory:",
            "log": {"access": "off"}, "identity": {"firebase": self.firebase()},
        }

    def firebase(self, **more):
        """Returns `identity.firebase` with further keys."""
        return {"project": PROJECT, "keys_url": self.key_set, "session_keys_url": self.key_set, **more}

    @property
    def key_set(self):
        """The URL of the key set."""
        return f"http://127.0.0.1:{self.keys}/jwks.json"


def write(file, configuration):
    """Replaces a configuration file atomically, as deployments do. JSON is valid YAML."""
    new = file.with_suffix(".new")
    new.write_text(json.dumps(configuration, indent=1))
    new.replace(file)


def stop(process, how=signal.SIGTERM):
    if process.poll() is not None:
        return
    try:
        os.killpg(process.pid, how)
        process.wait(10)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass


def wait_for(holds, what, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if holds():
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.02)
    sys.exit(f"{what}: not ready within {seconds} s")


def cli(port, *words):
    run = subprocess.run(["redis-cli", "-p", str(port), *[str(w) for w in words]], capture_output=True, text=True)
    return run.stdout.strip()


def get(port, path, token=None, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, headers={"Authorization": f"Bearer {token}"} if token else {})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def revoke(gateway, uid, at):
    """Revokes a user through a gateway's admin API. Returns whether the gateway acknowledged it."""
    body = json.dumps({"at": at})
    connection = http.client.HTTPConnection("127.0.0.1", gateway.admin, timeout=30)
    try:
        connection.request("POST", f"/v1/users/{uid}/revoke", body, {
            "Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def metric(gateway, name):
    for line in get(gateway.admin, "/metrics")[1].splitlines():
        if line.startswith(name + " "):
            return float(line.split()[-1])
    return None


class Client:
    """A client with one keep-alive connection, which it reopens after its end. A status of 0 is a lost request."""

    def __init__(self, port):
        self.port, self.socket, self.rest = port, None, b""

    def status(self, path, token):
        for _ in range(2):
            try:
                if self.socket is None:
                    self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=20)
                    self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.rest = b""
                credential = f"Authorization: Bearer {token}\r\n" if token else ""
                self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n{credential}\r\n".encode())
                return self.read()
            except OSError:
                self.close()
        return 0

    def read(self):
        data = self.rest
        while b"\r\n\r\n" not in data:
            data += self.more()
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next((int(l.split(b":")[1]) for l in lines if l.startswith(b"content-length:")), 0)
        while len(body) < length:
            body += self.more()
        self.rest = body[length:]
        if b"connection: close" in lines:
            self.close()
        return int(head[9:12])

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("closed")
        return data

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None


class Load(threading.Thread):
    """A run of wrk with the ID tokens of a file, and the App Check tokens of another, at a bounded pace. All requests
    have one path, unless it contains a format for the number of the token."""

    def __init__(self, fleet, port, path, seconds, connections=32, delay_ms=0, tokens="tokens.txt", apps=None):
        super().__init__(daemon=True)
        script = fleet.folder / f"load-{delay_ms}.lua"
        if not script.exists():  # Another wrk may be reading it.
            pace = f"\nfunction delay() return {delay_ms} end\n" if delay_ms else ""
            script.write_text((HERE.parent / "side-by-side/tokens.lua").read_text() + pace)
        self.command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script),
                        f"http://127.0.0.1:{port}{'/' if '%' in path else path}"]
        self.environment = {**os.environ, "TOKENS": str(fleet.folder / tokens)}
        if "%" in path:
            self.environment["PATH_FORMAT"] = path
        if apps:
            self.environment["APP_TOKENS"] = str(fleet.folder / apps)
        self.output = ""
        self.start()

    def run(self):
        self.output = subprocess.run(self.command, capture_output=True, text=True, env=self.environment).stdout

    def summary(self):
        self.join()
        words = ("requests in", "Non-2xx", "Socket errors", "99%", "50%")
        return "; ".join(" ".join(line.split()) for line in self.output.splitlines() if any(w in line for w in words))


def percentiles(values):
    ordered = sorted(values)

    def at(share):
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return f"p50 {at(0.5):.2f}, p90 {at(0.9):.2f}, p99 {at(0.99):.2f}, max {ordered[-1]:.2f}"


class Census(collections.Counter):
    """Counts by (kind, phase, status), printed as a table."""

    def show(self):
        for kind in sorted({key[0] for key in self}):
            for phase in sorted({key[1] for key in self if key[0] == kind}):
                counts = ", ".join(f"{key[2]}: {self[key]}" for key in sorted(self) if key[:2] == (kind, phase))
                print(f"    {kind:14}{phase:20}{counts}")
