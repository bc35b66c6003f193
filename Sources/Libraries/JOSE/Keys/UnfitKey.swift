/// Why a key of a set cannot be used.
struct UnfitKey: Error {
    /// A phrase for the log; nothing secret.
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// A key of a set that was left out.
public struct SkippedKey: Hashable, Sendable {
    /// Its `kid`, where it has one.
    public let keyID: String?
    /// Why, as a phrase for the log.
    public let reason: String
}
