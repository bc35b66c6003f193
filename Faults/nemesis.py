"""Causes faults by a schedule that a seed determines, one or two at a time, and records when each begins and ends."""

import asyncio
import time

from proxy import Rule


class Fault:
    """A fault with its begin and end. `kind` and `target` are recorded."""

    kind = ""
    # The maximum duration in seconds.
    longest = 60
    # The effect on replication between servers, which bounds the writes that a failover may lose: `cut` in both
    # directions, or `behind`, if a master continues to hear from a replica that does not receive its writes.
    replication = None

    def __init__(self, cluster, random):
        self.cluster, self.random, self.network = cluster, random, cluster.network
        self.target = ""
        self.choose()

    def choose(self):
        """Chooses the target and the strength."""

    def blocks(self, gateway, server):
        """Whether the gateway receives nothing new from the server."""
        return False

    def hides(self, gateway, server):
        """Whether the gateway does not reach the sentinel beside the server, or the node of a cluster: `True`, `False`,
        or `None` if it may reach it."""
        return self.blocks(gateway, server)

    @property
    def servers_concerned(self):
        """The servers of a fault with an effect on replication."""
        return [self.target]

    async def begin(self):
        raise NotImplementedError

    async def end(self):
        raise NotImplementedError

    def some_gateways(self):
        names = list(self.cluster.gateways)
        return sorted(self.random.sample(names, self.random.randint(1, len(names))))

    def a_gateway(self):
        return self.random.choice(sorted(self.cluster.gateways))

    def a_server(self):
        """The master, and a server that can replace it, more often than another server."""
        shards = len(self.cluster.shards)
        return self.random.choice([self.cluster.master] * shards + self.cluster.shard * (shards - 1)
                                  + sorted(self.cluster.servers))

    @property
    def has_processes(self):
        """Whether the processes of Redis themselves name the master, not sentinels beside them."""
        return self.cluster.options.topology == "cluster"


class Partition(Fault):
    """Packets between some gateways and some servers vanish, in both directions or in one."""

    kind = "partition"

    def choose(self):
        servers = sorted(self.cluster.servers)
        self.gateways = self.some_gateways()
        self.servers = servers if self.random.random() < 0.5 else [self.a_server()]
        self.direction = self.random.choice(["both", "both", "requests", "replies"])
        self.target = f"{','.join(self.gateways)}|{','.join(self.servers)} {self.direction}"
        self.pairs = []
        for gateway in self.gateways:
            for server in self.servers:
                if self.direction != "replies":
                    self.pairs.append((gateway, server))
                if self.direction != "requests":
                    self.pairs.append((server, gateway))

    def blocks(self, gateway, server):
        return gateway in self.gateways and server in self.servers

    async def begin(self):
        for pair in self.pairs:
            await asyncio.to_thread(self.network.block, *pair)

    async def end(self):
        for pair in self.pairs:
            await asyncio.to_thread(self.network.unblock, *pair)


class SplitServers(Partition):
    """Servers and gateways are in two groups without contact. The master is in the smaller one."""

    kind = "split"
    replication = "cut"

    @property
    def servers_concerned(self):
        return sorted(self.cluster.servers)

    def choose(self):
        names = sorted([*self.cluster.servers, *self.cluster.gateways])
        minority = {self.cluster.master, self.a_gateway()}
        if self.has_processes and self.random.random() < 0.3:
            # Nodes that cannot replace the master, or one that can, but not without a majority.
            minority.add(self.a_server())
        others = [name for name in names if name not in minority]
        self.minority, self.target = minority, f"{','.join(sorted(minority))}|{','.join(others)}"
        self.pairs = [pair for one in sorted(minority) for other in others for pair in ((one, other), (other, one))]

    def blocks(self, gateway, server):
        return (gateway in self.minority) != (server in self.minority)


class Bridge(SplitServers):
    """The master has no contact to the other servers. A gateway has contact to it and to one of these."""

    kind = "bridge"

    def choose(self):
        master, self.gateway = self.cluster.master, self.a_gateway()
        voters = [name for name in sorted(self.cluster.servers) if name != master]
        self.reached = {master, self.random.choice(voters)}
        self.hidden = [name for name in voters if name not in self.reached]
        self.target = f"{master}|{','.join(voters)} {self.gateway}|{','.join(self.hidden)}"
        pairs = [(master, other) for other in voters] + [(self.gateway, other) for other in self.hidden]
        self.pairs = [pair for one, other in pairs for pair in ((one, other), (other, one))]

    def blocks(self, gateway, server):
        return gateway == self.gateway and server in self.hidden


