import GatewayCore
import OutboundHTTP
import Revocation

/// The limits of deliveries from the outbox.
enum OutboxBounds {
    /// The maximum number of messages, with parked ones.
    static let messages = 10_000
    /// The maximum numbers of concurrent deliveries, and of those to one destination.
    static let concurrency = 8
    static let concurrencyOfDestination = 4
    /// The maximum number of messages that one poll returns.
    static let batch = 64
    /// The duration of the lease, in seconds. After a crash, another gateway continues when it has ended.
    static let lease: Int64 = 60
    /// The remaining lease that a delivery needs, in nanoseconds: longer than any delivery takes.
    static let reserve: UInt64 = 30_000_000_000
    /// The interval of polls by the holder of the lease, and by other gateways, in nanoseconds.
    static let holderInterval: UInt64 = 1_000_000_000
    static let interval: UInt64 = 5_000_000_000
    /// The age at which a message that still fails is parked: three days, in seconds.
    static let patience: Int64 = 259_200
    /// The longest pause of a destination, in nanoseconds.
    static let longestPause: UInt64 = 300_000_000_000
}

/// The result of a delivery.
enum OutboxResult: Sendable, Equatable {
    case delivered
    /// The message cannot be delivered, for this reason. It is parked.
    case rejected(String)
    /// The message may be delivered later. `concernsAll` states whether other messages to the destination would fail
    /// too.
    case failed(String, retryAfter: Int64? = nil, concernsAll: Bool = true)
}

/// The delivery of messages, as a pure value: events in, actions out.
///
/// Only the holder of the lease delivers. The interval between attempts doubles with the age of a message, from a
/// second to an hour, so that it needs no further state. A failing destination pauses alone.
struct OutboxMachine: TimedMachine {
    enum Action: Sendable, Equatable {
        /// Poll the outbox; exactly one `polled` or `pollFailed` follows.
        case poll
        /// Deliver a message; exactly one `delivered` follows.
        case deliver(OutboxMessage)
        /// Remove, postpone by so many seconds, or park a message; exactly one `settled` follows.
        case remove(OutboxMessage)
        case postpone(OutboxMessage, Int64)
        case park(OutboxMessage)
        /// Log that the outbox cannot be read.
        case logUnreadable(StoreError)
        /// Log that a destination fails, or that a message is parked, for this reason.
        case logFailing(String, String)
        case logParked(OutboxMessage, String)
    }

    /// The state of a destination.
    private struct Destination {
        var running = 0
        /// The number of consecutive failures.
        var failures = 0
        var pausedUntil: UInt64 = 0
    }

    private(set) var status = OutboxStatus()
    /// The IDs of messages that are being delivered or settled.
    private var busy: Set<String> = []
    private var destinations: [String: Destination] = [:]
    /// Due messages that wait for the end of a delivery.
    private var backlog: [OutboxMessage] = []
    /// Messages that were settled since the start of the running poll, whose result may still contain them.
    private var settledDuringPoll: Set<String> = []
    /// The store's time at the last poll, for the age of messages, and the local time.
    private var storeTime: (store: Int64, local: UInt64) = (0, 0)
    private var isPolling = false
    private var isStopped = false
    private var polledAt: UInt64 = 0
    private var nextPollAt: UInt64 = 0
    /// Whether a message was added during a poll.
    private var isPollOutdated = false
    private var leaseUntil: UInt64 = 0
    private var pollLoggedAt: UInt64?
    /// The reason of a failure to read the outbox.
    private static let unreadable = "the outbox cannot be read"
    /// Returns a random duration of at most its argument.
    private let random: @Sendable (UInt64) -> UInt64

    init(random: @escaping @Sendable (UInt64) -> UInt64 = { UInt64.random(in: 0...$0) }) {
        self.random = random
    }

    /// Whether no poll and no delivery is running.
    var isIdle: Bool { !isPolling && busy.isEmpty }

    var deadline: UInt64? { isStopped || isPolling ? nil : nextPollAt }
}

extension OutboxMachine {
    mutating func tick(now: UInt64) -> [Action] {
        guard !isStopped, !isPolling, now >= nextPollAt else { return [] }
        (isPolling, isPollOutdated, polledAt) = (true, false, now)
        settledDuringPoll = []
        return [.poll]
    }

    /// Handles a message that this gateway added.
    mutating func added(now: UInt64) -> [Action] {
        if isPolling { isPollOutdated = true } else { nextPollAt = min(nextPollAt, now) }
        return tick(now: now)
    }

    /// Handles a failed poll. The state of the outbox is that of the last successful one.
    mutating func pollFailed(_ error: StoreError, now: UInt64) -> [Action] {
        isPolling = false
        (status.isHolder, status.failing, leaseUntil, backlog) = (false, Self.unreadable, 0, [])
        nextPollAt = now &+ OutboxBounds.interval
        if let last = pollLoggedAt, now < last &+ 60_000_000_000 { return [] }
        pollLoggedAt = now
        return [.logUnreadable(error)]
    }

