/// The conditions that end an open stream, as a pure value. Times are monotonic nanoseconds, except the expiry of a
/// token in seconds since 1970.
package struct StreamWatch: Sendable {
    /// The reason that the gateway ends a stream.
    package enum End: Equatable, Sendable {
        /// The token has expired.
        case expired
        /// The maximum duration has passed.
        case maximum
        /// No bytes have passed for the idle timeout.
        case idle
        /// The gateway is shutting down.
        case drained
    }

    /// The inputs of a check.
    package struct Moment {
        package var now: UInt64
        /// The time of the last bytes in either direction.
        package var lastProgress: UInt64
        package var isDraining = false
        /// A further bound on the idle time. `nil` for none.
        package var idle: UInt64?

        package init(now: UInt64, lastProgress: UInt64, isDraining: Bool = false, idle: UInt64? = nil) {
            self.now = now
            self.lastProgress = lastProgress
            self.isDraining = isDraining
            self.idle = idle
        }
    }

    let bounds: StreamBounds
    let began: UInt64
    /// The end of the permission. `nil` if it does not expire.
    let permittedUntil: UnixTime?
    private var nextClockRead: UInt64 = 0
    private var changesSeen: UInt64?

    /// The interval of reading the wall clock.
    static let interval: UInt64 = 250_000_000

    /// Creates a watch.
    ///
    /// - Parameter expiresAt: The expiry of the stream's token. `nil` without a token.
    package init(bounds: StreamBounds, began: UInt64, expiresAt: UnixTime?) {
        self.bounds = bounds
        self.began = began
        permittedUntil = expiresAt?.adding(bounds.grace)
    }

    /// Returns the reason to end the stream now, if any.
    ///
    /// - Parameter wall: The wall clock in seconds since 1970, evaluated a few times per second at most.
    package mutating func end(at moment: Moment, wall: @autoclosure () -> Int64) -> End? {
        if let permittedUntil, moment.now >= nextClockRead {
            nextClockRead = moment.now &+ Self.interval
            if !permittedUntil.isAfter(wall()) { return .expired }
        }
        if moment.isDraining { return .drained }
        if Self.since(began, moment.now) >= bounds.maximum { return .maximum }
        let idle = min(bounds.idle, moment.idle ?? .max)
        return Self.since(moment.lastProgress, moment.now) > idle ? .idle : nil
    }

    /// Returns whether the permission has to be checked: revocations have changed since the last check, or there was
    /// none.
    ///
    /// - Parameter changes: A counter of all changes; it only increases.
    package mutating func needsRecheck(changes: UInt64) -> Bool {
        guard changes != changesSeen else { return false }
        changesSeen = changes
        return true
    }

    private static func since(_ start: UInt64, _ now: UInt64) -> UInt64 { now > start ? now - start : 0 }
}
