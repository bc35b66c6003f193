"""A gateway in the simulation: the part of it that follows the records in Redis.

It repeats `ReplicaMachine`: rounds of pipelined commands, one after the other; readings of everything; checks of the
stream's state; pauses after errors. Its progress in the stream is a number."""

import math

from server import Request

NEVER = math.inf


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
            self.fleet.measures.abandoned += 1
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
