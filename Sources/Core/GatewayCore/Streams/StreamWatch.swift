/// When an open stream has to end, as a pure value. Times are monotonic nanoseconds, but for what a token says: seconds since 1970.
package struct StreamWatch: Sendable {
    /// Why a stream ends, though both sides would go on.
    package enum End: Equatable, Sendable {
        /// Its token has expired.
        case expired
        /// It has been open for as long as it may be.
        case maximum
        /// Nothing passed for as long as may be.
        case idle
        /// The gateway is about to end.
        case drained
    }

    /// What the watch needs to know of a moment.
    package struct Moment {
        package var now: UInt64
        /// When bytes last passed, in either direction.
        package var lastProgress: UInt64
        package var isDraining = false
        /// The longest that the stream may be idle besides its own bound; nil: no other.
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
    /// From when on the permission counts no more; nil: there is none that could end.
    let permittedUntil: UnixTime?
    private var nextLook: UInt64 = 0
    private var changesSeen: UInt64?

    /// How often the time of day is looked at.
    static let interval: UInt64 = 250_000_000

    /// - Parameter expiresAt: when the token that the stream was opened with ends; nil: it was opened without.
    package init(bounds: StreamBounds, began: UInt64, expiresAt: UnixTime?) {
        self.bounds = bounds
        self.began = began
        permittedUntil = expiresAt?.adding(bounds.grace)
    }

    /// - Parameter wall: seconds since 1970; asked for a few times a second only.
    package mutating func end(at moment: Moment, wall: @autoclosure () -> Int64) -> End? {
        if let permittedUntil, moment.now >= nextLook {
            nextLook = moment.now &+ Self.interval
            if !permittedUntil.isAfter(wall()) { return .expired }
        }
        if moment.isDraining { return .drained }
        if Self.since(began, moment.now) >= bounds.maximum { return .maximum }
        let idle = min(bounds.idle, moment.idle ?? .max)
        return Self.since(moment.lastProgress, moment.now) > idle ? .idle : nil
    }

    /// Whether the permission has to be looked at again: something has changed among all that could end it, or it was never looked at.
    ///
    /// - Parameter changes: how much has changed so far, whatever of.
    package mutating func mustAsk(changes: UInt64) -> Bool {
        guard changes != changesSeen else { return false }
        changesSeen = changes
        return true
    }

    private static func since(_ start: UInt64, _ now: UInt64) -> UInt64 { now > start ? now - start : 0 }
}
