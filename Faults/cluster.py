"""The processes of a run: gateways, Redis servers, sentinels, and the services that a gateway needs beside it."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time

import resp
import slots
from network import Network, enter
from proxy import Proxy
from tokens import AUDIENCE, ISSUERS, PROJECT, Mint

ADMIN_TOKEN = "faults-admin-token-of-the-runs"
PORT, ADMIN, UPSTREAM, KEYS, REDIS, SENTINEL = 8080, 9901, 9000, 9001, 6379, 26379
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
DISK = "12m"

CONFIGURATION = """
listen: [{{ address: "{address}:{port}" }}]
workers: 2
drain: {{ delay: 0s, timeout: 1s }}
admin: {{ address: "{address}:{admin}", token: {token} }}
store: {store}
revocation: {{ max_staleness: {staleness}s, strict_timeout: 1s }}
log: {{ access: "off" }}
accounts: {{ issuer: "https://gateway.test", session_key: "{folder}/session.pem", calls_per_address: 100000,
  calls_per_account: 100000 }}
identity:
  firebase: {{ project: {project}, keys_url: "{keys}", session_keys_url: "{keys}" }}
  providers:
    google.com: {{ audiences: [{audience}], keys_url: "{keys}" }}
    oidc.corp: {{ issuer: "{corp}", audiences: [{audience}], keys_url: "{keys}", algorithms: RS256 }}
