import GatewayCore

/// The times at which changing credentials are fetched again. Times are nanoseconds of a monotonic clock.
struct CredentialSchedule {
    /// The least pause between two fetches that rejections cause.
    static let rejectionPause: UInt64 = 5_000_000_000
    /// The first and the maximum delay after failures.
    static let failureDelays: (first: UInt64, maximum: UInt64) = (1_000_000_000, 60_000_000_000)

    private let interval: UInt64
    private var failures = 0
    private var fetchedAt: UInt64?
    private var isFetching = false
    /// `nil` for exact delays.
    private var jitter: KeyJitter?

    /// - Parameters:
    ///   - interval: The interval of fetches of credentials without an expiry, and the maximum for others.
    ///   - seed: The seed of the jitter, so that gateways do not query a service at the same time. `nil` for none.
    init(interval: UInt64, seed: UInt64? = nil) {
        self.interval = max(interval, 1_000_000)
        jitter = seed.map { KeyJitter(seed: $0) }
    }

    mutating func began(at now: UInt64) {
        isFetching = true
        fetchedAt = now
    }

    /// Returns the delay of the next fetch after a success: at three quarters of the lifetime, or with jitter up to a
    /// tenth earlier.
    ///
    /// - Parameter lifetime: The remaining lifetime. `nil` if it is unknown.
    mutating func succeeded(lifetime: UInt64?) -> UInt64 {
        (isFetching, failures) = (false, 0)
        guard let lifetime else { return interval }
        let delay = min(interval, max(lifetime / 4 * 3, Self.failureDelays.first))
        return jitter?.duration(from: delay / 10 * 9, through: delay) ?? delay
    }

    /// Returns the delay of the next fetch after a failure, or with jitter up to a half less. The earlier credentials
    /// stay in use.
    mutating func failed() -> UInt64 {
        isFetching = false
        failures = min(failures + 1, 16)
        let delay = min(
            Self.failureDelays.first << UInt64(failures - 1), Self.failureDelays.maximum, max(interval, 1))
        return jitter?.duration(from: delay / 2, through: delay) ?? delay
    }

    /// Returns whether the credentials are fetched at once because the server rejected them.
    func fetchesOnRejection(at now: UInt64) -> Bool {
        guard !isFetching, let fetchedAt else { return false }
        return now >= fetchedAt &+ min(Self.rejectionPause, interval)
    }
}
