internal import NIOCore

/// The state machine of one connection: handshake, matching replies to commands, and timeouts. Times are nanoseconds
/// of a monotonic clock.
///
/// Replies arrive in the order of the commands. A command that times out fails at once but keeps its position in the
/// queue, so that its late reply is dropped.
struct ConnectionMachine<Waiter> {
    struct Timing: Equatable {
        /// The timeout of the whole handshake.
        var opening: UInt64
        /// The time that the server may stay silent after the deadline of its oldest command.
        var silenceLimit: UInt64
        var heartbeat: UInt64
    }

    /// A multiple of `silenceLimit` that bounds the wait for the oldest command even if other replies arrive.
    static var silenceLimitFactor: UInt64 { 4 }

    private struct Place {
        enum Kind {
            case command
            case heartbeat
            /// Another authentication of the connection.
            case authentication
        }

        /// `nil` for a command of the connection itself and for one that has timed out.
        var waiter: Waiter?
        var deadline: UInt64
        var replies: Int32
        var kind: Kind
    }

    private enum State {
        case opening(Handshake, deadline: UInt64)
        case ready
        case closed
    }

    private var state = State.closed
    private var line = CircularBuffer<Place>(initialCapacity: 64)
    private var expected = 0
    private var lastReceivedAt: UInt64 = 0
    private var heartbeatAt = UInt64.max
    private var isHeartbeatOut = false
    private let timing: Timing
    private let maximumInFlight: Int
    private let role: RoleDemand

    /// The time of the next call of `wake`.
    private(set) var wakeAt = UInt64.max

    /// Creates a machine.
    ///
    /// - Parameters:
    ///   - maximumInFlight: The maximum number of outstanding replies.
    ///   - role: The required role of the server. A heartbeat that finds another role closes the connection.
    init(timing: Timing, maximumInFlight: Int, role: RoleDemand) {
        self.timing = timing
        self.maximumInFlight = maximumInFlight
        self.role = role
    }

    /// The command that checks the connection.
    var heartbeat: RedisCommand { role == .any ? Heartbeats.ping : Heartbeats.role }

    var isReady: Bool {
        if case .ready = state { true } else { false }
    }
}

private enum Heartbeats {
    static let role = RedisCommand(["ROLE"])
    static let ping = RedisCommand(["PING"])
}

// MARK: - Opening

extension ConnectionMachine {
    /// Starts the handshake.
    mutating func open(_ handshake: Handshake, at now: UInt64) {
        lastReceivedAt = now
        wakeAt = now.adding(timing.opening)
        state = .opening(handshake, deadline: wakeAt)
    }

    private mutating func receivedWhileOpening(
        _ reply: RedisReply, _ handshake: Handshake, deadline: UInt64, at now: UInt64
    ) -> Delivery {
        var handshake = handshake
        switch handshake.judge(reply) {
        case .more:
            state = .opening(handshake, deadline: deadline)
            return .discard
        case .done(let finding):
            state = .ready
            heartbeatAt = now.adding(timing.heartbeat)
            wakeAt = heartbeatAt
            return .opened(finding)
        case .refused(let code, let detail):
            return .close(code, detail)
        }
    }
}

// MARK: - Commands and replies

extension ConnectionMachine {
    enum Admission {
        case admitted
        case notReady
        case overloaded
    }

    /// Adds a command to the queue of expected replies, before it is sent.
    mutating func admit(_ waiter: Waiter, replies: Int, deadline: UInt64) -> Admission {
        guard isReady else { return .notReady }
        guard replies <= maximumInFlight - expected else { return .overloaded }
        expected += replies
        line.append(Place(waiter: waiter, deadline: deadline, replies: Int32(clamping: replies), kind: .command))
        if deadline < wakeAt { wakeAt = deadline }
        return .admitted
    }

    /// The action for a reply.
    enum Delivery {
        case to(Waiter)
        /// The reply is late or belongs to a heartbeat.
        case discard
        /// The reply to another authentication.
        case authenticated(isAccepted: Bool)
        case opened(Handshake.Finding)
        case close(RedisProblem.Code, String?)
    }

    /// Records that bytes have arrived.
    mutating func receivedBytes(at now: UInt64) { lastReceivedAt = now }