upstreams: {{ api: {{ servers: ["http://127.0.0.1:{upstream}"], connect_timeout: 20s }} }}
routes:
  - {{ path: /replicated/**, upstream: api }}
  - {{ path: /strict/**, upstream: api, revocation: strict }}
"""
REDIS_CONFIGURATION = """
unixsocket {socket}
dir {disk}
save ""
appendonly {persistence}
appendfsync always
auto-aof-rewrite-min-size 1mb
protected-mode no
repl-diskless-sync-delay 0
repl-timeout 6
min-replicas-to-write {replicas}
min-replicas-max-lag 2
{own}
"""
REPLICATION_CONFIGURATION = """
port 0
replica-announce-ip {address}
replica-announce-port 6379
{replica_of}
"""
SENTINEL_CONFIGURATION = """
port 26379
bind {address}
unixsocket {socket}
protected-mode no
dir {folder}
sentinel announce-ip {address}
sentinel monitor faults {master} 6379 2
sentinel down-after-milliseconds faults {down_after}
sentinel failover-timeout faults 6000
sentinel parallel-syncs faults 1
"""


class Process:
    """A program in the namespace of a node. It can be killed, frozen and started again."""

    def __init__(self, network, node, name, command, folder, clock=None):
        self.network, self.node, self.name, self.command = network, node, name, [str(word) for word in command]
        self.log, self.clock, self.child, self.is_frozen = folder / f"{name}.log", clock, None, False

    def start(self):
        environment, command = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}, self.command
        if self.clock is not None:
            # The library adds a variable to the environment of the first program that loads it, and moves the
            # environment by that. Swift's runtime finds the arguments of a program by the place of its environment.
            command = ["/usr/bin/env", *command]
            environment |= {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                            "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        descriptor = self.network.descriptors[self.node]
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                start_new_session=True, preexec_fn=lambda: enter(descriptor))
        self.is_frozen = False

    @property
    def is_running(self):
        return self.child is not None and self.child.poll() is None

    def kill(self):
        if self.child is not None:
            self.child.kill()
            self.child.wait()

    def freeze(self):
        self.is_frozen = True
        if self.is_running:
            self.child.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.is_frozen = False
        if self.is_running:
            self.child.send_signal(signal.SIGCONT)

    def shift(self, seconds):
        """Sets the clock of the process, relative to the machine's."""
        self.clock.write_text(f"{seconds:+d}\n")


class Disk:
    """A small file system in memory. Everything under `folder` is lost only with the run."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "faults", str(folder)], check=True)

    def fill(self):
        with open(self.folder / "filler", "ab", buffering=0) as file:
            for size in (1 << 16, 1 << 9, 1):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    continue

    def empty(self):
        (self.folder / "filler").unlink(missing_ok=True)

    def lose(self):
        """Deletes everything."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


class Cluster:
    """All nodes of a topology: `single`, `sentinel`, `cluster` or `sqlite`."""

    def __init__(self, options, folder, random):
        self.options, self.folder, self.random = options, folder, random
        self.network, self.mint = Network(), Mint()
        self.gateways, self.servers, self.sentinels = {}, {}, {}
        self.disks, self.proxies, self.services = {}, {}, []
        self.slots, self.master = slots.Slots(self), "r1"
        self.has_clock = options.clock and os.path.exists(FAKETIME)
        (folder / "session.pem").write_bytes(self.mint.session_key())
        (folder / "session.pem").chmod(0o600)

    async def start(self):
        topology = self.options.topology
        count = {"single": 1, "sentinel": 3, "cluster": 6, "sqlite": 0}[topology]
        names = [f"r{number + 1}" for number in range(count)]
        for name in names:
            self.network.add(name)
        for name in names:
            await self.add_redis(name, names[0])
        if topology == "sentinel":
            for name in names:
                self.add_sentinel(name, names[0])
        if topology == "cluster":
            await self.slots.form()
        for number in range(1 if topology == "sqlite" else self.options.gateways):
            await self.add_gateway(f"g{number + 1}")

    @property
    def shards(self):
        """The groups of servers in which one replaces another."""
        return slots.SHARDS if self.options.topology == "cluster" else [sorted(self.servers)]

    @property
    def shard(self):
        """The master and the servers that can replace it."""
        return next(sorted(shard) for shard in self.shards if self.master in shard)

    async def add_redis(self, name, first):
        address, disk = self.network.nodes[name], Disk(self.folder / f"{name}-disk")
        path = self.folder / f"{name}.sock"
        replicas = len(self.network.nodes) > 1
        if self.options.topology == "cluster":
            own = slots.CONFIGURATION.format(
                address=address, port=REDIS, bus_port=slots.BUS_PORT, timeout=self.options.down_after * 1000)
        else:
            own = REPLICATION_CONFIGURATION.format(
                address=address, replica_of="" if name == first else f"replicaof {self.network.nodes[first]} {REDIS}")
        text = REDIS_CONFIGURATION.format(
            socket=path, disk=disk.folder, replicas=int(replicas), own=own,
            persistence="no" if self.options.planted == "amnesia" else "yes")
        file = self.folder / f"{name}.conf"
        file.write_text(text)
        with self.network.inside(name):
            listener = socket.create_server((address, REDIS), backlog=100)
        self.proxies[name] = Proxy(listener, str(path), self.network.name, self.random)
        await self.proxies[name].start()
        self.disks[name] = disk
        self.servers[name] = Process(self.network, name, name, ["redis-server", file], self.folder)
        self.servers[name].start()

    def add_sentinel(self, name, first):
        folder = self.folder / f"sentinel-{name}"
        folder.mkdir()
        address = self.network.nodes[name]
        file = folder / "sentinel.conf"
        file.write_text(SENTINEL_CONFIGURATION.format(
            address=address, folder=folder, master=self.network.nodes[first], socket=folder / "sentinel.sock",
            down_after=self.options.down_after * 1000))
        process = Process(self.network, name, f"sentinel-{name}", ["redis-server", file, "--sentinel"], self.folder)
        process.start()
        self.sentinels[name] = process

    @property
    def store(self):
        nodes, lost = self.network.nodes, self.options.on_lost_store
        url = f"redis://{nodes['r1']}:{REDIS}"
        if self.options.topology == "sentinel":
            url = f"redis+sentinel://{','.join(nodes[name] for name in self.servers)}/faults"
        elif self.options.topology == "cluster":
            url = f"redis+cluster://{','.join(nodes[name] for name in self.servers)}"
        return f'{{ url: "{url}", on_lost_store: {"accept" if self.options.planted == "amnesia" else lost} }}'

    async def add_gateway(self, name):
        address, keys = self.network.add(name), f"http://127.0.0.1:{KEYS}/keys"
        if self.options.topology == "sqlite":
            self.disks[name] = Disk(self.folder / f"{name}-disk")
            store = f'"sqlite:{self.disks[name].folder}/gatehouse.db"'
        else:
            store = self.store
        file = self.folder / f"{name}.yaml"
        file.write_text(CONFIGURATION.format(
            address=address, port=PORT, admin=ADMIN, token=ADMIN_TOKEN, store=store, folder=self.folder, keys=keys,
            staleness=60 if self.options.planted == "staleness" else self.options.staleness, project=PROJECT,
            audience=AUDIENCE, corp=ISSUERS["oidc.corp"], upstream=UPSTREAM))
        for port, body in ((UPSTREAM, b"{}"), (KEYS, self.mint.jwks)):
            with self.network.inside(name):
                listener = socket.create_server(("127.0.0.1", port), backlog=200)
            self.services.append(await asyncio.start_server(responder(body), sock=listener))
        clock = None
        if self.has_clock:
            clock = self.folder / f"{name}.clock"
            clock.write_text("+0\n")
        command = [self.options.binary, "serve", "--config", file]
        self.gateways[name] = Process(self.network, name, name, command, self.folder, clock)
        self.gateways[name].start()

    def stop(self):
        for process in [*self.gateways.values(), *self.sentinels.values(), *self.servers.values()]:
            process.kill()

    async def ask(self, server, *commands, timeout=0.5):
        """Sends commands to a Redis past its proxy. Returns the replies, or `None`."""
        return await resp.ask(self.folder / f"{server}.sock", *commands, timeout=timeout)

    async def role(self, server):
        """Returns the role of a server, `None` without a response, and the server that it names as the master."""
        if self.options.topology == "cluster":
            return await self.slots.role(server)
        replies = await self.ask(server, ("ROLE",))
        if not replies:
            return (None if self.servers[server].is_running else "down"), None
        role = replies[0]
        return ({"master": "master", "slave": "replica"}[role[0]] if isinstance(role, list) else "loading"), None

    async def named(self, sentinel):
        """Returns the server that the sentinel beside a server names as the master, or `None`."""
        path = self.folder / f"sentinel-{sentinel}" / "sentinel.sock"
        replies = await resp.ask(path, ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "faults"))
        return self.network.name(replies[0][0]) if replies and isinstance(replies[0], list) else None


def responder(body):
    """Returns a handler that sends the same response to each request of a connection."""
    response = (f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode()

    async def handle(reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(response + body)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    return handle


async def until(condition, what, seconds=60):
    """Waits for a condition, which is a function without parameters that may be a coroutine function."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if await result if asyncio.iscoroutine(result) else result:
            return
        await asyncio.sleep(0.1)
    raise SystemExit(f"{what}: not ready within {seconds} s")
