"""A run of redis-server with the options and the users of deploy/compose, on a socket in a temporary folder."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import compose
from programs import REPOSITORY, run

# The commands of the manual that restore a snapshot follow this comment.
RESTORE = re.compile(r"<!-- A test runs these commands. -->\n```sh\n(.*?)```", re.DOTALL)


class Server:
    """redis-server with the options of the Compose file. Its folders are below a temporary one."""

    def __init__(self, folder, options):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        options = {**options, "aclfile": folder / "secrets/redis-acl", "dir": folder, "port": self.port,
                   "bind": "127.0.0.1"}
        self.command = ["redis-server", *(part for name, value in options.items() for part in (f"--{name}", value))]
        self.process = None
        self.password = (folder / "secrets/redis-password").read_text()

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([str(part) for part in self.command], stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while self.call("-e", "ping") != (0, "PONG"):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, *arguments):
        code, output = run("redis-cli", "-p", self.port, *arguments, env={"PATH": os.environ["PATH"]})
        return code, output.strip()

    def gateway(self, *arguments):
        """A command of the gateways' user."""
        return self.call("-e", "--no-auth-warning", "--user", "gatehouse", "--pass", self.password, *arguments)


def problems(binary):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(compose.FOLDER / "make-secrets", folder)
        for _ in range(2):
            code, output = run(folder / "make-secrets")
            assert code == 0, output
        before = {file.name: file.read_text() for file in (folder / "secrets").iterdir()}
        if before.keys() != compose.SECRETS or len(set(before.values())) != len(before):
            yield f"make-secrets wrote {sorted(before)}"
        if (folder / "secrets").stat().st_mode & 0o777 != 0o700:
            yield "make-secrets: other users of the machine can read the secrets"
        assert run(folder / "make-secrets")[0] == 0
        if {file.name: file.read_text() for file in (folder / "secrets").iterdir()} != before:
            yield "make-secrets replaced a secret"
        server = Server(folder, compose.redis_options(compose.load()[0]["services"]["redis"]))
        server.start()
        try:
            yield from running_problems(server, binary)
            yield from restore_problems(server)
        finally:
            server.kill()


def restore_problems(server):
    """The restore of docs/start/deploy/backup.md: from the snapshot that the server writes when it stops."""
    shutil.rmtree(server.folder / "backup", ignore_errors=True)
    server.stop()
    (server.folder / "appendonlydir").rename(server.folder / "backup")
    if not (server.folder / "dump.rdb").exists():
        yield "the configured `save` wrote no snapshot"
        return
    snapshot = (server.folder / "dump.rdb").read_bytes()
    server.start()
    if server.gateway("hget", "gatehouse:user:{ada}", "disabled") != (0, ""):
        yield "the manual says that Redis with appendonly ignores a snapshot, but it read it"
    server.kill()
    shutil.rmtree(server.folder / "appendonlydir")
    (server.folder / "dump.rdb").write_bytes(snapshot)
    commands = RESTORE.search((REPOSITORY / "docs/start/deploy/backup.md").read_text())[1]
    commands = commands.replace("/var/lib/redis", str(server.folder)).replace("sleep 1", "sleep 0.1")
    commands = commands.replace("redis-server ", f"redis-server --port {server.port} --bind 127.0.0.1 ")
    commands = commands.replace("redis-cli ", f"redis-cli -p {server.port} ")
    # The server needs a moment to start, as a person does to type.
    commands = commands.replace("\n", f"\nuntil redis-cli -p {server.port} ping; do sleep 0.05; done\n", 1)
    code, output = run("timeout", "30", "bash", "-ec", commands)
    for _ in range(200):
        if server.call("ping")[1] != "PONG":
            break
        time.sleep(0.02)
    server.start()
    if server.gateway("hget", "gatehouse:user:{ada}", "disabled") != (0, "1"):
        yield f"the restore of the manual does not restore the records: exit code {code}: {output}"


def running_problems(server, binary):
    if server.gateway("hset", "gatehouse:user:{ada}", "disabled", "1")[0] != 0:
        yield "the gateways' user cannot write a record"
    denied = {"another key": server.gateway("set", "other", "1"), "all keys": server.gateway("flushall"),
              "the configuration": server.gateway("config", "get", "dir"), "without a password": server.call(
                  "-e", "hget", "gatehouse:user:{ada}", "disabled")}
    for what, (code, output) in denied.items():
        if code == 0 or "NOPERM" not in output:
            yield f"Redis permits {what}: {output}"
    server.kill()
    server.start()
    if server.gateway("hget", "gatehouse:user:{ada}", "disabled") != (0, "1"):
        yield "an acknowledged record is lost when Redis is killed"
    if binary:
        file = server.folder / "gatehouse.yaml"
        file.write_text(
            f"store: {{ url: 'redis://127.0.0.1:{server.port}/0', username: gatehouse,"
            f" password: '${{file:secrets/redis-password}}' }}\n"
            "identity: { firebase: { project: my-app, keys_url: 'http://127.0.0.1:1/' } }\n"
            "upstreams: { app: { servers: ['http://127.0.0.1:1'] } }\n"
            "routes: [{ path: '/{path=**}', upstream: app }]\n")
        _, output = run(binary, "check", "--online", file, env={
            "PATH": os.environ["PATH"], "GATEHOUSE_FIREBASE_SESSION_KEYS_URL": "http://127.0.0.1:1/"})
        lines = [line.split() for line in output.splitlines() if " store " in line and "redis" in line]
        if not any(line[0] == "ok" for line in lines):
            yield f"the gateway cannot use the Redis of the Compose file: {output}"
