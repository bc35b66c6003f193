import GatewayCore
import JOSE
import OutboundHTTP

/// The bounds of polls.
enum EventPollBounds {
    /// The maximum number of events in a response, in addition to the held events. Further events are ignored, and the
    /// transmitter returns them again.
    static let events = 64
    /// The maximum number of events in a response with those that are held.
    static let mostEvents = 1024
    /// The maximum size of a response, in bytes.
    static let size = 2 << 20
    /// The timeout of a poll. A transmitter may hold a poll until it has an event.
    static let timeout = Duration.seconds(30)
    /// The time after which a timeout is that of a poll which the transmitter held.
    static let held = Duration.seconds(20)
    /// The duration of the lease, in seconds: longer than a poll and the work on its events.
    static let lease: Int64 = 60
    /// The time after the start of a poll at which no further event of it is processed.
    static let work = Duration.seconds(50)
    /// The interval of attempts to acquire the lease.
    static let leaseInterval = Duration.seconds(5)
    /// The minimum time between the starts of two polls.
    static let spacing = Duration.milliseconds(100)
    /// The longest pause after failures, and after an event that cannot be stored yet.
    static let longestPause = Duration.seconds(300)
    static let longestWait = 60
}

/// An event in the response to a poll.
struct PolledEvent: Equatable {
    /// The name in the response, which is its `jti`.
    let id: String
    let token: String
}

/// The state of the polls of one transmitter: the acknowledgements of the next poll, and the pause before it.
struct EventPollState {
    /// The identifiers of stored events.
    private var stored: [String] = []
    /// The errors of rejected events.
    private var rejected: [(id: String, error: SecurityEventError)] = []
    /// The number of consecutive failures.
    private(set) var failures = 0
    /// The events about unknown users without a place, which the transmitter keeps, and the times at which they are
    /// tried again, in monotonic nanoseconds. Further events are requested in their place, so that they delay none.
    private var held: [String: UInt64] = [:]
    private var mostEvents = EventPollBounds.mostEvents
    /// The maximum number of events in the next response.
    private var limit: Int { min(EventPollBounds.events + held.count, mostEvents) }

    /// The body of the next poll (RFC 8936 section 2.2). It acknowledges the events that were processed since the last
    /// poll with a response.
    var body: [UInt8] {
        ObjectText.object { body in
            body.add("maxEvents", Int64(limit))
            body.add("returnImmediately", false)
            if !stored.isEmpty { body.add("ack", stored) }
            guard !rejected.isEmpty else { return }
            let errors = ObjectText.object { errors in
                for (id, error) in rejected { errors.add(id, json: error.body) }
            }
            body.add("setErrs", json: errors)
        }
    }

    /// Handles a response, after which the transmitter knows all acknowledgements. Returns its events, and whether it
    /// has none although more are available.
    ///
    /// The events are sorted by their time, because the response has no order. Held ones that are due are the last.
    ///
    /// - Parameter now: In monotonic nanoseconds.
    mutating func receive(
        _ body: [UInt8], now: UInt64
    ) throws(LookupFailure) -> (events: [PolledEvent], hasOnlyMore: Bool) {
        let limits = JSONLimits(size: EventPollBounds.size, depth: 8, members: 4096)
        guard let root = (try? JSONDocument(body, limits: limits))?.root, let sets = root["sets"], sets.kind == .object
        else { throw .malformed("the response has no sets") }
        (stored, rejected, failures) = ([], [], 0)
        var events: [(order: Int, time: Int64, event: PolledEvent)] = []
        var stillHeld: [String: UInt64] = [:]
        for member in sets.members.prefix(limit) {
            guard let token = member.value.string, member.name.utf8.count <= VerifiedEvent.longestID else { continue }
            if let due = held[member.name] {
                stillHeld[member.name] = due
                if due > now { continue }
            }
            let issuedAt = (try? UnverifiedJWS(Array(token.utf8)))?.payload.root["iat"]?.integer
            let order = held[member.name] == nil ? 0 : 1
            events.append((order, issuedAt ?? .max, PolledEvent(id: member.name, token: token)))
        }
        held = stillHeld
        let sorted = events.sorted { ($0.order, $0.time) < ($1.order, $1.time) }.map(\.event)
        return (sorted, sets.count == 0 && root["moreAvailable"]?.bool == true)
    }

    /// Handles the result of an event. An event that is neither stored nor rejected is not acknowledged, so that the
    /// transmitter returns it again.
    ///
    /// - Parameter now: In monotonic nanoseconds.
    mutating func settle(_ event: PolledEvent, _ failure: SecurityEventFailure?, now: UInt64) {
        held[event.id] = nil
        switch failure {
        case nil: stored.append(event.id)
        case .rejected(let error): rejected.append((event.id, error))
        case .full: held[event.id] = now &+ UInt64(SecurityEventFailure.delayWhenFull) * 1_000_000_000
        case .unavailable: break
        }
    }

    /// Whether the next poll acknowledges or rejects an event.
    var hasSettled: Bool { !stored.isEmpty || !rejected.isEmpty }

    /// Handles a failed poll. The acknowledgements are sent again. After a response that was too large, half as many
    /// events are requested.
    ///
    /// - Parameter jitter: A random number from 0 to 1.
    /// - Returns: The pause.
    mutating func fail(_ failure: LookupFailure, jitter: Double) -> Duration {
        if failure.kind == .tooLarge { mostEvents = max(limit / 2, 1) }
        let longest = min(Duration.seconds(1 << min(failures, 9)), EventPollBounds.longestPause)
        failures = min(failures + 1, 1000)
        return max(longest / 2 + longest / 2 * jitter, .seconds(failure.retryAfter ?? 0))
    }
}
