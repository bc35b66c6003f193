import GatewayCore
import OutboundHTTP
import Revocation

/// The limits of deliveries from the outbox. Each destination has its own.
enum OutboxBounds {
    /// The maximum number of messages of one destination, with parked ones.
    static let messages = 10_000
    /// The part of them that only deletions of accounts use.
    static let reserve = 2_000
    /// The maximum number of destinations.
    static let destinations = 64
    /// The maximum number of concurrent deliveries, with results that are not stored yet.
    static let concurrency = 4
    /// The maximum number of messages that one poll returns.
    static let batch = 16
    /// The duration of the lease, in seconds. After a crash, another gateway continues when it has ended.
    static let lease: Int64 = 60
    /// The maximum duration of a delivery, in nanoseconds.
    static let deadline: UInt64 = 20_000_000_000
    /// The remaining lease that a delivery needs, in nanoseconds: longer than any delivery takes.
    static let leaseReserve: UInt64 = 30_000_000_000
    /// The interval of polls by the holder of the lease, and by other gateways, in nanoseconds.
    static let holderInterval: UInt64 = 1_000_000_000
    static let interval: UInt64 = 5_000_000_000
    /// The age at which a message that still fails is parked: three days, in seconds.
    static let patience: Int64 = 259_200
    /// The longest pause of a destination, in nanoseconds.
    static let longestPause: UInt64 = 300_000_000_000
    /// The longest interval between attempts to store a result, and between lines of the log with the same reason, in
    /// nanoseconds.
    static let minute: UInt64 = 60_000_000_000
    /// The maximum number of messages that one retry makes due, and of retries after a start or a reload.
    static let retries = 1_000
    static let retryRounds = messages / retries
}

/// The result of a delivery.
enum OutboxResult: Sendable, Equatable {
    /// Why a delivery did not succeed. It contains no part of the message.
    struct Failure: Sendable, Equatable {
        let reason: String
        /// The status of the response. `nil` without one.
        var status: Int?

        init(_ reason: String, status: Int? = nil) { (self.reason, self.status) = (reason, status) }
    }

    case delivered
    /// The provider does not know the token. It was revoked or has expired; with an expired access token, the grant may
    /// remain. Nothing is left to be sent.
    case unknownToken(Failure)
    /// The message cannot be delivered. It is parked.
    case rejected(ParkedMessage.Reason, Failure)
    /// The message cannot be delivered, and must not be kept.
    case discarded(Failure)
    /// The message may be delivered later. `concernsAll` states whether other messages to the destination would fail
    /// too.
    case failed(Failure, retryAfter: Int64? = nil, concernsAll: Bool = true)
}

/// The delivery of the messages of one destination, as a pure value: events in, actions out.
///
/// Only the holder of the destination's lease delivers. The interval between attempts doubles with the age of a
/// message, from a second to an hour, so that it needs no further state. A failing destination pauses.
///
/// The result of a delivery is stored before the message is sent again: if it cannot be stored, only storing it is
/// repeated, until the lease is lost. Such messages occupy places of concurrent deliveries, which bounds them.
struct OutboxMachine: TimedMachine {
    /// The stored result of a delivery.
    enum Settlement: Sendable, Equatable {
        case remove
        /// Due in so many seconds.
        case postpone(Int64)
        case park(ParkedMessage.Reason)
    }

    enum Action: Sendable, Equatable {
        /// Poll the destination; exactly one `polled` or `pollFailed` follows.
        case poll
        /// Deliver a message; `delivered` follows.
        case deliver(OutboxMessage)
        /// Cancel the delivery of a message, whose result is not used.
        case cancel(OutboxMessage)
        /// Store the result of a message; exactly one `settled` follows.
        case settle(OutboxMessage, Settlement)
        /// Make messages due that are parked for a reason that another configuration removes; `retried` follows.
        case retryParked
        case log(Log)
    }

    enum Log: Sendable, Equatable {
        case unreadable(StoreError)
        case unsettled(StoreError)
        case failing(OutboxResult.Failure)
        case unknownToken(OutboxResult.Failure)
        case parked(OutboxMessage, ParkedMessage.Reason, OutboxResult.Failure)
        case discarded(OutboxMessage, OutboxResult.Failure)
    }

    private struct Running {
        let message: OutboxMessage
        let deadline: UInt64
    }

    private struct Settling {
        let message: OutboxMessage
        let settlement: Settlement
        var attempts: UInt64 = 0
        /// The time of the next attempt. `nil` during an attempt.
        var retryAt: UInt64?
    }

