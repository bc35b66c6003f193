import Logging
import NIOCore
import Redis

/// The I/O beside `ReplicaMachine`: sends what it asks for, hands it what comes, writes the view. Lives on its loop.
final class ReplicaFollower {
    struct Environment {
        let loop: any EventLoop
        let clock: GatewayClock
        let log: ReplicaLog
        let board: ReplicaBoard
        let links: LinkGenerations
        let loaded: @Sendable () -> Void
        let applied: @Sendable (ReplicaStreamID) -> Void
    }

    /// How long the answers to a round may take, besides what its last command waits. Nobody waits for the replica: an
    /// answer that comes late is better than to ask a busy server for everything once more.
    static let timeout: UInt64 = 5_000_000_000

    let environment: Environment
    private let link: RedisLink
    private var machine: ReplicaMachine
    private var table: ReplicaTable
    /// Answers to what was asked under another number no longer count.
    private var epoch: UInt64 = 0
    private var events: [ReplicaMachine.Event] = []
    private var isHandling = false
    private var actions: [ReplicaMachine.Action] = []
    private var names: [UInt8] = []
    private var timer: Scheduled<Void>?
    private var isLoaded = false
    private var applied: ReplicaStreamID?
    /// Whether a record could not be written, so that nothing can be confirmed any more.
    private var isBroken = false

    init(link: RedisLink, table: ReplicaTable, machine: ReplicaMachine, environment: Environment) {
        self.link = link
        self.table = table
        self.machine = machine
        self.environment = environment
        link.observer = self
    }

    func start() {
        link.start()
    }

    func stop() {
        // What is still under way ends without a word: nothing is wrong.
        epoch += 1
        link.stop()
        timer?.cancel()
        table.view.setStale()
        isBroken = true
    }

    /// Events that come while one is handled wait for its end.
    private func handle(_ event: ReplicaMachine.Event) {
        events.append(event)
        guard !isHandling else { return }
        isHandling = true
        while let next = events.first {
            events.removeFirst()
            machine.handle(next, now: environment.clock.monotonic(), into: &actions)
            // None of them adds another one: what they bring about waits among the events.
            for action in actions { perform(action) }
            actions.removeAll(keepingCapacity: true)
            tellApplied()
        }
        isHandling = false
    }

    private func tellApplied() {
        guard isLoaded, !isBroken, let id = machine.appliedThrough, id != applied else { return }
        applied = id
        environment.applied(id)
    }

    private func perform(_ action: ReplicaMachine.Action) {
        switch action {
        case .send(let commands): send(commands)
        case .forget: epoch += 1
        case .set(let key, let word): set(key, to: word)
        case .beginReread:
            table.beginReread()
            // Entries are followed from here on; which were missed before, nobody tells.
            environment.links.allChanged()
        case .linkChanged(let name): environment.links.changed(name)
        case .sweep: if let reread = table.lastReread { sweep(reread, slice: 0) }
        case .confirm(let time): confirm(at: time)
        case .log(let event): environment.log.write(event)
        }
    }

    private func send(_ commands: [ReplicaCommand]) {
        guard var command = commands.first?.formatted(sliceSize: machine.bounds.slice) else { return }
        for next in commands.dropFirst() { command.append(next.formatted(sliceSize: machine.bounds.slice)) }
        var timeout = Self.timeout
        if case .changes(_, _, let block?) = commands.last { timeout += block * 1_000_000 }
        showStatus()
        link.send(command, ticket: epoch, timeout: timeout, to: self)
    }

    private func set(_ key: ReplicaKey, to word: RecordWord) {
        do { try table.set(key, to: word) } catch {
            isBroken = true
            environment.log.writeBroken(error)
        }
    }

    private func confirm(at time: UInt64) {
        guard !isBroken else { return }
        table.view.confirm(at: time)
        guard !isLoaded else { return }
        isLoaded = true
        showStatus()
        environment.loaded()
    }

    /// One slice in each tick of the loop, so that changes wait for one slice at most.
    private func sweep(_ reread: StoreView.Reread, slice: Int) {
        guard slice < StoreView.sweepSlices else { return }
        table.sweep(slice: slice, of: reread)
        environment.loop.assumeIsolated().execute { self.sweep(reread, slice: slice + 1) }
    }

    private func showStatus() {
        environment.board.show(ReplicaStatus(machine, isConnected: link.isReady, isLoaded: isLoaded))
    }

    /// One timer, for the pause after an error.
    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let deadline = machine.deadline else { return }
        let now = environment.clock.monotonic()
        let delay = TimeAmount.nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0))
        timer = environment.loop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            self?.handle(.tick)
            self?.settle()
        }
    }

    /// What follows from the machine's state whenever it may have paused.
    private func settle() {
        armTimer()
        showStatus()
    }
}

extension ReplicaFollower: RedisLinkObserver {
    func linkIsReady(_ link: RedisLink) {
        handle(.connected)
        settle()
    }

    func linkIsLost(_ link: RedisLink, why problem: RedisProblem) {
        epoch += 1
        handle(.lost)
        settle()
    }
}

extension ReplicaFollower: RedisReceiver {
    func received(_ reply: RedisReply, ticket: UInt64) {
        guard ticket == epoch, let command = machine.round.next?.command else { return }
        handle(.answered(ReplicaAnswer(reply, to: command, names: &names)))
        if machine.deadline != nil { settle() }
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        guard ticket == epoch else { return }
        handle(.failed(ReplicaFault(kind: "no answer", message: failure.description)))
        settle()
    }
}
