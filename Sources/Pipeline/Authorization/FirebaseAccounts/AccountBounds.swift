/// The bounds of asking about accounts; times in nanoseconds.
enum AccountBounds {
    /// The most accounts of one call.
    static let batch = 100
    /// The most calls at a time.
    static let concurrency = 4
    /// The most accounts that wait for a call.
    static let waiting = 4096
    /// The most requests that wait for answers, many of them for the same account's.
    static let askers = 16_384
    /// The most accounts that are remembered.
    static let remembered = 65_536
    /// How long an account waits for its call.
    static let patience: UInt64 = 5_000_000_000
    /// How long Identity Toolkit is left alone after a failure, where it does not say.
    static let pause: UInt64 = 1_000_000_000
    /// How many accounts in a row may each by itself be what Identity Toolkit refuses, before it is taken to refuse all.
    static let refusedAlone = 3
    /// An access token is renewed so long before its end, or a fifth of its lifetime where that is less; in seconds.
    static let renewal: Int64 = 300
    /// The longest lifetime that an access token is believed to have, in seconds.
    static let longestLifetime: Int64 = 86_400
}
