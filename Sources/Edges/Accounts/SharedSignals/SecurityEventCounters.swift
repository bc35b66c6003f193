import Synchronization

/// The result of a received event.
enum SecurityEventResult: String, Sendable {
    case applied
    /// Received before.
    case repeated
    /// Without an effect.
    case logged
    /// The subject names no user here.
    case unresolved
    /// An unknown critical member.
    case discarded
    /// The token is not valid.
    case rejected
    /// The keys or the store could not be reached.
    case failed
    /// More than `events_per_second`.
    case limited
    /// More unknown users than `unknown_users`.
    case full
}

/// The number of events with the same transmitter, type and result.
package struct SecurityEventCount: Sendable, Equatable {
    /// The transmitter's name. Empty if the token names no known one.
    package let transmitter: String
    /// The name of the type; `unknown` for other types. Empty for a token that was not verified.
    package let event: String
    package let result: String
    package let count: UInt64
}

/// Counters of received events. Transmitters, types and results bound their number.
final class SecurityEventCounters: Sendable {
    private struct Key: Hashable {
        let transmitter: String
        let event: String
        let result: SecurityEventResult
    }

    private let numbers = Mutex<[Key: UInt64]>([:])

    /// Counts an event. `type` is `nil` for a token that was not verified.
    func count(_ transmitter: String, _ type: SecurityEventType?, _ result: SecurityEventResult) {
        let key = Key(transmitter: transmitter, event: type?.name ?? "", result: result)
        numbers.withLock { $0[key, default: 0] += 1 }
    }

    /// All counters, in a stable order.
    var counts: [SecurityEventCount] {
        let numbers = numbers.withLock { $0 }
        let counts = numbers.map { key, count in
            SecurityEventCount(
                transmitter: key.transmitter, event: key.event, result: key.result.rawValue, count: count)
        }
        return counts.sorted { ($0.transmitter, $0.event, $0.result) < ($1.transmitter, $1.event, $1.result) }
    }
}
