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
    /// The time in which all requests of a delivery end, in nanoseconds. With a fetch of an access token before them, a
    /// delivery ends before `reserve`.
    static let deadline: UInt64 = 30_000_000_000
    /// The deliveries of a project pause after the deliveries of this number of users failed without a success.
    static let suspects = 3
    /// The maximum number of entries whose consecutive failures are counted.
    static let attempts = 1024
    /// The longest pause after a failure, in nanoseconds.
    static let longestPause: UInt64 = 300_000_000_000
    /// The delay of an entry that is rejected, for which the gateway lacks the permission, or whose record is invalid,
    /// in seconds. Also the interval in which parked entries are compared with the configuration.
    static let postponed: Int64 = 600
}

/// The result of a delivery.
enum WriteBackResult: Sendable, Equatable {
    /// The destination was updated.
    case updated
    /// The destination or the store already has the wanted state.
    case unchanged
    /// The user does not exist at Firebase.
    case missing
    /// The destination rejects the update, with its error code. Only a change of the project helps.
    case rejected(String)
    /// The uid cannot be a key of the destination.
    case unstorable
    /// The gateway lacks the permission.
    case forbidden
    /// The configuration does not have the user's project or the destination.
    case unconfigured
    /// The store's record of the user is invalid.
    case faulty
}