    /// Handles the result of a poll. `nil` if nothing is delivered.
    mutating func polled(_ poll: OutboxPoll?, now: UInt64) -> [Action] {
        isPolling = false
        guard !isStopped else { return [] }
        if status.failing == Self.unreadable { status.failing = nil }
        guard let poll else {
            (status.count, status.age, status.parked, status.isHolder) = (0, nil, 0, false)
            (leaseUntil, backlog) = (0, [])
            nextPollAt = now &+ OutboxBounds.interval
            return []
        }
        (status.count, status.age, status.parked, status.isHolder) = (poll.count, poll.age, poll.parked, poll.isHolder)
        leaseUntil = poll.isHolder ? polledAt &+ UInt64(OutboxBounds.lease) * 1_000_000_000 : 0
        storeTime = (poll.now.seconds, now)
        backlog = poll.messages.filter { !settledDuringPoll.contains($0.id) }
        let interval = poll.isHolder ? OutboxBounds.holderInterval : OutboxBounds.interval
        nextPollAt = isPollOutdated ? now : now &+ interval / 2 &+ random(interval / 2)
        return deliver(now: now)
    }

    mutating func delivered(_ message: OutboxMessage, _ result: OutboxResult, now: UInt64) -> [Action] {
        destinations[message.destination]?.running -= 1
        switch result {
        case .delivered:
            status[kind: message.kind].delivered += 1
            status.failing = nil
            forget(message.destination)
            return [.remove(message)]
        case .rejected(let reason):
            if destinations[message.destination]?.failures == 0 { forget(message.destination) }
            return park(message, reason)
        case .failed(let reason, let retryAfter, let concernsAll):
            status[kind: message.kind].failed += 1
            status.failing = "\(message.destination): \(reason)"
            let log = concernsAll ? pause(message.destination, reason, retryAfter, now: now) : []
            let age = age(of: message, now: now)
            guard age < OutboxBounds.patience else { return log + park(message, reason) }
            let interval = min(max(age, 1), OutboxSwitch.longestDelay)
            let jitter = Int64(clamping: random(UInt64(interval) * 250_000_000) / 1_000_000_000)
            let delay = min(max(interval + jitter, retryAfter ?? 0), OutboxSwitch.longestDelay)
            return log + [.postpone(message, delay)]
        }
    }

    /// Handles the end of a removal, a postponement or parking, even if it failed: the message then stays as it was.
    mutating func settled(_ message: OutboxMessage, now: UInt64) -> [Action] {
        busy.remove(message.id)
        backlog.removeAll { $0.id == message.id }
        if isPolling { settledDuringPoll.insert(message.id) }
        return deliver(now: now)
    }

    /// Ends deliveries. Messages of running ones are settled by their results.
    mutating func stop() {
        isStopped = true
        backlog = []
    }

    private mutating func deliver(now: UInt64) -> [Action] {
        guard !isStopped, leaseUntil >= now &+ OutboxBounds.reserve else { return [] }
        var actions: [Action] = []
        var waiting: [OutboxMessage] = []
        for message in backlog {
            guard !busy.contains(message.id) else { continue }
            var destination = destinations[message.destination] ?? Destination()
            if now < destination.pausedUntil {
                let seconds = (destination.pausedUntil - now - 1) / 1_000_000_000 + 1
                busy.insert(message.id)
                actions.append(.postpone(message, Int64(clamping: seconds)))
            } else if busy.count < OutboxBounds.concurrency,
                destination.running < OutboxBounds.concurrencyOfDestination
            {
                busy.insert(message.id)
                destination.running += 1
                destinations[message.destination] = destination
                actions.append(.deliver(message))
            } else {
                waiting.append(message)
            }
        }
        backlog = waiting
        return actions
    }

    private mutating func park(_ message: OutboxMessage, _ reason: String) -> [Action] {
        status[kind: message.kind].parked += 1
        status.failing = "\(message.destination): \(reason)"
        return [.park(message), .logParked(message, reason)]
    }

    /// Pauses a destination: for a second that doubles, with jitter, and at least for the time that it requests. The
    /// first failure is logged.
    private mutating func pause(
        _ name: String, _ reason: String, _ retryAfter: Int64?, now: UInt64
    ) -> [Action] {
        var destination = destinations[name] ?? Destination()
        let backOff = min(1_000_000_000 << UInt64(min(destination.failures, 9)), OutboxBounds.longestPause)
        let wanted = UInt64(min(max(retryAfter ?? 0, 0), OutboxSwitch.longestDelay)) * 1_000_000_000
        destination.failures += 1
        destination.pausedUntil = max(
            destination.pausedUntil, now &+ max(wanted, backOff / 2 + random(backOff / 2)))
        destinations[name] = destination
        return destination.failures == 1 ? [.logFailing(name, reason)] : []
    }

    /// Forgets the failures of a destination. A destination without deliveries is forgotten.
    private mutating func forget(_ name: String) {
        let running = destinations[name]?.running ?? 0
        destinations[name] = running > 0 ? Destination(running: running) : nil
    }

    private func age(of message: OutboxMessage, now: UInt64) -> Int64 {
        let passed = Int64(clamping: (now &- storeTime.local) / 1_000_000_000)
        return max(0, storeTime.store + passed - message.queued.seconds)
    }
}
