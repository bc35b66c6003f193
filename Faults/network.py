"""Network namespaces: each node has its own, with one link to a router, which is the namespace of this process.

The router can drop the packets between two nodes in one or both directions, and a link can be taken down. All
addresses are in 198.18.0.0/15, which RFC 2544 reserves for tests."""

import contextlib
import ctypes
import os
import subprocess

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True, stdin=subprocess.DEVNULL)


def enter(descriptor):
    if LIBC.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Network:
    def __init__(self):
        self.nodes, self.descriptors, self.blocked, self.down = {}, {}, {}, set()
        self.router = os.open("/proc/self/ns/net", os.O_RDONLY)
        ip("link", "set", "lo", "up")
        with open("/proc/sys/net/ipv4/ip_forward", "w") as file:
            file.write("1")

    def add(self, name):
        """Creates a node and returns its address."""
        index = len(self.nodes) + 1
        address = f"198.18.{index}.2"
        ip("netns", "add", name)
        ip("link", "add", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("addr", "add", f"198.18.{index}.1/30", "dev", f"v-{name}")
        ip("link", "set", f"v-{name}", "up")
        ip("-n", name, "addr", "add", f"{address}/30", "dev", "eth0")
        for device in ("lo", "eth0"):
            ip("-n", name, "link", "set", device, "up")
        ip("-n", name, "route", "add", "default", "via", f"198.18.{index}.1")
        self.nodes[name] = address
        self.descriptors[name] = os.open(f"/run/netns/{name}", os.O_RDONLY | os.O_CLOEXEC)
        return address

    def name(self, address):
        """Returns the node with an address."""
        return next((name for name, its in self.nodes.items() if its == address), "router")

    @contextlib.contextmanager
    def inside(self, name):
        """Sockets created in this context are in the namespace of the node. The context must not await."""
        enter(self.descriptors[name])
        try:
            yield
        finally:
            enter(self.router)

    def block(self, source, destination):
        """Drops the packets from one node to another."""
        count = self.blocked.get((source, destination), 0)
        self.blocked[source, destination] = count + 1
        if count == 0:
            ip("rule", "add", "from", self.nodes[source], "to", self.nodes[destination], "blackhole")

    def unblock(self, source, destination):
        count = self.blocked[source, destination] - 1
        self.blocked[source, destination] = count
        if count == 0:
            ip("rule", "del", "from", self.nodes[source], "to", self.nodes[destination], "blackhole")

    def take_down(self, name):
        ip("link", "set", f"v-{name}", "down")

    def bring_up(self, name):
        ip("link", "set", f"v-{name}", "up")