/// The delivery of queued changes, as a pure value: events in, actions out.
///
/// Only the holder of the lease delivers. One delivery per user and part runs at a time. A project and a destination
/// are a lane. A failure that may concern one user postpones only its entry. After failures of several users, or one
/// that concerns all, the deliveries of the lane pause for a growing time, and the entry is due after later ones.
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
        /// Move an entry out of the queue; exactly one `settled` follows.
        case park(WriteBackEntry)
        /// Move the parked entries of the configured projects and destinations back.
        case returnParked
        /// Log that an entry is removed because the user does not exist.
        case logMissing(WriteBackEntry)
        /// Log that an entry is removed because the uid cannot be stored at its destination.
        case logUnstorable(WriteBackEntry)
        /// Log that the queue cannot be read.
        case logUnreadable(StoreError)
        /// Log that entries for a destination are postponed or parked.
        case logHeld(WriteBackResult, WriteBackDestination)
    }

    typealias Lane = WriteBackStatus.Lane

    /// The user, target and part of an entry.
    private struct Slot: Hashable {
        let user: UserKey
        let target: WriteBackTarget
        let part: WriteBackPart

        init(_ entry: WriteBackEntry) { (user, target, part) = (entry.user, entry.target, entry.part) }
    }

    /// The state of a lane since its last success.
    private struct LaneState {
        var pauseEnd: UInt64 = 0
        /// The number of consecutive pauses.
        var pauses = 0
        /// Entries that failed for a reason that may concern only their user, at most `WriteBackBounds.suspects`.
        var suspects: Set<Slot> = []
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
    /// Only projects of a configuration have a lane.
    private var lanes: [Lane: LaneState] = [:]
    /// The numbers of consecutive failures of entries.
    private var attempts: [Slot: Int] = [:]
    /// When parked entries are next compared with the configuration.
    private var returnsAt: UInt64 = 0
    private var heldLoggedAt: UInt64?
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
        (status.isHolder, status.queueFailure, leaseUntil, backlog) = (false, Self.unreadable, 0, [])
        nextPollAt = now &+ WriteBackBounds.interval
        if let last = pollLoggedAt, now < last &+ 60_000_000_000 { return [] }
        pollLoggedAt = now
        return [.logUnreadable(error)]
    }

    /// Handles the result of a poll. `nil` if nothing is written back.
    mutating func polled(_ poll: WriteBackPoll?, now: UInt64) -> [Action] {
        isPolling = false
        guard !isStopped else { return [] }
        status.queueFailure = nil
        guard let poll else {
            (status.count, status.age, status.isHolder, leaseUntil, backlog) = (0, nil, false, 0, [])
            status.parked = 0
            nextPollAt = now &+ WriteBackBounds.interval
            return []
        }
        (status.count, status.age, status.isHolder) = (poll.count, poll.age, poll.isHolder)
        status.parked = poll.parked
        leaseUntil = poll.isHolder ? polledAt &+ UInt64(WriteBackBounds.lease) * 1_000_000_000 : 0
        backlog = poll.entries.filter { !settledDuringPoll.contains(Slot($0)) }[...]
        let interval = poll.isHolder ? WriteBackBounds.holderInterval : WriteBackBounds.interval
        nextPollAt = isPollOutdated ? now : now &+ interval / 2 &+ random(interval / 2)
        return returnParked(now: now)
            + postponePaused(isFull: poll.entries.count >= WriteBackBounds.batch, now: now) + deliver(now: now)
    }

    /// Handles another configuration, which may have the projects of parked entries. The other lanes are forgotten.
    mutating func configured(_ current: Set<Lane>) {
        returnsAt = 0
        // A counter exists before its first delivery.
        for lane in current { status[lane.destination] = status[lane.destination] }
        lanes = lanes.filter { current.contains($0.key) }
        status.failures = status.failures.filter { current.contains($0.key) }
    }

    private mutating func returnParked(now: UInt64) -> [Action] {
        guard status.parked > 0, now >= returnsAt else { return [] }
        returnsAt = now &+ UInt64(WriteBackBounds.postponed) * 1_000_000_000
        return [.returnParked]
    }

    mutating func delivered(
        _ entry: WriteBackEntry, _ result: Result<WriteBackResult, GoogleCallFailure>, now: UInt64
    ) -> [Action] {
        switch result {
        case .success(let result): return succeeded(entry, result, now: now)
        case .failure(let failure): return failed(entry, failure, now: now)
        }
    }

    private mutating func failed(_ entry: WriteBackEntry, _ failure: GoogleCallFailure, now: UInt64) -> [Action] {
        let (slot, lane) = (Slot(entry), entry.lane)
        status[lane.destination].failed += 1
        status.failures[lane] = failure.reason
        var state = lanes[lane] ?? LaneState()
        if !failure.concernsAll {
            if state.suspects.count < WriteBackBounds.suspects { state.suspects.insert(slot) }
            guard state.suspects.count >= WriteBackBounds.suspects else {
                lanes[lane] = state
                return [.postpone(entry, Self.seconds(backOff(countAttempt(slot))))]
            }
        }
        let duration = max(UInt64(max(failure.retryAfter ?? 0, 0)) * 1_000_000_000, backOff(state.pauses))
        state.pauses += 1
        state.pauseEnd = max(state.pauseEnd, now &+ duration)
        lanes[lane] = state
        backlog.removeAll { $0.lane == lane }
        return [.postpone(entry, Self.seconds(duration))]
    }

    /// Returns the number of earlier consecutive failures of an entry, and counts this one.
    private mutating func countAttempt(_ slot: Slot) -> Int {
        if attempts[slot] == nil, attempts.count >= WriteBackBounds.attempts { attempts = [:] }
        let count = attempts[slot] ?? 0
        attempts[slot] = count + 1
        return count
    }

    /// Returns the delay after a number of earlier failures: it doubles from one second, with jitter.
    private func backOff(_ failures: Int) -> UInt64 {
        let longest = min(1_000_000_000 << UInt64(min(failures, 9)), WriteBackBounds.longestPause)
        return longest / 2 + random(longest / 2)
    }

    /// Rounds a duration up to seconds.
    private static func seconds(_ nanoseconds: UInt64) -> Int64 {
        Int64(clamping: (max(nanoseconds, 1) - 1) / 1_000_000_000 + 1)
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
        return paused.map { .postpone($0, Self.seconds(pauseEnd(of: $0) - now)) }
    }

    private func pauseEnd(of entry: WriteBackEntry) -> UInt64 { lanes[entry.lane]?.pauseEnd ?? 0 }

    private mutating func succeeded(_ entry: WriteBackEntry, _ result: WriteBackResult, now: UInt64) -> [Action] {
        let lane = entry.lane
        attempts[Slot(entry)] = nil
        if result == .unconfigured {
            status[lane.destination].parked += 1
            // A delivery that ran during the change of the configuration may have failed.
            (status.failures[lane], lanes[lane]) = (nil, nil)
            return [.park(entry)] + logHeld(result, entry, now)
        }
        lanes[lane]?.pauses = 0
        lanes[lane]?.suspects = []
        status.failures[lane] = nil
        switch result {
        case .updated:
            status[lane.destination].updated += 1
            return [.remove(entry)]
        case .unchanged:
            status[lane.destination].unchanged += 1
            return [.remove(entry)]
        case .missing:
            status[lane.destination].missing += 1
            return [.remove(entry), .logMissing(entry)]
        case .unstorable:
            status[lane.destination].rejected += 1
            return [.remove(entry), .logUnstorable(entry)]
        case .rejected(let code):
            status[lane.destination].rejected += 1
            status.failures[lane] = code
        case .forbidden:
            status[lane.destination].forbidden += 1
            status.failures[lane] = "forbidden"
        case .faulty, .unconfigured:
            status[lane.destination].failed += 1
            return [.postpone(entry, WriteBackBounds.postponed)]
        }
        return [.postpone(entry, WriteBackBounds.postponed)] + logHeld(result, entry, now)
    }

    /// Logs postponed and parked entries at most once a minute.
    private mutating func logHeld(_ result: WriteBackResult, _ entry: WriteBackEntry, _ now: UInt64) -> [Action] {
        if let last = heldLoggedAt, now < last &+ 60_000_000_000 { return [] }
        heldLoggedAt = now
        return [.logHeld(result, entry.part.destination)]
    }
}

extension WriteBackEntry {
    /// The project and the destination of the entry.
    fileprivate var lane: WriteBackStatus.Lane {
        WriteBackStatus.Lane(destination: part.destination.rawValue, project: target.project)
    }
}
