#!/usr/bin/env python3
"""Measures revocations of two gateways with a Redis Cluster of six nodes, under load, while the slot of the store is
moved and its master is killed; and the same with a single Redis before.

    .build-bench/bin/python Benchmarks/redis/cluster.py [--times 1000] [--seconds 60] [--connections 16] [--pace 20]
        [--server redis-server] [--binary .build/release/gatehouse]

Clients send requests of a user to both gateways continuously while that user is revoked through the admin API of one of
them, until both deny. A revocation without an acknowledgement is repeated. It is lost if a gateway permits a request
later than `max_staleness` after the acknowledgement, or at the end. The script prints the times to the first denial by
the other gateway. Needs the packages of Benchmarks/side-by-side, and redis-server. All traffic is on 127.0.0.1."""

import argparse
import collections
import sys
import threading
import time

from fleet import ROOT, Client, Fleet, Load, cli, metric, percentiles, revoke
from nodes import Nodes

STALENESS = 15
PHASES = ("single Redis", "cluster", "while the slot is moved", "with a failover", "all of the cluster")
KEY = "{{gatehouse}}gatehouse:user:{{bench-user-{:016d}}}"


class Run:
    """Revocations of the users `numbers`, in parallel and evenly over `seconds`.

    `phase` is their place in the result."""

    def __init__(self, gateways, tokens, numbers, seconds, phase, parallel=2):
        self.gateways, self.tokens, self.numbers = gateways, tokens, collections.deque(numbers)
        self.began, self.interval, self.first = time.monotonic(), seconds / len(numbers), numbers[0]
        self.phase, self.times, self.lost, self.repeated = phase, [], [], collections.Counter()
        self.at = int(time.time())
        self.threads = [threading.Thread(target=self.work) for _ in range(parallel)]
        for thread in self.threads:
            thread.start()

    @property
    def done(self):
        return len(self.times)

    def join(self):
        for thread in self.threads:
            thread.join()

    def work(self):
        clients = [Client(gateway.port) for gateway in self.gateways]
        while True:
            try:
                number = self.numbers.popleft()
            except IndexError:
                return
            time.sleep(max(0, self.began + (number - self.first) * self.interval - time.monotonic()))
            self.revoke(number, clients)

    def revoke(self, number, clients):
        token, phase = self.tokens[number], self.phase
        if any(client.status("/replicated/x", token) == 401 for client in clients):
            raise RuntimeError(f"user {number} was denied before the revocation")
        denied, acknowledged = {}, []
        pollers = [threading.Thread(target=self.poll, args=(client, token, place, denied, acknowledged))
                   for place, client in enumerate(clients)]
        for poller in pollers:
            poller.start()
        time.sleep(0.002)
        first = sent = time.monotonic()
        while not revoke(self.gateways[number % 2], f"bench-user-{number:016d}", self.at):
            self.repeated[phase] += 1
            time.sleep(0.1)
            sent = time.monotonic()
        acknowledged.append(time.monotonic())
        for poller in pollers:
            poller.join()
        if len(denied) < len(clients):
            self.lost.append(number)
            return
        other = denied[1 - number % 2]
        # An attempt without an acknowledgement may have taken effect.
        self.times.append((phase, *(max(0, other - since) * 1000 for since in (first, sent, acknowledged[0]))))

    @staticmethod
    def poll(client, token, place, denied, acknowledged):
        """Sends requests until the first denial, or until the view of the gateway must contain the revocation."""
        while not acknowledged or time.monotonic() < acknowledged[0] + STALENESS:
            if client.status("/replicated/x", token) == 401:
                denied[place] = time.monotonic()
                return
            time.sleep(0.0005)

    def show(self, phase):
        times = [entry for entry in self.times if phase in (entry[0], "all of the cluster")]
        if not times:
            return
        repeated = sum(self.repeated[name] for name in {entry[0] for entry in times})
        print(f"{phase}: {len(times)} revocations, {repeated} attempts without an acknowledgement")
        print("    ms to the first denial by the other gateway")
        for place, name in enumerate(("the first attempt", "the last attempt", "its acknowledgement"), 1):
            print(f"        from {name + ':':21}{percentiles([entry[place] for entry in times])}")