    mutating func received(_ reply: RedisReply, at now: UInt64) -> Delivery {
        switch state {
        case .opening(let handshake, let deadline):
            return receivedWhileOpening(reply, handshake, deadline: deadline, at: now)
        case .closed: return .discard
        case .ready: break
        }
        guard !line.isEmpty else { return .close(.unaskedReply, nil) }
        expected -= 1
        let place = line[line.startIndex]
        if place.replies > 1 { line[line.startIndex].replies -= 1 } else { line.removeFirst() }
        switch place.kind {
        case .command: break
        case .heartbeat: return receivedHeartbeat(reply, at: now)
        // A server that rejects the new credentials keeps the authentication of the connection.
        case .authentication: return .authenticated(isAccepted: reply.kind != .error)
        }
        return place.waiter.map { .to($0) } ?? .discard
    }

    private mutating func receivedHeartbeat(_ reply: RedisReply, at now: UInt64) -> Delivery {
        isHeartbeatOut = false
        heartbeatAt = now.adding(timing.heartbeat)
        if heartbeatAt < wakeAt { wakeAt = heartbeatAt }
        guard role != .any, reply.kind == .error || !reply.meets(role) else { return .discard }
        if reply.begins(with: "NOPERM") { return .close(.noPermission, "ROLE") }
        // Another error, such as BUSY, is no evidence of a changed role.
        return reply.kind == .error ? .discard : .close(.notMaster, nil)
    }
}

// MARK: - Time

extension ConnectionMachine {
    struct Wake {
        /// The commands that have timed out.
        var expired: [Waiter] = []
        var action = Action.none

        enum Action: Equatable {
            case none
            case sendHeartbeat
            case close(RedisProblem.Code)
        }
    }

    /// Handles timeouts. It is called at `wakeAt` or later; an earlier call has no effect.
    mutating func wake(at now: UInt64) -> Wake {
        switch state {
        case .closed: return Wake()
        case .opening(_, let deadline):
            return now >= deadline ? Wake(action: .close(.connectTimedOut)) : Wake()
        case .ready: break
        }
        var wake = Wake(expired: expire(at: now))
        if now >= silentAt {
            wake.action = .close(.silent)
        } else if !isHeartbeatOut, now >= heartbeatAt {
            wake.action = .sendHeartbeat
            isHeartbeatOut = true
            append(.heartbeat, at: now)
        }
        planWake()
        return wake
    }

    private mutating func expire(at now: UInt64) -> [Waiter] {
        var expired: [Waiter] = []
        for index in line.indices where line[index].deadline <= now {
            guard let waiter = line[index].waiter else { continue }
            expired.append(waiter)
            line[index].waiter = nil
        }
        return expired
    }

    /// The time at which the server counts as silent if no more bytes arrive.
    private var silentAt: UInt64 {
        guard let oldest = line.first else { return .max }
        let afterLastBytes = max(oldest.deadline, lastReceivedAt).adding(timing.silenceLimit)
        return min(afterLastBytes, oldest.deadline.adding(Self.silenceLimitFactor * timing.silenceLimit))
    }

    /// Adds another authentication to the queue of expected replies, before it is sent. Returns `false` if the
    /// connection is not ready.
    mutating func admitAuthentication(at now: UInt64) -> Bool {
        guard isReady else { return false }
        append(.authentication, at: now)
        wakeAt = min(wakeAt, silentAt)
        return true
    }

    /// Queues a command of the connection itself behind all others. Its deadline follows the latest one, since a
    /// command before it may block.
    private mutating func append(_ kind: Place.Kind, at now: UInt64) {
        let latest = line.reduce(now) { max($0, $1.deadline) }
        expected += 1
        line.append(Place(waiter: nil, deadline: latest.adding(timing.silenceLimit), replies: 1, kind: kind))
    }

    private mutating func planWake() {
        var next = silentAt
        if !isHeartbeatOut { next = min(next, heartbeatAt) }
        for place in line where place.waiter != nil { next = min(next, place.deadline) }
        wakeAt = next
    }
}

// MARK: - Closing

extension ConnectionMachine {
    /// Closes the machine and returns the commands that wait for replies.
    mutating func close() -> [Waiter] {
        state = .closed
        wakeAt = .max
        let waiting = line.compactMap(\.waiter)
        line.removeAll()
        expected = 0
        return waiting
    }
}