class IsolatedServer(Fault):
    """The link of a server is down."""

    kind = "link down"
    replication = "cut"

    def choose(self):
        self.target = self.a_server()

    def blocks(self, gateway, server):
        return server == self.target

    async def begin(self):
        await asyncio.to_thread(self.network.take_down, self.target)

    async def end(self):
        await asyncio.to_thread(self.network.bring_up, self.target)


class IsolatedGateway(IsolatedServer):
    """The link of a gateway is down, also to its clients."""

    replication = None

    def choose(self):
        self.target = self.a_gateway()

    def blocks(self, gateway, server):
        return gateway == self.target


class Degraded(Fault):
    """The proxies of some servers treat some sources by a rule."""

    def choose(self):
        self.servers = [self.a_server()]
        self.sources = self.some_gateways()
        if len(self.cluster.servers) > 1 and self.random.random() < 0.4:
            self.sources = sorted(self.cluster.servers)
            self.replication = "behind"
        self.rule = self.make_rule()
        self.target = f"{','.join(self.sources)}>{','.join(self.servers)} {self.describe()}"

    @property
    def servers_concerned(self):
        return self.servers

    def hides(self, gateway, server):
        return None if self.has_processes and gateway in self.sources and server in self.servers else False

    def make_rule(self):
        raise NotImplementedError

    def describe(self):
        return ""

    async def begin(self):
        for server in self.servers:
            for source in self.sources:
                self.cluster.proxies[server].set(source, self.rule)

    async def end(self):
        for server in self.servers:
            for source in self.sources:
                self.cluster.proxies[server].set(source, None)


class Delayed(Degraded):
    kind = "delay"

    def make_rule(self):
        delay = self.random.choice([0.02, 0.1, 0.4, 0.9, 1.5, 3])
        return Rule(delay=delay, jitter=self.random.choice([0, delay]))

    def describe(self):
        return f"{self.rule.delay}+{self.rule.jitter}s"


class Resetting(Degraded):
    kind = "reset"

    def make_rule(self):
        return Rule(reset=self.random.choice([0.02, 0.1, 0.4]))

    def describe(self):
        return f"{self.rule.reset}"


class LosingReplies(Degraded):
    """Replies to gateways vanish, while the connection continues."""

    kind = "lost replies"

    def choose(self):
        super().choose()
        self.sources, self.replication = self.some_gateways(), None
        self.target = f"{','.join(self.sources)}>{','.join(self.servers)} {self.rule.lose_replies}"

    def make_rule(self):
        return Rule(lose_replies=self.random.choice([0.02, 0.1, 0.3]))


class HalfOpen(Degraded):
    """Connections stay open, and bytes vanish."""

    kind = "half open"

    def make_rule(self):
        return Rule(silent=self.random.choice(["both", "requests", "replies"]))

    def describe(self):
        return self.rule.silent

    def blocks(self, gateway, server):
        return gateway in self.sources and server in self.servers


class FrozenServer(Fault):
    kind = "freeze"
    replication = "cut"

    def choose(self):
        self.target = self.a_server()
        self.process = self.cluster.servers[self.target]

    def blocks(self, gateway, server):
        return server == self.target

    def hides(self, gateway, server):
        return self.has_processes and server == self.target

    async def begin(self):
        self.process.freeze()

    async def end(self):
        self.process.thaw()


class FrozenGateway(FrozenServer):
    replication = None

    def choose(self):
        self.target = self.a_gateway()
        self.process = self.cluster.gateways[self.target]

    def blocks(self, gateway, server):
        return False

    def hides(self, gateway, server):
        # It does not ask in this time.
        return None if gateway == self.target else False


class KilledServer(FrozenServer):
    kind = "kill"

    async def begin(self):
        self.process.kill()

    async def end(self):
        self.process.start()


