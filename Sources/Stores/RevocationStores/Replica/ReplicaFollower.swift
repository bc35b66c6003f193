import GatewayConfiguration
import GatewayCore
import NIOCore
import Redis
import Revocation

/// The I/O of `ReplicaMachine`: sends its commands, delivers replies, and writes the view. It belongs to one event
/// loop.
final class ReplicaFollower {
    struct Environment {
        let loop: any EventLoop
        let clock: GatewayClock
        let log: ReplicaLog
        let status: SharedReplicaStatus
        let links: LinkGenerations
        var onLoss = StoreLossPolicy.keep
        /// The place of the keys in a cluster.
        var keyspace: ClusterKeyspace?
        /// Writes records back, then calls the closure.
        var restore: @Sendable ([LostRecord], @escaping @Sendable () -> Void) -> Void = { _, done in done() }
        let loaded: @Sendable () -> Void
        /// Called when the view contains everything up to an entry. `nil` without a connection: the next server may
        /// count its entries differently.
        let applied: @Sendable (ReplicaStreamID?) -> Void
    }

    let environment: Environment
    private let link: RedisLink
    private var machine: ReplicaMachine
    private var table: ReplicaTable
    /// The ticket of valid replies; replies with another one are ignored.
    private var epoch: UInt64 = 0
    private var events: [ReplicaMachine.Event] = []
    private var isHandling = false
    private var actions: [ReplicaMachine.Action] = []
    private var names: [UInt8] = []
    private var timer: Scheduled<Void>?
    private var isLoaded = false
    private var applied: ReplicaStreamID?
    private var loss = LossDetector()
    /// The number of readings, so that the sweep of an earlier reading stops.
    private var readings = 0
    /// The names of the records in the view. `nil` if lost records are not written back.
    private var known: KnownRecords?
    /// Whether a record could not be written, after which nothing is confirmed.
    private var isBroken = false

    init(link: RedisLink, table: ReplicaTable, machine: ReplicaMachine, environment: Environment) {
        self.link = link
        self.table = table
        self.machine = machine
        self.environment = environment
        known = environment.onLoss == .restore ? KnownRecords() : nil
        self.table.acceptsLoss = environment.onLoss == .accept
        link.observer = self
    }

    /// - Parameter saved: The position of a view that was read from a file.
    func start(from saved: SavedPosition?) {
        if let saved { machine.resume(saved, now: environment.clock.monotonic()) }
        link.start()
    }

    /// The position to save with the view.
    var savedPosition: SavedPosition? { isBroken || !isLoaded ? nil : machine.savedPosition }

    func stop() {
        // Pending replies are ignored without a log line, since this is no failure.
        epoch += 1
        link.stop()
        timer?.cancel()
        table.view.setStale()
        isBroken = true
    }

    /// Abandons the lost records: after a complete reading, the view equals Redis. Returns the current loss.
    func accept() -> StoreLoss {
        let accepted = currentLoss
        loss.isAcceptanceRequested = true
        handle(.rereadRequested)
        return accepted
    }

