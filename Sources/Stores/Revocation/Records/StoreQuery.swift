/// The parts of a strict lookup in the store itself.
package struct StoreQuery: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The user's record.
    package static let user = StoreQuery(rawValue: 1)
    /// The session's record.
    package static let session = StoreQuery(rawValue: 2)
    /// The record of the linked identity that belongs to the user.
    package static let link = StoreQuery(rawValue: 4)
}

/// The result of a strict lookup. An empty record is a valid result.
package enum StoreRecords: Sendable, Equatable {
    /// The records. A part that was not requested is `nil`.
    case records(user: UserLookup?, session: SessionLookup?, link: UserLookup? = nil)
    case failed(StoreFailure)
}

/// The reason that a lookup failed.
package enum StoreFailure: String, Error {
    /// The view was not loaded within the time that a request waits.
    case notLoaded = "the revocation view is not loaded"
    /// The view is older than `max_staleness`.
    case stale = "the revocation view is older than max_staleness"
    /// The record of this user or session is invalid.
    case faultyRecord = "the record is invalid"
    /// There is no connection to the store.
    case unreachable = "the store is not connected"
    /// The store did not reply within `strict_timeout`.
    case timedOut = "the store did not reply within strict_timeout"
    /// Too many lookups are pending.
    case overloaded = "too many lookups are pending"
    /// The store replied with an error.
    case refused = "the store replied with an error"
    /// The lookup of the account in Identity Toolkit failed.
    case accountsUnavailable = "the lookup of the account in Identity Toolkit failed"
}