class LostData(KilledServer):
    """A Redis is killed, and starts without its data."""

    kind = "lost data"

    async def end(self):
        await asyncio.to_thread(self.cluster.disks[self.target].lose)
        self.process.start()


class KilledGateway(FrozenGateway):
    kind = "kill"

    async def begin(self):
        self.process.kill()

    async def end(self):
        self.process.start()


class FullDisk(Fault):
    """The file system of a server, or of the only gateway, has no room. A Redis that ends for this reason is started
    again."""

    kind = "disk full"
    replication = "cut"

    def choose(self):
        self.target = self.a_server() if self.cluster.servers else self.a_gateway()
        self.name = self.target
        self.is_killed = not self.cluster.servers and self.random.random() < 0.4
        if self.is_killed:
            self.target += " and kill"

    @property
    def servers_concerned(self):
        return [self.name]

    def hides(self, gateway, server):
        # A node of a cluster ends if it cannot save its configuration.
        return None if self.has_processes and server == self.name else False

    async def begin(self):
        await asyncio.to_thread(self.cluster.disks[self.name].fill)
        if self.is_killed:
            await asyncio.sleep(1.5)
            self.cluster.gateways[self.name].kill()
            self.cluster.gateways[self.name].start()

    async def end(self):
        self.cluster.disks[self.name].empty()
        process = self.cluster.servers.get(self.name) or self.cluster.gateways[self.name]
        if not process.is_running:
            process.start()


class ShiftedClock(Fault):
    """The clock of a gateway jumps, and jumps back."""

    kind = "clock"

    def choose(self):
        self.gateway = self.a_gateway()
        self.seconds = self.random.choice([-90, -20, -3, 3, 20, 90])
        self.target = f"{self.gateway} {self.seconds:+d}s"

    async def begin(self):
        self.cluster.gateways[self.gateway].shift(self.seconds)

    async def end(self):
        self.cluster.gateways[self.gateway].shift(0)


class ManualFailover(Fault):
    """A replica takes over without a loss, as an operator demands it."""

    kind = "manual failover"
    longest = 3

    def choose(self):
        self.target = next(name for name in self.cluster.shard if name != self.cluster.master)

    async def begin(self):
        self.reply = await self.cluster.slots.ask(self.target, "CLUSTER", "FAILOVER")

    async def end(self):
        pass

    @property
    def result(self):
        return str(self.reply)


class Reshard(Fault):
    """The slot of the gateways is moved to another master, a part of its keys at a time."""

    kind = "reshard"
    longest = 3
    INTERVAL = 0.25
    FINISH = 120

    def choose(self):
        self.slots = self.cluster.slots
        self.pair, self.length, self.result = None, self.random.choice([1, 3, 8]), "not begun"

    async def begin(self):
        self.pair = await self.slots.begin_move()
        if self.pair:
            self.target = ">".join(self.pair)
            self.task = asyncio.ensure_future(self.move())

    async def move(self):
        source, target = self.pair
        total = await self.slots.ask(source, "CLUSTER", "COUNTKEYSINSLOT", self.slots.number) or 100
        step = max(10, int(total * self.INTERVAL / self.length)) if isinstance(total, int) else 50
        end = time.monotonic() + self.length + self.FINISH
        while time.monotonic() < end:
            left = await self.slots.move_keys(source, target, step)
            if left is None:
                return "abandoned"
            if not left and await self.slots.end_move(source, target):
                return "complete"
            await asyncio.sleep(self.INTERVAL)
        return "abandoned"

    async def end(self):
        if self.pair:
            self.result = await self.task
            attempts = await self.slots.settle()
            if attempts != 0:
                self.result += f", {'not ' if attempts is None else ''}repaired"


ON_GATEWAYS = [IsolatedGateway, FrozenGateway, KilledGateway]
ON_SERVERS = [Partition, Partition, IsolatedServer, Delayed, Resetting, LosingReplies, HalfOpen, FrozenServer,
              KilledServer, FullDisk]
MOVES = [ManualFailover, Reshard, Reshard]
FAULTS = {
    "single": ON_SERVERS + ON_GATEWAYS,
    "sentinel": ON_SERVERS + ON_GATEWAYS + [SplitServers, SplitServers, Bridge, Bridge, KilledServer],
    "cluster": ON_SERVERS + ON_GATEWAYS + [SplitServers, SplitServers, Bridge, KilledServer, *MOVES, *MOVES],
    "sqlite": [*ON_GATEWAYS, KilledGateway, FullDisk, FullDisk],
}


