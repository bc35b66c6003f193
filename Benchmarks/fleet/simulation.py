"""A discrete-event simulation of gateways that follow the records in Redis.

A gateway repeats `ReplicaMachine`: rounds of pipelined commands, one after the other; readings of everything; checks of
the stream's state; pauses after errors. Redis is one event loop, which serves up to 16 KiB of each waiting client in a
turn and sends the replies at the end of the turn. Entries of the stream are numbers, and each names a record of its
own, so that a gateway's progress is a number too."""

import bisect
import collections
import heapq
import math
import random

from model import TURN, Costs, Network, Timing

NEVER = math.inf


class Clock:
    """The queue of events. Events of the same time run in the order in which they were added."""

    def __init__(self, seed=1):
        self.now, self.random, self.count = 0.0, random.Random(seed), 0
        self.events = []

    def at(self, time, action, *arguments):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, action, arguments))

    def run(self, until, stop=lambda: False):
        """Runs events up to a time, or until `stop` holds, which is checked every thousand events."""
        steps = 0
        while self.events and self.events[0][0] <= until:
            self.now, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)
            steps += 1
            if steps % 1000 == 0 and stop():
                return
        self.now = max(self.now, until)


class Link:
    """The network between one region and Redis."""

    def __init__(self, delay):
        self.delay, self.is_up = delay, True


class Request:
    """The commands of one round, in their order: named records, records of a slice, the rest."""

    __slots__ = ("client", "kind", "epoch", "first", "named", "records", "scans", "asks", "reads", "blocks", "cost",
                 "write", "done", "is_new", "is_over", "information", "server", "entries")

    def __init__(self, client, kind="round", epoch=0, *, asks=False, cost=0.0, write=None):
        self.client, self.kind, self.epoch = client, kind, epoch
        self.first = self.named = self.records = 0
        self.scans, self.asks, self.reads, self.blocks = False, asks, None, 0.0
        self.cost, self.write = cost, write
        self.done, self.is_new, self.is_over = 0, True, False
        self.information = self.server = self.entries = None


