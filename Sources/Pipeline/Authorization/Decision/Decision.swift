package import Authentication
package import GatewayCore
package import Revocation

/// What the checks of an identity grant: the identity, and the recorded sign-in that it passed by.
package struct Grant {
    /// The verified identity; `nil` if the request is anonymous.
    package let identity: VerifiedTokenCache.Entry?
    /// A sign-in later than the token's `auth_time` that this decision read from the store.
    package let signedInAt: UnixTime?
}

/// The outcome of the checks of one request.
package enum Decision {
    case permit(Grant)
    /// Indirect: most checks decide nothing, and return that in registers.
    indirect case deny(Denial)
    /// The revocation view is still being loaded.
    case awaitStore
    /// The store itself has to be queried; then the request is decided again, with its answer.
    case queryStore(StoreQuestion)
    /// The user's Firebase account has to be looked up.
    case lookUp
}

/// What one check found, for `explain`.
package enum AuthorizationFinding {
    case revocation(Authorizer.RevocationAnswer)
    /// The decision that the user's Firebase account leads to; `nil`: none.
    case account(Decision?)
    case provider(isPermitted: Bool)
    case scopes(isPermitted: Bool)
    case recency(Authorizer.Recency)
    case secondFactor(isPermitted: Bool)
}

/// What a decision depends on besides the policy and the identity.
package struct DecisionContext {
    /// Unix seconds, and monotonic nanoseconds.
    package var now: Int64
    package var monotonic: UInt64
    /// The request may still wait for the store's view to be loaded.
    package var mayWait: Bool
    /// What the store itself answered to this request's question; nil: it was not asked.
    package var answer: StoreAnswer?
    /// What Identity Toolkit says of the user's account.
    package var account: AccountView = .notAsked

    package init(
        now: Int64, monotonic: UInt64, mayWait: Bool, answer: StoreAnswer? = nil, account: AccountView = .notAsked
    ) {
        self.now = now
        self.monotonic = monotonic
        self.mayWait = mayWait
        self.answer = answer
        self.account = account
    }
}

/// What the decision knows of a Firebase account.
package enum AccountView: Sendable, Equatable {
    /// It was not asked about, or so long ago that the answer counts no more.
    case notAsked
    case known(AccountStatus.Answer)
    /// It could not be asked about; with the last answer there was, however old.
    case failed(lastKnown: AccountStatus.Answer?)
}
