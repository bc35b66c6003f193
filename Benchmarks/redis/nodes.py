"""A Redis Cluster of six servers on loopback, whose slots can be moved and whose masters can fail."""

import time

from fleet import cli, stop, wait_for

SLOTS = ((0, 5460), (5461, 10922), (10923, 16383))
# The slot of the hash tag {gatehouse}.
SLOT = 7783


class Nodes:
    """Three masters and their replicas. Each master accepts writes only with a replica, as the manual recommends."""

    def __init__(self, fleet, ports):
        self.fleet, self.ports, self.processes = fleet, ports, {}
        for port in ports:
            self.start(port)
        for number, port in enumerate(ports):
            self.run(port, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for port, (first, last) in zip(ports, SLOTS):
            self.run(port, "CLUSTER", "ADDSLOTSRANGE", first, last)
        for port in ports[1:]:
            self.run(ports[0], "CLUSTER", "MEET", "127.0.0.1", port, port + 10_000)
        wait_for(lambda: all(len(self.lines(port)) == len(ports) for port in ports), "the nodes to meet")
        for replica, master in zip(ports[3:], ports):
            # The replica may not know yet that the other node is a master.
            wait_for(lambda: cli(replica, "CLUSTER", "REPLICATE", cli(master, "CLUSTER", "MYID")) == "OK", "a replica")
        wait_for(self.is_healthy, "the cluster")

    @property
    def store(self):
        """The URL of the store."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def start(self, port):
        self.processes[port] = self.fleet.redis(
            port, "--cluster-enabled", "yes", "--cluster-port", port + 10_000, "--cluster-node-timeout", 6000,
            "--min-replicas-to-write", 1, "--min-replicas-max-lag", 2, "--repl-ping-replica-period", 1,
            "--repl-diskless-sync-delay", 0)

    def run(self, port, *words):
        answer = cli(port, *words)
        if answer != "OK":
            raise RuntimeError(f"{words}: {answer}")

    def lines(self, port):
        """Returns the words of each node that this node knows."""
        return [line.split() for line in cli(port, "CLUSTER", "NODES").splitlines()]

    def is_healthy(self):
        return all("cluster_state:ok" in cli(port, "CLUSTER", "INFO") and
                   (cli(port, "ROLE").startswith("master") or "master_link_status:up" in cli(port, "INFO")) and
                   sum("master" in words[2] and "fail" not in words[2] for words in self.lines(port)) == 3
                   for port in self.ports)

    def masters(self):
        return [port for port in self.ports if cli(port, "ROLE").startswith("master")]

    def owner(self):
        """Returns the port of the master that serves the slot, as it reports itself, or nothing."""
        for port in self.masters():
            for words in self.lines(port):
                if "myself" in words[2] and any(serves(word) for word in words[8:]):
                    return port
        return None

    def replica(self, master):
        """Returns the port of a replica of this master."""
        name = cli(master, "CLUSTER", "MYID")
        return next(port for port in self.ports for words in self.lines(port)
                    if "myself" in words[2] and words[3] == name)

    def move_slot(self, seconds):
        """Moves the slot to another master. Its keys are at two nodes for at least this time."""
        source = self.owner()
        target = next(port for port in self.masters() if port != source)
        names = {port: cli(port, "CLUSTER", "MYID") for port in (source, target)}
        self.run(target, "CLUSTER", "SETSLOT", SLOT, "IMPORTING", names[source])
        self.run(source, "CLUSTER", "SETSLOT", SLOT, "MIGRATING", names[target])
        keys, end = int(cli(source, "CLUSTER", "COUNTKEYSINSLOT", SLOT)), time.monotonic() + seconds
        batch = max(1, round(keys * 0.1 / seconds))
        while self.move_keys(source, target, batch if time.monotonic() < end else 100):
            time.sleep(0.1 if time.monotonic() < end else 0)
        for port in (target, source, *(port for port in self.masters() if port not in (source, target))):
            self.run(port, "CLUSTER", "SETSLOT", SLOT, "NODE", names[target])
        return source, target

    def move_keys(self, source, target, count):
        keys = cli(source, "CLUSTER", "GETKEYSINSLOT", SLOT, count).splitlines()
        if keys:
            answer = cli(source, "MIGRATE", "127.0.0.1", target, "", 0, 5000, "KEYS", *keys)
            if answer not in ("OK", "NOKEY"):
                raise RuntimeError(f"MIGRATE: {answer}")
        return bool(keys)

    def fail_over(self):
        """Kills the master of the slot, and starts it again after its replica was promoted. Returns the time until the
        promotion and the time until the replica of the new master is complete."""
        master = self.owner()
        replica = self.replica(master)
        began = time.monotonic()
        stop(self.processes[master], 9)
        wait_for(lambda: cli(replica, "ROLE").startswith("master"), "the promotion", 60)
        promoted = time.monotonic()
        self.start(master)
        wait_for(self.is_healthy, "the former master as a replica", 60)
        return promoted - began, time.monotonic() - began


def serves(word):
    if word.startswith("["):
        return False
    bounds = [int(number) for number in word.split("-")]
    return bounds[0] <= SLOT <= bounds[-1]