    /// Handles an event. Events that arrive meanwhile are queued.
    private func handle(_ event: ReplicaMachine.Event) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        while let next = events.first {
            events.removeFirst()
            machine.handle(next, now: environment.clock.monotonic(), into: &actions)
            // Actions do not add actions; they only queue events.
            for action in actions { perform(action) }
            actions.removeAll(keepingCapacity: true)
            notifyApplied()
        }
        isHandling = false
    }

    private func notifyApplied() {
        guard isLoaded, !isBroken, machine.phase == .following, let id = machine.appliedThrough, id != applied
        else { return }
        applied = id
        environment.applied(id)
    }

    /// Adds the restrictions of a record that this gateway has written, unless the view contains everything up to its
    /// entry. In that case, a later entry that withdraws them has not been applied either, so no withdrawal is undone.
    func record(_ word: RecordWord, of key: ReplicaKey, at entry: ReplicaStreamID) {
        guard !isBroken, machine.mayLack(entry, of: key) else { return }
        do {
            if try table.restrict(key, to: word) { known?.record(key, isThere: true) }
        } catch {
            isBroken = true
            environment.log.writeBroken(error)
        }
    }

    private func perform(_ action: ReplicaMachine.Action) {
        switch action {
        case .send(let commands): send(commands)
        case .forget: epoch += 1
        case .set(let key, let word, let parts): set(key, to: word, changing: parts)
        case .historyWentBack:
            loss.wentBack = true
            showStatus()
        case .discardRecords: table.removeAll()
        case .beginReread:
            table.beginReread()
            if loss.isAcceptanceRequested { table.acceptsLoss = true }
            readings += 1
            // Entries are followed from here on. Earlier link changes may have been missed.
            environment.links.allChanged()
        case .linkChanged(let name): environment.links.changed(name)
        case .sweep: if let reread = table.lastReread { sweep(reread, slice: 0, reading: readings) }
        case .confirm(let time): confirm(at: time)
        case .log(let event): environment.log.write(event)
        }
    }

    private func send(_ commands: [ReplicaCommand]) {
        guard var command = commands.first?.formatted(sliceSize: machine.bounds.slice) else { return }
        for next in commands.dropFirst() { command.append(next.formatted(sliceSize: machine.bounds.slice)) }
        var timeout = machine.timing.reply.nanoseconds
        if case .changes(_, _, let block?) = commands.last { timeout += block * 1_000_000 }
        showStatus()
        link.send(command, ticket: epoch, timeout: timeout, to: self)
    }

    private func set(_ key: ReplicaKey, to word: RecordWord, changing parts: RecordParts) {
        do {
            let kept = try table.set(key, to: word, changing: parts)
            known?.record(key, isThere: kept != .none)
        } catch {
            isBroken = true
            environment.log.writeBroken(error)
        }
    }

    private func confirm(at time: UInt64) {
        guard !isBroken else { return }
        table.view.confirm(at: time)
        if loss.isDue(time) { detectLoss() }
        guard !isLoaded else { return }
        isLoaded = true
        showStatus()
        environment.loaded()
    }

    /// Sweeps one slice in each tick of the event loop, so that changes wait for one slice at most.
    private func sweep(_ reread: StoreView.Reread, slice: Int, reading: Int) {
        guard reading == readings else { return }
        guard slice < ReplicaTable.sweepSlices else { return swept() }
        table.sweep(slice: slice, of: reread, losesHistory: loss.wentBack)
        environment.loop.assumeIsolated().execute { self.sweep(reread, slice: slice + 1, reading: reading) }
    }

    private func showStatus() {
        var status = ReplicaStatus(machine, isConnected: link.isReady, isLoaded: isLoaded)
        status.loss = currentLoss
        status.isLossCertain = loss.reported.isAny
        environment.status.update(status)
    }

    // MARK: - Loss

    private var currentLoss: StoreLoss {
        var now = StoreLoss()
        (now.users, now.sessions) = table.view.kept
        now.wentBack = loss.wentBack
        return now
    }

    /// Handles the end of a reading and its sweep.
    private func swept() {
        if table.acceptsLoss, environment.onLoss != .accept {
            (table.acceptsLoss, loss.isAcceptanceRequested) = (false, false)
            loss.wentBack = false
        }
        loss.check(at: environment.clock.monotonic() &+ LossDetector.settling)
        showStatus()
    }

    private func detectLoss() {
        let now = environment.clock.monotonic()
        let found = currentLoss
        environment.log.write(found, before: loss.reported, environment.onLoss)
        loss.reported = found
        if environment.onLoss == .accept || (environment.onLoss == .restore && found.users + found.sessions == 0) {
            loss.wentBack = false
        }
        if found.isAny { loss.check(at: now &+ LossDetector.interval) } else { loss.stop() }
        showStatus()
        if environment.onLoss == .restore, found.isAny { restore() }
    }

    /// Writes lost records back. Other gateways may do the same; repeated writes change nothing.
    private func restore() {
        guard !loss.isRestoring else { return }
        loss.isRestoring = true
        collect(known?.all ?? [], from: 0, into: [])
    }

    /// Collects a bounded number of records in each tick of the event loop, so that changes wait for one slice at most.
    private func collect(_ keys: [ReplicaKey], from start: Int, into lost: [LostRecord]) {
        var lost = lost
        let end = min(start + LossDetector.slice, keys.count)
        for key in keys[start..<end] {
            guard let word = try? table.word(key) else { continue }
            if word == .none { known?.record(key, isThere: false) }
            if word.isKept, let record = LostRecord(key, word, names: &names) { lost.append(record) }
        }
        environment.loop.assumeIsolated().execute { [lost] in
            if end < keys.count, lost.count < LossDetector.batch { return self.collect(keys, from: end, into: lost) }
            let bound = NIOLoopBound(self, eventLoop: self.environment.loop)
            self.environment.restore(lost) { bound.execute { $0.loss.isRestoring = false } }
        }
    }

    /// Schedules the end of the pause after an error.
    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let deadline = machine.deadline else { return }
        let now = environment.clock.monotonic()
        let delay = TimeAmount.nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0))
        timer = environment.loop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            self?.handle(.tick)
            self?.armTimerAndShowStatus()
        }
    }

    /// Updates the timer and the status after a possible change of the machine's phase.
    private func armTimerAndShowStatus() {
        armTimer()
        showStatus()
    }
}

extension ReplicaFollower: RedisLinkObserver {
    func linkIsReady(_ link: RedisLink) {
        handle(.connected)
        armTimerAndShowStatus()
    }

    func linkIsLost(_ link: RedisLink, why problem: RedisProblem) {
        epoch += 1
        applied = nil
        environment.applied(nil)
        handle(.lost)
        armTimerAndShowStatus()
    }
}

extension ReplicaFollower: RedisReceiver {
    func received(_ reply: RedisReply, ticket: UInt64) {
        guard ticket == epoch, let command = machine.round.next?.command else { return }
        handle(.replied(ReplicaReply(reply, to: command, names: &names, in: environment.keyspace)))
        if machine.deadline != nil { armTimerAndShowStatus() }
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        guard ticket == epoch else { return }
        handle(.failed(ReplicaFault(kind: "no answer", message: failure.description)))
        armTimerAndShowStatus()
    }
}