    private(set) var status = OutboxStatus.Lane()
    /// Running deliveries, and results that are being stored, by the ID of the message.
    private var running: [String: Running] = [:]
    private var settling: [String: Settling] = [:]
    /// Due messages that wait for the end of a delivery.
    private var backlog: [OutboxMessage] = []
    /// Messages that were settled since the start of the running poll, whose result may still contain them.
    private var settledDuringPoll: Set<String> = []
    /// The number of consecutive failures of the destination.
    private var failures = 0
    private var pausedUntil: UInt64 = 0
    /// The store's time at the last poll, for the age of messages, and the local time.
    private var storeTime: (store: Int64, local: UInt64) = (0, 0)
    private var isPolling = false
    private var isStopped = false
    private var polledAt: UInt64 = 0
    private var nextPollAt: UInt64 = 0
    /// Whether a message was added during a poll.
    private var isPollOutdated = false
    private var leaseUntil: UInt64 = 0
    /// The number of retries of parked messages that the configuration still permits.
    private var retriesLeft = OutboxBounds.retryRounds
    /// When a reason was logged, for at most 16 reasons.
    private var loggedAt: [String: UInt64] = [:]
    /// The reason of a failure to read the outbox.
    private static let unreadable = "the outbox cannot be read"
    /// Returns a random duration of at most its argument.
    private let random: @Sendable (UInt64) -> UInt64

    init(random: @escaping @Sendable (UInt64) -> UInt64 = { UInt64.random(in: 0...$0) }) {
        self.random = random
    }

    /// Whether no poll, no delivery and no storing of a result is running.
    var isIdle: Bool { !isPolling && running.isEmpty && settling.values.allSatisfy { $0.retryAt != nil } }

    var deadline: UInt64? {
        guard !isStopped else { return nil }
        let others = running.values.map(\.deadline) + settling.values.compactMap(\.retryAt)
        return (others + (isPolling ? [] : [nextPollAt])).min()
    }
}

// MARK: - Polls

extension OutboxMachine {
    mutating func tick(now: UInt64) -> [Action] {
        guard !isStopped else { return [] }
        var actions: [Action] = []
        for late in running.values.sorted(by: { $0.message.id < $1.message.id }) where now >= late.deadline {
            actions.append(.cancel(late.message))
            actions += delivered(late.message, .failed(OutboxResult.Failure("timed_out")), now: now)
        }
        for (id, entry) in settling.sorted(by: { $0.key < $1.key }) {
            guard let retryAt = entry.retryAt, now >= retryAt else { continue }
            settling[id]?.retryAt = nil
            actions.append(.settle(entry.message, entry.settlement))
        }
        guard !isPolling, now >= nextPollAt else { return actions }
        (isPolling, isPollOutdated, polledAt) = (true, false, now)
        settledDuringPoll = []
        return actions + [.poll]
    }

    /// Handles a message that this gateway added.
    mutating func added(now: UInt64) -> [Action] {
        if isPolling { isPollOutdated = true } else { nextPollAt = min(nextPollAt, now) }
        return tick(now: now)
    }

    /// Handles another configuration.
    mutating func reconfigured(now: UInt64) -> [Action] {
        retriesLeft = OutboxBounds.retryRounds
        return added(now: now)
    }

    /// Handles a failed poll. The state of the outbox is that of the last successful one.
    mutating func pollFailed(_ error: StoreError, now: UInt64) -> [Action] {
        isPolling = false
        (status.isHolder, status.failing, leaseUntil, backlog) = (false, Self.unreadable, 0, [])
        nextPollAt = now &+ OutboxBounds.interval
        return log(.unreadable(error), as: Self.unreadable, now: now)
    }

    /// Handles the result of a poll. `nil` if nothing is delivered.
    mutating func polled(_ poll: OutboxPoll?, now: UInt64) -> [Action] {
        isPolling = false
        guard !isStopped else { return [] }
        if status.failing == Self.unreadable { status.failing = nil }
        guard let poll, poll.isHolder else {
            (status.count, status.age, status.parked) = (poll?.count ?? 0, poll?.age, poll?.parked ?? 0)
            (status.isHolder, leaseUntil, backlog) = (false, 0, [])
            // Another gateway delivers, and may deliver these messages again.
            settling = settling.filter { $0.value.retryAt == nil }
            nextPollAt = nextPoll(OutboxBounds.interval, now: now)
            return []
        }
        (status.count, status.age, status.parked, status.isHolder) = (poll.count, poll.age, poll.parked, true)
        leaseUntil = polledAt &+ UInt64(OutboxBounds.lease) * 1_000_000_000
        storeTime = (poll.now.seconds, now)
        backlog = poll.messages.filter { !settledDuringPoll.contains($0.id) }
        nextPollAt = nextPoll(OutboxBounds.holderInterval, now: now)
        if poll.parked == 0 { retriesLeft = 0 }
        guard retriesLeft > 0 else { return deliver(now: now) }
        retriesLeft -= 1
        return [.retryParked] + deliver(now: now)
    }

    /// Handles the end of a retry.
    mutating func retried(_ result: Result<Int, StoreError>, now: UInt64) -> [Action] {
        switch result {
        case .success(let count):
            // All are due. Those that another retry could find were parked again meanwhile.
            if count < OutboxBounds.retries { retriesLeft = 0 }
            return count > 0 ? added(now: now) : []
        case .failure:
            retriesLeft += 1
            return []
        }
    }

    /// Ends deliveries. Messages of running ones are settled by their results.
    mutating func stop() {
        isStopped = true
        backlog = []
    }

