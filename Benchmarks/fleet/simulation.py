"""A discrete-event simulation of gateways that follow the records in one Redis: the fleet, the faults, and the samples
that a run collects."""

import bisect
import collections
import math

from events import Clock, Link
from gateway import NEVER, Gateway
from model import Costs, Network, Timing
from server import Redis, Request


class Measures:
    """The samples of one run."""

    def __init__(self, stride=1):
        self.stride = stride
        self.sent = {}
        self.latencies, self.slowest, self.copies = [], {}, collections.Counter()
        self.acknowledgements, self.lookups = [], []
        self.refused = self.violations = 0
        self.ready, self.readings = {}, collections.Counter()
        # The time of the first confirmation of each gateway by each server.
        self.confirmations = {}
        self.unavailable, self.stale = 0.0, []
        self.timeouts = self.lost_connections = self.abandoned = 0

    def applied(self, first, last, time):
        """Records that a gateway applied entries."""
        stride = self.stride
        for number in range(first + -first % stride, last + 1, stride):
            sent = self.sent.get(number)
            if sent is not None:
                self.copies[number] += 1
                self.latencies.append(time - sent)
                if time - sent > self.slowest.get(number, 0):
                    self.slowest[number] = time - sent


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


class Write:
    """A revocation through a gateway, or a burst of them in one write of a backend."""

    def __init__(self, fleet, link, entries=1):
        self.fleet, self.link, self.entries = fleet, link, entries
        self.sent = fleet.clock.now
        self.redis = fleet.redis

    def send(self):
        if not self.link.is_up or self.redis.is_down:
            self.fleet.measures.refused += self.entries
            return
        request = Request(self, "write", cost=self.fleet.costs.write * self.entries, write=self)
        self.fleet.clock.at(self.fleet.clock.now + self.link.delay, self.redis.receive, request)

    def appended(self, last):
        for number in range(last - self.entries + 1, last + 1):
            if number % self.fleet.measures.stride == 0:
                self.fleet.measures.sent[number] = self.sent
        self.last = last

    def replied(self, request, start, end, is_last, now):
        time = now + self.link.delay - self.sent
        self.redis.waiting.pop(self, None)
        if self.redis is self.fleet.redis:
            bisect.insort(self.fleet.acknowledged, (now + self.link.delay, self.last))
        if time > 1.0:
            # The call is 503 although Redis has the write; the caller repeats it.
            self.fleet.measures.refused += self.entries
        self.fleet.measures.acknowledgements.append(time)


class Probe:
    """A lookup of a `strict` route."""

    def __init__(self, fleet, link):
        self.fleet, self.link, self.sent, self.redis = fleet, link, fleet.clock.now, fleet.redis

    def send(self):
        if self.redis.is_down or not self.link.is_up:
            self.fleet.measures.lookups.append(NEVER)
            return
        request = Request(self, "lookup", cost=self.fleet.costs.lookup)
        self.fleet.clock.at(self.fleet.clock.now + self.link.delay, self.redis.receive, request)

    def replied(self, request, start, end, is_last, now):
        self.redis.waiting.pop(self, None)
        self.fleet.measures.lookups.append(now + self.link.delay - self.sent)