class Nemesis:
    def __init__(self, cluster, history, random, kinds=None):
        self.cluster, self.history, self.random = cluster, history, random
        self.choices = list(FAULTS[cluster.options.topology])
        if cluster.has_clock:
            self.choices.append(ShiftedClock)
        if cluster.options.topology == "single" and cluster.options.on_lost_store == "restore":
            self.choices += [LostData, LostData]
        if kinds:
            self.choices = [choice for choice in self.choices if choice.kind in kinds]
        self.moves = [choice for choice in self.choices if choice in MOVES] or self.choices
        self.active, self.cut, self.counts, self.number = [], set(), {}, 0
        self.pairs = 0.5 if cluster.options.topology == "cluster" else 0.3
        # Some faults last long enough for a failover.
        self.lengths = [0.3, 2, 5, 9, 14] if cluster.options.topology in ("single", "sqlite") else [0.3, 2, 6, 12, 18]

    async def run(self, seconds):
        """Causes faults until the time has passed, then ends all of them."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await self.episode(end)
            await asyncio.sleep(self.random.uniform(1, 9) * self.cluster.options.pace)

    async def episode(self, latest):
        """Causes one fault, or two that overlap."""
        faults = [self.random.choice(self.choices)]
        if self.random.random() < self.pairs:
            faults.append(self.random.choice(self.moves if self.random.random() < 0.5 else self.choices))
            self.random.shuffle(faults)
        runs = []
        for choice in faults:
            fault = choice(self.cluster, self.random)
            if any(self.collides(fault, other) for other in self.active):
                continue
            length = min(self.random.choice(self.lengths) * self.random.uniform(0.7, 1.3), fault.longest,
                         max(0.3, latest - time.monotonic()))
            await self.begin(fault)
            runs.append(asyncio.ensure_future(self.end_later(fault, length)))
            await asyncio.sleep(self.random.uniform(0, 3))
        await asyncio.gather(*runs)

    @staticmethod
    def collides(fault, other):
        """Whether two faults would begin or end the same thing, such as the process of one node. A move of the slot and
        a manual failover change nothing that others end."""
        if any(isinstance(item, (Reshard, ManualFailover)) for item in (fault, other)):
            return isinstance(fault, type(other))
        nodes = [set(item.target.replace("|", " ").replace(",", " ").replace(">", " ").split()) for item in
                 (fault, other)]
        return bool(nodes[0] & nodes[1])

    async def begin(self, fault):
        self.number += 1
        fault.number = self.number
        self.counts[fault.kind] = self.counts.get(fault.kind, 0) + 1
        pairs = {(gateway, server): fault.hides(gateway, server)
                 for gateway in self.cluster.gateways for server in self.cluster.servers}
        self.history.record("fault", phase="begin", number=fault.number, fault=fault.kind, target=fault.target,
                            replication=fault.replication, servers=fault.servers_concerned,
                            hidden=[pair for pair, hides in pairs.items() if hides],
                            perhaps_hidden=[pair for pair, hides in pairs.items() if hides is None])
        await fault.begin()
        self.history.record("fault", phase="effective", number=fault.number)
        self.active.append(fault)
        self.refresh()

    async def end_later(self, fault, length):
        await asyncio.sleep(length)
        self.active.remove(fault)
        self.refresh()
        self.history.record("fault", phase="ending", number=fault.number)
        await fault.end()
        self.history.record("fault", phase="end", number=fault.number, fault=fault.kind, target=fault.target,
                            replication=fault.replication, result=getattr(fault, "result", None))

    def refresh(self):
        """Records which gateways receive nothing from any server. Called after a begin and before an end."""
        servers = self.cluster.servers
        for gateway in self.cluster.gateways:
            is_cut = bool(servers) and all(
                any(fault.blocks(gateway, server) for fault in self.active) for server in servers)
            if is_cut != (gateway in self.cut):
                self.cut ^= {gateway}
                self.history.record("cut", phase="begin" if is_cut else "end", gateway=gateway)