    private func nextPoll(_ interval: UInt64, now: UInt64) -> UInt64 {
        isPollOutdated ? now : now &+ interval / 2 &+ random(interval / 2)
    }
}

// MARK: - Deliveries

extension OutboxMachine {
    /// Handles the result of a delivery. A result after the deadline has no effect.
    mutating func delivered(_ message: OutboxMessage, _ result: OutboxResult, now: UInt64) -> [Action] {
        guard running.removeValue(forKey: message.id) != nil else { return [] }
        switch result {
        case .delivered:
            status.delivered += 1
            status.failing = nil
            (failures, pausedUntil) = (0, 0)
            return [settle(message, .remove)]
        case .unknownToken(let failure):
            status.unknown += 1
            status.failing = nil
            (failures, pausedUntil) = (0, 0)
            let line = log(.unknownToken(failure), as: "unknown \(failure.reason)", now: now)
            return line + [settle(message, .remove)]
        case .rejected(let reason, let failure):
            return park(message, reason, failure)
        case .discarded(let failure):
            status.discarded += 1
            status.failing = failure.reason
            return [settle(message, .remove), .log(.discarded(message, failure))]
        case .failed(let failure, let retryAfter, let concernsAll):
            status.failed += 1
            status.failing = failure.reason
            if concernsAll { pause(retryAfter, now: now) }
            let line = log(.failing(failure), as: failure.reason, now: now)
            let age = age(of: message, now: now)
            guard age < OutboxBounds.patience else { return line + park(message, .expired, failure) }
            let interval = min(max(age, 1), OutboxSwitch.longestDelay)
            let jitter = Int64(clamping: random(UInt64(interval) * 250_000_000) / 1_000_000_000)
            let delay = min(max(interval + jitter, retryAfter ?? 0), OutboxSwitch.longestDelay)
            return line + [settle(message, .postpone(delay))]
        }
    }

    /// Handles the end of storing a result. After an error, the message is as it was, and storing is repeated with an
    /// interval that doubles from a second to a minute.
    mutating func settled(_ message: OutboxMessage, _ error: StoreError? = nil, now: UInt64) -> [Action] {
        guard var entry = settling.removeValue(forKey: message.id) else { return [] }
        if let error {
            status.unsettled += 1
            guard !isStopped else { return [] }
            entry.retryAt = now &+ min(1_000_000_000 << min(entry.attempts, 6), OutboxBounds.minute)
            entry.attempts += 1
            settling[message.id] = entry
            return log(.unsettled(error), as: "unsettled", now: now)
        }
        backlog.removeAll { $0.id == message.id }
        if isPolling { settledDuringPoll.insert(message.id) }
        return deliver(now: now)
    }

    private mutating func deliver(now: UInt64) -> [Action] {
        guard !isStopped, now >= pausedUntil, leaseUntil >= now &+ OutboxBounds.leaseReserve else { return [] }
        var actions: [Action] = []
        var waiting: [OutboxMessage] = []
        for message in backlog where running[message.id] == nil && settling[message.id] == nil {
            if running.count + settling.count < OutboxBounds.concurrency {
                running[message.id] = Running(message: message, deadline: now &+ OutboxBounds.deadline)
                actions.append(.deliver(message))
            } else {
                waiting.append(message)
            }
        }
        backlog = waiting
        return actions
    }

    private mutating func settle(_ message: OutboxMessage, _ settlement: Settlement) -> Action {
        settling[message.id] = Settling(message: message, settlement: settlement)
        return .settle(message, settlement)
    }

    private mutating func park(
        _ message: OutboxMessage, _ reason: ParkedMessage.Reason, _ failure: OutboxResult.Failure
    ) -> [Action] {
        status.parkedCount += 1
        status.failing = failure.reason
        return [settle(message, .park(reason)), .log(.parked(message, reason, failure))]
    }

    /// Pauses the destination: for a second that doubles, with jitter, and at least for the time that it requests.
    private mutating func pause(_ retryAfter: Int64?, now: UInt64) {
        let backOff = min(1_000_000_000 << UInt64(min(failures, 9)), OutboxBounds.longestPause)
        let wanted = UInt64(min(max(retryAfter ?? 0, 0), OutboxSwitch.longestDelay)) * 1_000_000_000
        failures += 1
        pausedUntil = max(pausedUntil, now &+ max(wanted, backOff / 2 + random(backOff / 2)))
    }

    /// Logs a line, unless a line for the same reason was logged within a minute.
    private mutating func log(_ line: Log, as reason: String, now: UInt64) -> [Action] {
        if let last = loggedAt[reason], now < last &+ OutboxBounds.minute { return [] }
        if loggedAt.count >= 16 { loggedAt = [:] }
        loggedAt[reason] = now
        return [.log(line)]
    }

    private func age(of message: OutboxMessage, now: UInt64) -> Int64 {
        let passed = Int64(clamping: (now &- storeTime.local) / 1_000_000_000)
        return max(0, storeTime.store + passed - message.queued.seconds)
    }
}
