import GatewayCore
import OutboundHTTP
import Revocation

/// The limits of writing back.
enum WriteBackBounds {
    /// The maximum number of concurrent deliveries.
    static let concurrency = 4
    /// The maximum number of entries that one poll returns.
    static let batch = 64
    /// The duration of the lease, in seconds. After a crash, another gateway continues when it has ended.
    static let lease: Int64 = 60
    /// The remaining lease that a delivery needs, in nanoseconds: longer than any delivery takes.
    static let reserve: UInt64 = 50_000_000_000
    /// The interval of polls by the holder of the lease, and by other gateways, in nanoseconds.
    static let holderInterval: UInt64 = 1_000_000_000
    static let interval: UInt64 = 5_000_000_000
    /// The delay of an entry after a failure that concerns only its user, in seconds.
    static let postponed: Int64 = 60
    /// The longest pause after a failure, in nanoseconds.
    static let longestPause: UInt64 = 300_000_000_000
    /// The delay of an entry that is rejected, for which the gateway lacks the permission or the project, or whose
    /// record is invalid, in seconds.
    static let parked: Int64 = 600
}

/// The result of a delivery.
enum WriteBackResult: Sendable, Equatable {
    /// Identity Toolkit was updated.
    case updated
    /// Identity Toolkit or the store already has the wanted state.
    case unchanged
    /// The user does not exist at Firebase.
    case missing
    /// Identity Toolkit rejects the update, with its error code. Only a change of the project helps.
    case rejected(String)
    /// The gateway lacks the permission.
    case forbidden
    /// The configuration does not have the user's project.
    case unconfigured
    /// The store's record of the user is invalid.
    case faulty
}

/// The delivery of queued changes, as a pure value: events in, actions out.
///
/// Only the holder of the lease delivers. One delivery per user and part runs at a time. After a failure of the
/// service, all deliveries to the project pause for a growing time, and the entry is due after later ones.
struct WriteBackMachine: TimedMachine {
    enum Action: Sendable, Equatable {
        /// Poll the queue; exactly one `polled` follows.
        case poll
        /// Deliver an entry; exactly one `delivered` follows.
        case deliver(WriteBackEntry)
        /// Remove an entry from the queue; exactly one `settled` follows.
        case remove(WriteBackEntry)
        /// Make an entry due in so many seconds; exactly one `settled` follows.
        case postpone(WriteBackEntry, Int64)
        /// Log that an entry is removed because the user does not exist.
        case logMissing(WriteBackEntry)
        /// Log that the queue cannot be read.
        case logUnreadable(StoreError)
        /// Log that entries are parked.
        case logParked(WriteBackResult)
    }

    /// The user, target and part of an entry.
    private struct Slot: Hashable {
        let user: UserKey
        let target: WriteBackTarget
        let part: WriteBackPart

        init(_ entry: WriteBackEntry) { (user, target, part) = (entry.user, entry.target, entry.part) }
    }

    /// The pause of a project whose last delivery failed.
    private struct Pause {
        var until: UInt64 = 0
        /// The number of consecutive failures.
        var failures = 0
    }

    private(set) var status = WriteBackStatus()
    private var running: Set<Slot> = []
    /// Due entries that wait for the end of a delivery.
    private var backlog: ArraySlice<WriteBackEntry> = []
    /// Settled deliveries since the start of the running poll, whose result may still contain their entries.
    private var settledDuringPoll: Set<Slot> = []
    private var isPolling = false
    private var isStopped = false
    private var polledAt: UInt64 = 0
    private var nextPollAt: UInt64 = 0
    /// Whether a change was queued during a poll.
    private var isPollOutdated = false
    private var leaseUntil: UInt64 = 0
    /// The pauses by project. Only projects of a configuration have one.
    private var pauses: [String: Pause] = [:]
    /// The project of the last failure.
    private var failingProject: String?
    private var parkedLoggedAt: UInt64?
    private var pollLoggedAt: UInt64?
    /// The reason of a failure to read the queue.
    private static let unreadable = "the queue cannot be read"
    /// Returns a random duration of at most its argument.
    private let random: @Sendable (UInt64) -> UInt64

    init(random: @escaping @Sendable (UInt64) -> UInt64 = { UInt64.random(in: 0...$0) }) {
        self.random = random
    }

    /// Whether no poll and no delivery is running.
    var isIdle: Bool { !isPolling && running.isEmpty }

    var deadline: UInt64? { isStopped || isPolling ? nil : nextPollAt }
}

extension WriteBackMachine {
    mutating func tick(now: UInt64) -> [Action] {
        guard !isStopped, !isPolling, now >= nextPollAt else { return [] }
        (isPolling, isPollOutdated, polledAt) = (true, false, now)
        settledDuringPoll = []
        return [.poll]
    }

    /// Handles a change that this gateway queued.
    mutating func queued(now: UInt64) -> [Action] {
        if isPolling { isPollOutdated = true } else { nextPollAt = min(nextPollAt, now) }
        return tick(now: now)
    }

    /// Handles a failed poll. The state of the queue is that of the last successful one.
    mutating func pollFailed(_ error: StoreError, now: UInt64) -> [Action] {
        isPolling = false
        (status.isHolder, status.failing, leaseUntil, backlog) = (false, Self.unreadable, 0, [])
        nextPollAt = now &+ WriteBackBounds.interval
        if let last = pollLoggedAt, now < last &+ 60_000_000_000 { return [] }
        pollLoggedAt = now
        return [.logUnreadable(error)]
    }