def disturb(nodes, run, options):
    """Moves the slot after a quarter of the revocations, and kills its master after five eighths."""
    total = options.times

    def wait(share):
        while run.done + len(run.lost) < share * total:
            time.sleep(0.01)

    wait(1 / 4)
    run.phase = "while the slot is moved"
    source, target = nodes.move_slot(options.seconds / 4)
    run.phase = "cluster"
    print(f"the slot was moved from {source} to {target}, from revocation {total // 4} to {run.done}")
    wait(5 / 8)
    run.phase = "with a failover"
    promoted, complete = nodes.fail_over()
    wait(3 / 4)
    run.phase = "cluster"
    print(f"failover: promoted after {promoted:.1f} s, with a complete replica after {complete:.1f} s")


def judge(fleet, gateways, tokens, run, nodes):
    """Returns the number of lost revocations."""
    passing = sum(Client(g.port).status("/replicated/x", t) != 401 for g in gateways for t in tokens)
    kept = sum(cli(nodes.owner(), "HEXISTS", KEY.format(n), "valid_since") == "1" for n in range(len(tokens)))
    late = fleet.gateway("late", nodes.store, 9534, 9535)
    missing = sum(Client(late.port).status("/replicated/x", t) != 401 for t in tokens)
    print(f"lost within {STALENESS} s: {len(run.lost)}; requests with a revoked token that passed at the end: "
          f"{passing} of {2 * len(tokens)}")
    print(f"kept by Redis: {kept} of {len(tokens)}; a gateway that starts at the end permits {missing}")
    for gateway in gateways:
        counts = {kind: metric(gateway, f'gatehouse_store_redirects_total{{kind="{kind}"}}')
                  for kind in ("moved", "ask", "try_again", "down")}
        print(f"    redirects of {gateway.name}: {counts}")
    return len(run.lost) + passing + missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="revocations with each store")
    parser.add_argument("--seconds", type=int, default=60, help="duration of the revocations, without the failover")
    parser.add_argument("--connections", type=int, default=16, help="connections of the load on each gateway")
    parser.add_argument("--pace", type=int, default=20, help="ms between two requests on a connection of the load")
    parser.add_argument("--server", default=Fleet.server, help="the program of Redis or Valkey")
    parser.add_argument("--binary", default=str(ROOT / ".build/release/gatehouse"), help="the binary to measure")
    options = parser.parse_args()
    with Fleet(options.binary) as fleet:
        fleet.server = options.server
        tokens = fleet.mint.write(2 * options.times)
        others = [fleet.mint.token(10_000_000 + n) for n in range(500)]
        (fleet.folder / "others.txt").write_text("\n".join(others) + "\n")
        revocation = {"max_staleness": f"{STALENESS}s"}

        def load(gateways, seconds):
            loads = [Load(fleet, g.port, "/replicated/load", seconds, options.connections, options.pace, "others.txt")
                     for g in gateways]
            time.sleep(2)
            return loads

        fleet.redis(9539)
        gateways = [fleet.gateway(name, "redis://127.0.0.1:9539", port, port + 1, revocation=revocation)
                    for name, port in (("first", 9530), ("second", 9532))]
        loads = load(gateways, options.seconds + 2)
        single = Run(gateways, tokens, range(options.times, 2 * options.times), options.seconds,
                     "single Redis")
        single.join()
        summaries = [one.summary() for one in loads]
        fleet.end(gateways)

        nodes = Nodes(fleet, range(9541, 9547))
        gateways = [fleet.gateway(name, nodes.store, port, port + 1, revocation=revocation)
                    for name, port in (("third", 9530), ("fourth", 9532))]
        loads = load(gateways, options.seconds + 20)
        run = Run(gateways, tokens, range(options.times), options.seconds, "cluster")
        disturb(nodes, run, options)
        run.join()
        summaries += [one.summary() for one in loads]
        lost = judge(fleet, gateways, tokens[:options.times], run, nodes) + len(single.lost)
        for phase in PHASES:
            (single if phase == PHASES[0] else run).show(phase)
        print("load:", *summaries, sep="\n    ")
        print(f"lost: {lost}")
        sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
