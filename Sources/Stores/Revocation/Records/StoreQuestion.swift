/// What a decision has to ask of the store itself, beyond its view.
package struct StoreQuestion: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Since when the user's tokens count, and whether they are disabled.
    package static let user = StoreQuestion(rawValue: 1)
    /// Whether the session was ended, and when its user last proved who they are.
    package static let session = StoreQuestion(rawValue: 2)
    /// The same as of the user, of the identity at a provider that belongs to the user.
    package static let link = StoreQuestion(rawValue: 4)
}

/// What the store itself answered on a request. That it knows nothing is an answer; that it did not answer is none.
package enum StoreAnswer: Sendable, Equatable {
    /// The records; nil for what was not asked.
    case records(user: UserLookup?, session: SessionLookup?, link: UserLookup? = nil)
    case failed(StoreFailure)
}

/// Why the store could not tell.
package enum StoreFailure: String, Error {
    /// Its view was not loaded within the time that a request waits.
    case notLoaded = "its table is not loaded"
    /// Its view is older than `max_staleness`.
    case stale = "its table is older than max_staleness"
    /// The record of this user or session is not valid.
    case faultyRecord = "the record is invalid"
    /// There is no connection to it.
    case unreachable = "there is no connection to it"
    /// It did not answer within `strict_timeout`.
    case timedOut = "it did not answer within strict_timeout"
    /// As many questions wait for an answer as may.
    case overloaded = "too many questions wait for its answer"
    /// It answered with an error.
    case refused = "it answered with an error"
    /// Identity Toolkit, which is asked besides the store, did not tell.
    case accountsUnavailable = "Identity Toolkit did not tell about the account"
}
