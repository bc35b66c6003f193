"""The nodes of a Redis Cluster: forming it, the owner of the slot of the gateways, and moves of the slot.

The masters r1, r2 and r3 have the replicas r4, r5 and r6. A failover exchanges the two roles within such a shard."""

import asyncio
import subprocess
import time

from resp import Failure

SLOT = 7783
RANGES = ((0, 5460), (5461, 10922), (10923, 16383))
SHARDS = (("r1", "r4"), ("r2", "r5"), ("r3", "r6"))
PORT, BUS_PORT = 6379, 16379
# Any key of the slot, which no gateway uses.
KEY = "{gatehouse}faults"
CONFIGURATION = """
port 7000
bind {address}
cluster-enabled yes
cluster-config-file nodes.conf
cluster-port {bus_port}
cluster-announce-ip {address}
cluster-announce-port {port}
cluster-announce-bus-port {bus_port}
cluster-node-timeout {timeout}
repl-ping-replica-period 1
"""


class Line:
    """A line of `CLUSTER NODES`."""

    def __init__(self, text):
        words = text.split(" ")
        self.id, self.address, flags, self.master = words[0], words[1].split(":")[0], words[2].split(","), words[3]
        self.is_self, self.is_master = "myself" in flags, "master" in flags
        self.is_known = "handshake" not in flags and "noaddr" not in flags
        self.epoch, self.is_connected, self.slots = int(words[6]), words[7] == "connected", words[8:]

    def owns(self, slot):
        for word in self.slots:
            if not word.startswith("["):
                first, _, last = word.partition("-")
                if int(first) <= slot <= int(last or first):
                    return True
        return False

    def is_moving(self, slot):
        """Whether the node moves the slot to or from another. A node reports this only of itself."""
        return any(word.startswith((f"[{slot}->-", f"[{slot}-<-")) for word in self.slots)


def lines(reply):
    """The lines of a reply to `CLUSTER NODES`."""
    if not isinstance(reply, str) or isinstance(reply, Failure):
        return []
    return [Line(text) for text in reply.split("\n") if text.count(" ") >= 7]


