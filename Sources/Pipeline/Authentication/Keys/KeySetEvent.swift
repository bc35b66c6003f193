import JOSE
import OutboundHTTP

/// What is worth a line in the log about one key set. Key ids are public names; keys themselves never appear.
enum KeySetEvent: Sendable {
    /// The first good set, or the first after the last one was gone.
    case loaded(keyIDs: [String], lifetime: UInt64)
    /// A refresh brought other keys.
    case changed(added: [String], removed: [String])
    /// A refresh brought the same keys.
    case unchanged(lifetime: UInt64)
    /// A fetch succeeded after so many failures in a row.
    case recovered(failures: Int)
    /// A fetch failed; the next one starts after `retryIn`. `usableFor` is what the last good set has left.
    case fetchFailed(KeyFetchError, inARow: Int, retryIn: UInt64, usableFor: UInt64?)
    /// The last good set outlived its lifetime and `stale_for`.
    case gone(failures: Int)
    /// Keys of the set that cannot be used; told when they change.
    case skipped([SkippedKey])
    /// A token names a key that the set has not, and the source is asked for it.
    case unknownKey
}