class Fleet:
    """Gateways in one or two regions with one Redis, which is in the first region."""

    def __init__(self, gateways, records=0, rate=0.0, regions=1, other_keys=0, seed=1, costs=Costs(), timing=Timing(),
                 network=Network(), stride=1, background=0.0, probes=0.0, defect=None):
        self.clock = Clock(seed)
        self.costs, self.timing, self.network = costs, timing, network
        self.redis = Redis(self.clock, costs, timing, records, other_keys, background)
        self.measures = Measures(stride)
        self.links = [Link(network.near), Link(network.far)][:regions]
        self.gateways = [Gateway(self, n, self.links[n % regions], defect) for n in range(gateways)]
        self.rate, self.probes = rate, probes
        # The times of acknowledgements with the last entry, for the check of each confirmation.
        self.acknowledged = []
        self.servers = [self.redis]
        self.next_readings = (NEVER, NEVER)

    # Events of scenarios.

    def start(self, spread=0.0, warm=False, readings=None):
        """Starts all gateways within `spread` seconds.

        Warm gateways have read everything. Their next scheduled readings begin at a random time between the two numbers
        of `readings`, or never."""
        self.next_readings = readings or (NEVER, NEVER)
        for gateway in self.gateways:
            self.clock.at(self.clock.now + self.clock.random.uniform(0, spread), self.restart, gateway, warm)
        if self.rate:
            self.clock.at(self.clock.now + self.clock.random.expovariate(self.rate), self.revoke)
        if self.probes:
            self.clock.at(self.clock.now + self.clock.random.expovariate(self.probes), self.probe)

    def revoke(self):
        Write(self, self.clock.random.choice(self.links)).send()
        self.clock.at(self.clock.now + self.clock.random.expovariate(self.rate), self.revoke)

    def burst(self, entries, rate, batch=100):
        """A backend revokes `entries` users at a rate, in writes of `batch`."""
        if entries <= 0:
            return
        Write(self, self.links[0], min(batch, entries)).send()
        self.clock.at(self.clock.now + batch / rate, self.burst, entries - batch, rate, batch)

    def probe(self):
        Probe(self, self.links[0]).send()
        self.clock.at(self.clock.now + self.clock.random.expovariate(self.probes), self.probe)

    def fail_over(self, after, lost):
        """The master fails. A replica that lacks the last `lost` entries takes over after a time."""
        old = self.redis
        old.fail()
        for gateway in self.gateways:
            self.clock.at(self.clock.now + gateway.link.delay, gateway.lose)
        self.clock.at(self.clock.now + after, self.promote, old, lost)

    def promote(self, old, lost):
        new = Redis(self.clock, self.costs, self.timing, old.records, old.other_keys, history=old)
        new.slowdown = old.slowdown
        new.last = max(0, old.last - lost)
        self.acknowledged = [(time, last) for time, last in self.acknowledged if last <= new.last]
        for number in range(new.last + 1, old.last + 1):
            self.measures.sent.pop(number, None)
        self.redis = new
        self.servers.append(new)

    def restart_all(self, spread=0.0):
        """All gateways end and start again within a time."""
        for gateway in self.gateways:
            self.clock.at(self.clock.now + self.clock.random.uniform(0, spread), self.restart, gateway)

    def restart(self, gateway, warm=False):
        if gateway.redis:
            gateway.redis.disconnect(gateway)
        self.measures.ready.pop(gateway.number, None)
        gateway.start_again()
        if warm:
            gateway.position = gateway.applied = self.redis.last
            gateway.followed, gateway.is_whole, gateway.confirmed = self.redis, True, self.clock.now
            first, last = self.next_readings
            gateway.next_reread = first if first == last else self.clock.random.uniform(first, last)
        gateway.connect()

    def cut(self, region):
        self.links[region].is_up = False

    def restore(self, region):
        self.links[region].is_up = True

    # Results.

    def confirmed(self, gateway, sent):
        now = self.clock.now
        self.measures.confirmations.setdefault((gateway.number, gateway.followed.name), now)
        if gateway.confirmed is None:
            self.measures.ready[gateway.number] = now - gateway.began
        else:
            late = gateway.confirmed + self.timing.max_staleness
            if now > late:
                self.measures.unavailable += now - late
                self.measures.stale.append((gateway.number, late, now))
        gateway.confirmed = sent
        # Each acknowledged write before `sent` must have been applied.
        index = bisect.bisect_left(self.acknowledged, (sent,))
        known = self.acknowledged[max(0, index - 200):index]
        if known and max(last for _, last in known) > gateway.applied and gateway.followed is self.redis:
            self.measures.violations += 1

    def run(self, until, stop=lambda: False):
        self.clock.run(until, stop)

    def finish(self):
        """Counts the views that are too old at the end."""
        for gateway in self.gateways:
            if gateway.confirmed is not None and self.clock.now > gateway.confirmed + self.timing.max_staleness:
                late = gateway.confirmed + self.timing.max_staleness
                self.measures.unavailable += self.clock.now - late
                self.measures.stale.append((gateway.number, late, self.clock.now))

    @property
    def all_ready(self):
        return len(self.measures.ready) == len(self.gateways)

    def utilization(self, start, end):
        """The share of the time in which Redis was busy, in whole seconds."""
        return sum(server.busy[second] for server in self.servers for second in range(int(start), int(end))) / (
            int(end) - int(start))

    def lag(self):
        """The number of entries that the slowest gateway has not applied."""
        return self.redis.last - min(gateway.applied for gateway in self.gateways)
