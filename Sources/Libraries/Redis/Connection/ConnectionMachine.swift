internal import NIOCore

/// The life of one connection from its being made to its end: what it asks first, which reply belongs to whom, and when who has waited
/// too long. Times are nanoseconds of a monotonic clock.
///
/// Replies come in the order of the commands. Who has waited too long is told so at once, and keeps the place in the line, so that the
/// late reply is known for what it is and dropped.
struct ConnectionMachine<Waiter> {
    struct Timing: Equatable {
        /// For the handshake as a whole.
        var opening: UInt64
        /// How long the server may be silent beyond the time that its oldest command had.
        var patience: UInt64
        var heartbeat: UInt64
    }

    /// However busy the server is with other replies, it has this many times the patience for its oldest command.
    static var mostPatience: UInt64 { 4 }

    private struct Place {
        /// Nil for a heartbeat, and for who was told already that it took too long.
        var waiter: Waiter?
        var deadline: UInt64
        var replies: Int32
        var isHeartbeat: Bool
    }

    private enum State {
        case opening(Handshake, deadline: UInt64)
        case ready
        case closed
    }

    private var state = State.closed
    private var line = CircularBuffer<Place>(initialCapacity: 64)
    private var expected = 0
    private var heardAt: UInt64 = 0
    private var heartbeatAt = UInt64.max
    private var isHeartbeatOut = false
    private let timing: Timing
    private let maximumInFlight: Int
    private let role: RoleDemand

    /// When `wake` wants to be called next.
    private(set) var wakeAt = UInt64.max

    /// - Parameters:
    ///   - maximumInFlight: the most replies to be waited for.
    ///   - role: what the heartbeat asks of the server's role; one that is not so is left.
    init(timing: Timing, maximumInFlight: Int, role: RoleDemand) {
        self.timing = timing
        self.maximumInFlight = maximumInFlight
        self.role = role
    }

    /// What asks whether the server is there.
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
    /// The connection is made and `handshake` is being sent.
    mutating func open(_ handshake: Handshake, at now: UInt64) {
        heardAt = now
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
            return .nobody
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

    /// Takes a place in the line for a command that is about to be sent.
    mutating func admit(_ waiter: Waiter, replies: Int, deadline: UInt64) -> Admission {
        guard isReady else { return .notReady }
        guard replies <= maximumInFlight - expected else { return .overloaded }
        expected += replies
        line.append(Place(waiter: waiter, deadline: deadline, replies: Int32(clamping: replies), isHeartbeat: false))
        if deadline < wakeAt { wakeAt = deadline }
        return .admitted
    }

    /// What to do about a reply.
    enum Delivery {
        case to(Waiter)
        /// It came too late, or answers a heartbeat.
        case nobody
        case opened(Handshake.Finding)
        case close(RedisProblem.Code, String?)
    }

    /// Bytes came, whatever they are.
    mutating func heard(at now: UInt64) { heardAt = now }

    mutating func received(_ reply: RedisReply, at now: UInt64) -> Delivery {
        switch state {
        case .opening(let handshake, let deadline):
            return receivedWhileOpening(reply, handshake, deadline: deadline, at: now)
        case .closed: return .nobody
        case .ready: break
        }
        guard !line.isEmpty else { return .close(.unaskedReply, nil) }
        expected -= 1
        let place = line[line.startIndex]
        if place.replies > 1 { line[line.startIndex].replies -= 1 } else { line.removeFirst() }
        if place.isHeartbeat { return receivedHeartbeat(reply, at: now) }
        return place.waiter.map { .to($0) } ?? .nobody
    }

    private mutating func receivedHeartbeat(_ reply: RedisReply, at now: UInt64) -> Delivery {
        isHeartbeatOut = false
        heartbeatAt = now.adding(timing.heartbeat)
        if heartbeatAt < wakeAt { wakeAt = heartbeatAt }
        guard role != .any, reply.kind == .error || !reply.meets(role) else { return .nobody }
        if reply.begins(with: "NOPERM") { return .close(.noPermission, "ROLE") }
        // A server that is busy, say, has not ceased to be the master.
        return reply.kind == .error ? .nobody : .close(.notMaster, nil)
    }
}

// MARK: - Time

extension ConnectionMachine {
    struct Wake {
        /// Who is to be told that it took too long.
        var expired: [Waiter] = []
        var action = Action.none

        enum Action: Equatable {
            case none
            case sendHeartbeat
            case close(RedisProblem.Code)
        }
    }

    /// To be called at `wakeAt` or later; harmless before.
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
            appendHeartbeat(at: now)
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

    /// When the server has been silent for too long, if nothing more comes.
    private var silentAt: UInt64 {
        guard let oldest = line.first else { return .max }
        let sinceHeard = max(oldest.deadline, heardAt).adding(timing.patience)
        return min(sinceHeard, oldest.deadline.adding(Self.mostPatience * timing.patience))
    }

    /// A heartbeat waits in the line as all do: behind a command that blocks, it has that command's time as well.
    private mutating func appendHeartbeat(at now: UInt64) {
        let latest = line.reduce(now) { max($0, $1.deadline) }
        isHeartbeatOut = true
        expected += 1
        line.append(
            Place(waiter: nil, deadline: latest.adding(timing.patience), replies: 1, isHeartbeat: true))
    }

    private mutating func planWake() {
        var next = silentAt
        if !isHeartbeatOut { next = min(next, heartbeatAt) }
        for place in line where place.waiter != nil { next = min(next, place.deadline) }
        wakeAt = next
    }
}

// MARK: - The end

extension ConnectionMachine {
    /// The connection is over; returns who still waits.
    mutating func close() -> [Waiter] {
        state = .closed
        wakeAt = .max
        let waiting = line.compactMap(\.waiter)
        line.removeAll()
        expected = 0
        return waiting
    }
}