    /// Handles the result of a poll. `nil` if nothing is written back.
    mutating func polled(_ poll: WriteBackPoll?, now: UInt64) -> [Action] {
        isPolling = false
        guard !isStopped else { return [] }
        if status.failing == Self.unreadable { status.failing = nil }
        guard let poll else {
            (status.count, status.age, status.isHolder, leaseUntil, backlog) = (0, nil, false, 0, [])
            nextPollAt = now &+ WriteBackBounds.interval
            return []
        }
        (status.count, status.age, status.isHolder) = (poll.count, poll.age, poll.isHolder)
        leaseUntil = poll.isHolder ? polledAt &+ UInt64(WriteBackBounds.lease) * 1_000_000_000 : 0
        backlog = poll.entries.filter { !settledDuringPoll.contains(Slot($0)) }[...]
        let interval = poll.isHolder ? WriteBackBounds.holderInterval : WriteBackBounds.interval
        nextPollAt = isPollOutdated ? now : now &+ interval / 2 &+ random(interval / 2)
        return postponePaused(isFull: poll.entries.count >= WriteBackBounds.batch, now: now) + deliver(now: now)
    }

    mutating func delivered(
        _ entry: WriteBackEntry, _ result: Result<WriteBackResult, GoogleCallFailure>, now: UInt64
    ) -> [Action] {
        switch result {
        case .success(let result): return succeeded(entry, result, now: now)
        case .failure(let failure):
            status.failed += 1
            (status.failing, failingProject) = (failure.reason, entry.target.project)
            guard failure.concernsAll else { return [.postpone(entry, WriteBackBounds.postponed)] }
            let pause = pause(entry.target.project, after: failure, now: now)
            backlog.removeAll { $0.target.project == entry.target.project }
            return [.postpone(entry, Int64(clamping: (pause - 1) / 1_000_000_000 + 1))]
        }
    }

    /// Handles the end of a removal or a postponement, even if it failed: the entry then stays in the queue.
    mutating func settled(_ entry: WriteBackEntry, now: UInt64) -> [Action] {
        let slot = Slot(entry)
        running.remove(slot)
        // Earlier results of a poll have an outdated version of the entry. The next poll has the current one.
        backlog.removeAll { Slot($0) == slot }
        if isPolling { settledDuringPoll.insert(slot) }
        return deliver(now: now)
    }

    /// Ends deliveries. Results of running ones are ignored: their entries stay in the queue.
    mutating func stop() {
        isStopped = true
        backlog = []
    }

    private mutating func deliver(now: UInt64) -> [Action] {
        guard !isStopped, leaseUntil >= now &+ WriteBackBounds.reserve else { return [] }
        var actions: [Action] = []
        while running.count < WriteBackBounds.concurrency, let entry = backlog.popFirst() {
            guard pauseEnd(of: entry) <= now else { continue }
            // After an entry was postponed or failed to be removed, only a new poll has its version.
            if running.insert(Slot(entry)).inserted { actions.append(.deliver(entry)) }
        }
        return actions
    }

    /// Postpones the entries of paused projects if the poll returned as many as it may, so that they do not hide those
    /// of other projects.
    private mutating func postponePaused(isFull: Bool, now: UInt64) -> [Action] {
        guard isFull, status.isHolder else { return [] }
        let paused = backlog.filter { pauseEnd(of: $0) > now && !running.contains(Slot($0)) }
        return paused.map { .postpone($0, Int64(clamping: (pauseEnd(of: $0) - now - 1) / 1_000_000_000 + 1)) }
    }

    private func pauseEnd(of entry: WriteBackEntry) -> UInt64 { pauses[entry.target.project]?.until ?? 0 }

    private mutating func succeeded(_ entry: WriteBackEntry, _ result: WriteBackResult, now: UInt64) -> [Action] {
        if result != .unconfigured { pauses[entry.target.project]?.failures = 0 }
        if failingProject == entry.target.project { (status.failing, failingProject) = (nil, nil) }
        switch result {
        case .updated:
            status.updated += 1
            return [.remove(entry)]
        case .unchanged:
            status.unchanged += 1
            return [.remove(entry)]
        case .missing:
            status.missing += 1
            return [.remove(entry), .logMissing(entry)]
        case .rejected(let code):
            status.rejected += 1
            status.failing = code
        case .forbidden:
            status.forbidden += 1
            status.failing = "forbidden"
        case .unconfigured:
            status.failed += 1
            status.failing = "the project is not configured"
        case .faulty:
            status.failed += 1
            return [.postpone(entry, WriteBackBounds.parked)]
        }
        failingProject = entry.target.project
        return [.postpone(entry, WriteBackBounds.parked)] + logParked(result, now)
    }

    /// Logs parked entries at most once a minute.
    private mutating func logParked(_ result: WriteBackResult, _ now: UInt64) -> [Action] {
        if let last = parkedLoggedAt, now < last &+ 60_000_000_000 { return [] }
        parkedLoggedAt = now
        return [.logParked(result)]
    }

    /// Pauses the deliveries to a project after a failure. The pause doubles from one second, with jitter, and is at
    /// least the time that the service requests.
    private mutating func pause(_ project: String, after failure: GoogleCallFailure, now: UInt64) -> UInt64 {
        var pause = pauses[project] ?? Pause()
        let backOff = min(1_000_000_000 << UInt64(min(pause.failures, 9)), WriteBackBounds.longestPause)
        let duration = max(
            UInt64(max(failure.retryAfter ?? 0, 0)) * 1_000_000_000, backOff / 2 + random(backOff / 2))
        pause.failures += 1
        pause.until = max(pause.until, now &+ duration)
        pauses[project] = pause
        return duration
    }
}
