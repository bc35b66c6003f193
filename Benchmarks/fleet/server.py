"""Redis in the simulation: one event loop, which serves up to 16 KiB of each waiting client in a turn and sends the
replies at the end of the turn. Entries of the stream are numbers, and each names a record of its own."""

import collections

from model import TURN, Costs, Timing


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