class Slots:
    """The slot of the gateways in the cluster of a run."""

    number = SLOT

    def __init__(self, cluster):
        self.cluster = cluster

    async def ask(self, server, *words, timeout=1):
        replies = await self.cluster.ask(server, words, timeout=timeout)
        return replies[0] if replies else None

    async def nodes(self, server):
        return lines(await self.ask(server, "CLUSTER", "NODES"))

    async def form(self):
        """Gives each node its role. Returns when all nodes know it."""
        names, address = sorted(self.cluster.servers), self.cluster.network.nodes
        masters = [shard[0] for shard in SHARDS]
        for number, name in enumerate(names):
            await self.ask(name, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for name, bounds in zip(masters, RANGES):
            await self.ask(name, "CLUSTER", "ADDSLOTSRANGE", *bounds)
        for name in names[1:]:
            await self.ask(names[0], "CLUSTER", "MEET", address[name], PORT, BUS_PORT)
        await self.until(lambda found: len(found) == len(names) and all(
            line.is_known and (line.is_self or line.is_connected) for line in found))
        for master, replica in SHARDS:
            own = next(line for line in await self.nodes(master) if line.is_self)
            await self.ask(replica, "CLUSTER", "REPLICATE", own.id)
        await self.until(lambda found: sum(line.is_master for line in found) == len(masters))
        end = time.monotonic() + 30
        while time.monotonic() < end:
            states = [await self.ask(name, "CLUSTER", "INFO") or "" for name in names]
            links = [await self.ask(replica, "INFO", "replication") or "" for _, replica in SHARDS]
            if all("cluster_state:ok" in state for state in states) and all(
                    "master_link_status:up" in link for link in links):
                return
            await asyncio.sleep(0.2)
        raise SystemExit("the cluster is not ready")

    async def until(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if all([condition(await self.nodes(name)) for name in self.cluster.servers]):
                return
            await asyncio.sleep(0.2)
        raise SystemExit("the nodes do not know each other")

    # Roles

    async def role(self, server):
        """Returns the role of a node for the slot, and the server that it names as the owner. The role is `master` of
        the owner, `replica`, `other` of another master, and `down` of a master that rejects commands."""
        replies = await self.cluster.ask(server, ("ROLE",), ("GET", KEY), ("CLUSTER", "NODES"))
        if not replies:
            return (None if self.cluster.servers[server].is_running else "down"), None
        role, value, nodes = replies
        owner = next((line for line in lines(nodes) if line.is_master and line.owns(SLOT)), None)
        named = self.cluster.network.name(owner.address) if owner else None
        if not isinstance(role, list):
            return "loading", None
        if role[0] == "slave":
            return "replica", None
        if isinstance(value, Failure) and value.startswith("MOVED"):
            return "other", named
        return ("down" if isinstance(value, Failure) and value.startswith("CLUSTERDOWN") else "master"), named

    # Moves

    async def own(self, server):
        """Returns the line of a node about itself. `None` if it does not respond."""
        return next((line for line in await self.nodes(server) if line.is_self), None)

    async def masters(self):
        """Returns the masters that respond, by name."""
        found = {}
        for name in self.cluster.servers:
            line = await self.own(name)
            if line and line.is_master:
                found[name] = line
        return found

    async def begin_move(self):
        """Declares a move to another master. Returns the two names, or `None` if the cluster is not able to."""
        masters = await self.masters()
        owners = [name for name, line in masters.items() if line.owns(SLOT)]
        if len(masters) != len(SHARDS) or len(owners) != 1:
            return None
        if any(line.is_moving(SLOT) for line in masters.values()):
            return None
        source = owners[0]
        target = self.cluster.random.choice(sorted(name for name in masters if name != source))
        for server, state, other in ((target, "IMPORTING", source), (source, "MIGRATING", target)):
            if await self.ask(server, "CLUSTER", "SETSLOT", SLOT, state, masters[other].id) != "OK":
                await self.ask(target, "CLUSTER", "SETSLOT", SLOT, "STABLE")
                return None
        return source, target

    async def move_keys(self, source, target, count):
        """Moves some keys. Returns whether keys may be left, or `None` if the source is not the owner anymore."""
        line = await self.own(source)
        if line is None:
            return True
        if not (line.is_master and line.owns(SLOT) and line.is_moving(SLOT)):
            return None
        keys = await self.ask(source, "CLUSTER", "GETKEYSINSLOT", SLOT, count)
        if not isinstance(keys, list) or not keys:
            return keys is None
        address = self.cluster.network.nodes[target]
        reply = await self.ask(source, "MIGRATE", address, PORT, "", 0, 1000, "REPLACE", "KEYS", *keys, timeout=4)
        if reply not in ("OK", "NOKEY"):
            await self.discard_transfers(source, target)
        return True

    async def discard_transfers(self, source, target):
        """Ensures that no earlier copy of a key reaches the target later, when it may have changed there."""
        for connection in list(self.cluster.proxies[target].connections):
            if connection.source == source:
                connection.reset()
        for _ in range(2):
            while await self.ask(target, "PING") is None and self.cluster.servers[target].is_running:
                await asyncio.sleep(0.2)

    async def end_move(self, source, target):
        """Declares the target as the owner, first to itself."""
        line = await self.own(target)
        if line is None or not line.is_master:
            return False
        for server in [target, source, *sorted(await self.masters())]:
            reply = await self.ask(server, "CLUSTER", "SETSLOT", SLOT, "NODE", line.id)
            if server == target and reply != "OK":
                return False
        return True

    # Repairs

    async def is_settled(self):
        """Whether all masters respond and one of them has the slot and all of its keys."""
        masters = await self.masters()
        owners = [name for name, line in masters.items() if line.owns(SLOT)]
        if len(masters) != len(SHARDS) or len(owners) != 1:
            return False
        if any(line.is_moving(SLOT) for line in masters.values()):
            return False
        counts = [await self.ask(name, "CLUSTER", "COUNTKEYSINSLOT", SLOT) for name in masters if name not in owners]
        return all(count == 0 for count in counts)

    async def settle(self, seconds=150):
        """Repairs the cluster after a move that could not be completed, as the manual describes it. Returns the number
        of attempts, `None` if none of them had success."""
        end, attempts = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            if await self.is_settled():
                return attempts
            if attempts or len(await self.masters()) == len(SHARDS):
                attempts += 1
                await asyncio.to_thread(self.fix)
            await asyncio.sleep(1)
        return None

    def fix(self):
        node = self.cluster.random.choice(sorted(self.cluster.servers))
        with open(self.cluster.folder / "fix.log", "ab") as log:
            try:
                subprocess.run(
                    ["redis-cli", "--cluster", "fix", f"{self.cluster.network.nodes[node]}:{PORT}",
                     "--cluster-replace"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=30)
            except subprocess.TimeoutExpired:
                log.write(b"stopped after 30 s\n")