class Redis:
    """One server: its stream, its records, and the turns of its event loop."""

    def __init__(self, clock, costs=Costs(), timing=Timing(), records=0, other_keys=0, background=0.0, history=None):
        self.clock, self.costs, self.timing = clock, costs, timing
        self.records, self.other_keys = records, other_keys
        # Heartbeats and strict lookups outside the simulation take a share of the time.
        self.slowdown = 1 / (1 - min(background, 0.99))
        self.name = history.name + 1 if history else 0
        self.last, self.first = (history.last, history.first) if history else (0, 1)
        self.waiting, self.ready, self.blocked = {}, [], {}
        self.is_busy = self.is_down = False
        self.busy, self.bytes = collections.Counter(), [0, 0]
        self.commands = collections.Counter()
        self.longest_turn = 0.0

    def receive(self, request):
        if self.is_down:
            return
        client = request.client
        line = self.waiting.get(client)
        if line is None:
            line = self.waiting[client] = collections.deque()
        line.append(request)
        if len(line) == 1 and client not in self.blocked:
            self.ready.append(client)
        if not self.is_busy:
            self.is_busy = True
            self.turn()

    def disconnect(self, client):
        self.waiting.pop(client, None)
        self.blocked.pop(client, None)

    def turn(self):
        served, self.ready = self.ready, []
        cost, replies = 0.0, []
        for client in served:
            line = self.waiting.get(client)
            if not line:
                continue
            budget = TURN
            while line and budget > 0:
                spent, size, is_over = self.serve(line[0], budget, replies)
                cost += spent
                budget -= size
                if not is_over:
                    break
                line.popleft()
                if client in self.blocked:
                    break
            if line and client not in self.blocked:
                self.ready.append(client)
        cost *= self.slowdown
        self.longest_turn = max(self.longest_turn, cost)
        self.account(self.clock.now, cost)
        self.clock.at(self.clock.now + cost, self.end_turn, replies)

    def account(self, start, cost):
        """Adds the busy time to the seconds in which it falls."""
        end = start + cost
        while int(start) < int(end):
            self.busy[int(start)] += int(start) + 1 - start
            start = int(start) + 1
        self.busy[int(end)] += end - start

    def end_turn(self, replies):
        if self.is_down:
            return
        now = self.clock.now
        for client, request, start, end, is_last in replies:
            client.replied(request, start, end, is_last, now)
        if self.ready:
            self.turn()
        else:
            self.is_busy = False

    def serve(self, request, budget, replies):
        """Serves a part of a request. Returns its cost, its size, and whether the request is over."""
        costs, cost, size = self.costs, 0.0, 0
        if request.is_new:
            request.is_new = False
            cost += request.cost
        total, start = request.named + request.records, request.done
        if start < total:
            count = min(total - start, max(1, budget // costs.record_to_redis))
            named = min(request.named - start, count) if start < request.named else 0
            cost += named * costs.named_record + (count - named) * costs.record
            size += count * costs.record_to_redis
            self.bytes[1] += count * costs.record_from_redis
            self.commands["HMGET"] += count
            request.done += count
            if request.done < total:
                self.bytes[0] += size
                replies.append((request.client, request, start, request.done, False))
                return cost, size, False
        cost += self.tail(request, replies)
        self.bytes[0] += size + 200
        if request.client not in self.blocked:
            replies.append((request.client, request, start, request.done, True))
        return cost, size + 200, True

    def tail(self, request, replies):
        """Serves the commands after the records."""
        costs, cost = self.costs, 0.0
        if request.scans:
            self.commands["SCAN"] += 1
            # The cost of a key that is a record is part of the cost of the record.
            cost += self.timing.slice * self.other_keys / max(1, self.records + self.other_keys) * costs.other_key
        if request.asks:
            self.commands["XINFO"] += 1
            cost += costs.information
            request.information, request.server = (self.last, self.first), self
        if request.reads is not None:
            self.commands["XREAD"] += 1
            cost += self.read(request)
            if request.blocks and not request.entries:
                self.blocked[request.client] = request
                cost += costs.wake / 2 - costs.round
                self.clock.at(self.clock.now + request.blocks, self.expire, request)
        if request.write is not None:
            self.commands["write"] += request.write.entries
            cost += self.append(request.write, replies)
        return cost

    def read(self, request):
        """Reads entries after a position, which may have been trimmed."""
        first = max(request.reads + 1, self.first)
        count = max(0, min(self.timing.entries, self.last - first + 1))
        request.entries = (first, first + count - 1) if count else None
        self.bytes[1] += count * self.costs.entry_from_redis
        return count * self.costs.entry

    def append(self, write, replies):
        """Appends entries and wakes the clients that wait. Returns the cost of waking them."""
        self.last += write.entries
        self.first = max(self.first, self.last - self.timing.stream + 1)
        write.appended(self.last)
        cost, woken = 0.0, self.blocked
        self.blocked = {}
        for client, request in woken.items():
            cost += self.costs.wake / 2 + self.read(request)
            replies.append((client, request, request.done, request.done, True))
            if self.waiting.get(client):
                self.ready.append(client)
        return cost

    def expire(self, request):
        """Ends the wait of a client without an entry."""
        if self.is_down or self.blocked.get(request.client) is not request:
            return
        del self.blocked[request.client]
        request.client.replied(request, request.done, request.done, True, self.clock.now)
        if self.waiting.get(request.client):
            self.ready.append(request.client)
            if not self.is_busy:
                self.is_busy = True
                self.turn()

    def fail(self):
        self.is_down = True


class Measures:
    """The samples of one run."""

    def __init__(self, stride=1):
        self.stride = stride
        self.sent = {}
        self.latencies, self.slowest, self.copies = [], {}, collections.Counter()
        self.acknowledgements, self.lookups = [], []
        self.refused = self.violations = 0
        self.ready, self.readings = {}, collections.Counter()
        self.unavailable, self.stale = 0.0, []
        self.timeouts = self.lost_connections = 0

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


class Gateway:
    """One gateway: the connection, rounds, readings and confirmations of its replica."""

    def __init__(self, fleet, number, link, defect=None):
        self.fleet, self.clock, self.link, self.number = fleet, fleet.clock, link, number
        self.costs, self.timing, self.defect = fleet.costs, fleet.timing, defect
        self.start_again()

    def start_again(self):
        """Forgets everything, as a new process."""
        self.epoch = getattr(self, "epoch", 0) + 1
        self.connection = getattr(self, "connection", 0) + 1
        self.redis, self.followed = None, None
        self.position, self.applied, self.missed = None, 0, False
        self.is_whole, self.reread, self.wanted = False, None, None
        self.next_reread, self.sweep_after = NEVER, None
        self.queried, self.pending, self.proven = None, None, None
        self.failures = self.attempts = 0
        self.confirmed, self.began, self.connected_at = None, self.clock.now, 0.0
        self.round, self.deadline, self.last_received = None, NEVER, 0.0
        self.is_read = False

    # The connection.

    def connect(self):
        """Connects to the current master, or tries again later."""
        self.connection += 1
        redis = self.fleet.redis
        if not self.link.is_up:
            return self.clock.at(self.clock.now + self.timing.connect_timeout, self.retry, self.connection)
        if redis.is_down:
            return self.clock.at(self.clock.now + 2 * self.link.delay, self.retry, self.connection)
        self.redis = redis
        self.epoch += 1
        request = Request(self, "connect", self.epoch, cost=self.costs.connection)
        self.round = request
        # The TCP handshake precedes the commands of the handshake.
        self.clock.at(self.clock.now + 3 * self.link.delay, redis.receive, request)
        self.clock.at(self.clock.now + self.timing.connect_timeout, self.connect_timed_out, self.connection, request)

    def connect_timed_out(self, connection, request):
        if connection == self.connection and self.round is request:
            self.redis.disconnect(self)
            self.epoch += 1
            self.retry(connection)

    def retry(self, connection):
        if connection != self.connection:
            return
        self.attempts += 1
        limit = min(self.timing.reconnect * 2 ** min(self.attempts - 1, 20), self.timing.maximum_reconnect)
        self.clock.at(self.clock.now + self.clock.random.uniform(0, limit), self.connect)

    def lose(self):
        """The connection is lost."""
        self.fleet.measures.lost_connections += 1
        if self.redis:
            self.redis.disconnect(self)
        if self.clock.now - self.connected_at >= self.timing.maximum_reconnect:
            self.attempts = 0
        self.abandon()
        self.deadline = NEVER
        self.retry(self.connection)

    def abandon(self):
        """Ignores replies to earlier commands. A reading starts again."""
        self.epoch += 1
        self.round = None
        self.pending = self.proven = self.queried = None
        if self.reread:
            self.wanted = self.reread.reason
        self.reread = None

    def rest(self):
        """Pauses after a timeout, and compares again on the same connection."""
        self.fleet.measures.timeouts += 1
        self.abandon()
        self.failures = min(self.failures + 1, 16)
        pause = min(self.timing.backoff * 2 ** (self.failures - 1), self.timing.maximum_backoff)
        epoch = self.epoch
        self.clock.at(self.clock.now + self.clock.random.uniform(pause / 2, pause), self.compare_again, epoch)

    def compare_again(self, epoch):
        if epoch == self.epoch:
            self.compare()

    # Timeouts.

    def watch(self, deadline):
        """Schedules one timer for the deadline of the current round. It moves on when it fires."""
        idle = self.deadline == NEVER
        self.deadline = deadline
        if idle:
            self.clock.at(deadline, self.timer, self.connection)

    def timer(self, connection):
        if connection != self.connection or self.deadline == NEVER:
            return
        if self.clock.now < self.deadline:
            return self.clock.at(self.deadline, self.timer, connection)
        self.deadline = NEVER
        if self.round is None:
            return
        self.clock.at(self.clock.now + self.timing.silence, self.check_silence, connection, self.round, self.clock.now)
        self.rest()

    def check_silence(self, connection, request, deadline):
        """Closes a connection whose oldest command has no reply for too long."""
        if connection != self.connection or request.is_over:
            return
        silent = min(max(deadline, self.last_received) + self.timing.silence, deadline + 4 * self.timing.silence)
        if self.clock.now >= silent - 1e-9:
            return self.lose()
        self.clock.at(silent, self.check_silence, connection, request, deadline)

    # Rounds.

    def send(self, request):
        self.round = request
        self.watch(self.clock.now + self.timing.reply + request.blocks)
        if self.link.is_up:
            self.clock.at(self.clock.now + self.link.delay, self.redis.receive, request)

    def replied(self, request, start, end, is_last, now):
        """Receives replies that Redis sent at `now`. Records are applied when they arrive."""
        if not self.link.is_up:
            return
        arrival = now + self.link.delay
        self.last_received = arrival
        if is_last:
            request.is_over = True
        if request.epoch != self.epoch:
            return
        named = min(request.named, end) - start
        if named > 0:
            first = request.first + start
            self.fleet.measures.applied(first, first + named - 1, arrival + named * self.costs.gateway_record)
        if is_last:
            # The work of both sides is added, as measured: the gateway formats the next commands after all replies.
            work = self.costs.gateway_round + (request.named + request.records) * self.costs.gateway_record
            self.clock.at(arrival + work, self.finish, request)

    def finish(self, request):
        """Handles the end of a round."""
        if request.epoch != self.epoch:
            return
        self.round = None
        if self.position is not None and request.named:
            self.applied = max(self.applied, request.first + request.named - 1)
            self.confirm()
        if request.kind == "connect":
            self.connected_at = self.clock.now
            return self.compare()
        if request.kind == "compare":
            return self.resume(request)
        if request.scans:
            self.reread.take_slice(self.timing.slice, self.redis.records, self.redis.other_keys)
        is_void = request.asks and self.received(request.information)
        if request.reads is not None and not is_void:
            self.follow(request.entries)
        if (request.records or request.scans) and self.reread and self.reread.next_slice is None:
            self.finish_slice()
        if self.reread is None and self.clock.now >= self.next_reread:
            self.begin_reread("due")
        self.plan()

    def plan(self):
        """Plans the next round, as `ReplicaMachine.planRound`."""
        now, timing = self.clock.now, self.timing
        request = Request(self, "round", self.epoch, cost=self.costs.round)
        request.first = self.applied + 1
        request.named = min(self.position - self.applied, timing.hints)
        left = self.position - self.applied - request.named
        reread = self.reread
        if reread and reread.next_slice is not None and (reread.is_urgent or now >= reread.next_slice):
            request.records = min(reread.keys, timing.records)
            reread.keys -= request.records
            request.scans = reread.keys == 0 and not reread.is_scanned
            reread.next_slice = None
        if left == 0:
            if self.pending is None and self.proven is None and (
                    self.queried is None or now - self.queried >= timing.check):
                self.queried = now
                request.asks = True
            request.reads = self.position
            if not (request.named or request.records or request.scans or request.asks):
                wait = timing.block
                if self.reread:
                    wait = min(wait, max(self.reread.next_slice - now, 0.001))
                request.blocks = wait
        self.send(request)

    def compare(self):
        """Requests the identity of the server and the state of the stream."""
        self.queried = self.clock.now
        self.send(Request(self, "compare", self.epoch, cost=self.costs.round + self.costs.identity, asks=True))

    def resume(self, request):
        """Continues after a new connection or an error."""
        information, server = request.information, request.server
        if self.position is None:
            self.start_over(information, "start")
        elif server is self.followed:
            if self.wanted:
                self.begin_reread(self.wanted)
            self.received(information)
        elif information[0] < self.position or (self.position < information[1] - 1):
            # The history lacks an entry that was seen, or it may lack one.
            self.start_over(information, "gap")
        else:
            self.is_whole, self.followed = False, server
            self.begin_reread("gap")
        self.plan()

    def received(self, information):
        """Compares the state of the stream. Returns whether entries of this round are void."""
        last, _ = information
        if self.queried is not None:
            self.pending = (last, self.queried)
        if last < self.position:
            self.start_over(information, "gap")
            return True
        return self.proceed()

    def proceed(self):
        if self.pending is None or self.position < self.pending[0]:
            return False
        last, sent = self.pending
        if self.missed:
            self.start_over((self.redis.last, self.redis.first), "gap")
            return True
        self.pending = None
        if self.is_whole:
            self.proven = (last, sent)
            self.confirm()
        return False

    def follow(self, entries):
        if not entries:
            return
        first, last = entries
        if first > self.position + 1:
            self.missed, self.applied = True, first - 1
        if self.defect == "skips-entries" and self.clock.random.random() < 0.01:
            self.applied = last
        self.position = last
        self.proceed()

    def confirm(self):
        """Confirms the proven time after the named records were read."""
        if self.proven is None:
            return
        last, sent = self.proven
        if self.applied < last and self.defect != "confirms-early":
            return
        self.proven = None
        self.failures = 0
        if self.sweep_after is not None:
            if sent < self.sweep_after:
                self.queried = None
                return
            self.sweep_after = None
        self.fleet.confirmed(self, sent)

    # Readings of everything.

    def start_over(self, information, reason):
        self.is_whole = False
        self.position = self.applied = information[0]
        self.missed = False
        self.followed = self.redis
        self.pending = self.proven = self.queried = None
        self.begin_reread(reason)

    def begin_reread(self, reason):
        self.wanted = self.sweep_after = None
        self.reread = Reading(reason, self.clock.now)
        self.fleet.measures.readings[reason] += 1

    def finish_slice(self):
        reread = self.reread
        if not (reread.is_scanned and reread.keys == 0):
            reread.next_slice = self.clock.now + self.timing.pause
            return
        self.reread, self.is_whole = None, True
        interval = self.timing.reread
        self.next_reread = self.clock.now + interval * (1 - self.timing.reread_jitter * self.clock.random.random())
        self.sweep_after = self.clock.now
        self.queried = None


class Reading:
    """A reading of everything."""

    def __init__(self, reason, now):
        self.reason, self.next_slice = reason, now
        self.keys = self.listed = self.visited = 0
        self.is_scanned = False

    @property
    def is_urgent(self):
        return self.reason != "due"

    def take_slice(self, size, records, other_keys):
        """Adds the records of a slice of all keys, of which `other_keys` are not records."""
        self.visited += size
        self.is_scanned = self.visited >= records + other_keys
        listed = records if self.is_scanned else self.visited * records // (records + other_keys)
        self.keys += listed - self.listed
        self.listed = listed


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

    # Events of scenarios.

    def start(self, spread=0.0, warm=False):
        """Starts all gateways within `spread` seconds. Warm gateways have read everything."""
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
            gateway.next_reread = self.clock.now + self.clock.random.uniform(0, self.timing.reread)
        gateway.connect()

    def cut(self, region):
        self.links[region].is_up = False

    def restore(self, region):
        self.links[region].is_up = True

    # Results.

    def confirmed(self, gateway, sent):
        now = self.clock.now
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
