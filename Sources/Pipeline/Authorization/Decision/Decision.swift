package import Authentication
package import GatewayCore
package import Revocation

/// The result of a permit: the identity, and the recorded sign-in that satisfied a check.
package struct Grant {
    /// The verified identity; `nil` if the request is anonymous.
    package let identity: VerifiedTokenCache.Entry?
    /// A sign-in later than the token's `auth_time` that this decision read from the store.
    package let signedInAt: UnixTime?
}

/// The outcome of the checks of one request.
package enum Decision {
    case permit(Grant)
    /// Indirect, so that the common result of a check, `nil`, is returned in registers.
    indirect case deny(Denial)
    /// The revocation view is still being loaded.
    case awaitStore
    /// The store must be queried; then the request is decided again with the records.
    case queryStore(StoreQuery)
    /// The user's Firebase account must be looked up.
    case lookUp
}

/// The finding of one check, for `explain`.
package enum AuthorizationFinding {
    case revocation(Authorizer.RevocationResult)
    /// The decision that follows from the user's Firebase account. `nil` without a decision.
    case account(Decision?)
    case provider(isPermitted: Bool)
    case scopes(isPermitted: Bool)
    case recency(Authorizer.Recency)
    case secondFactor(isPermitted: Bool)
}

/// The inputs of a decision apart from the policy and the identity.
package struct DecisionContext {
    /// Unix seconds, and monotonic nanoseconds.
    package var now: Int64
    package var monotonic: UInt64
    /// Whether the request may still wait for the revocation view to be loaded.
    package var mayWait: Bool
    /// The store's response to this request's query. `nil` if it was not queried.
    package var records: StoreRecords?
    /// The status of the user's account at Identity Toolkit.
    package var account: AccountView = .notQueried
    /// Whether a failed lookup denies the request on every route.
    package var deniesOnFailure = false

    package init(
        now: Int64, monotonic: UInt64, mayWait: Bool, records: StoreRecords? = nil, account: AccountView = .notQueried
    ) {
        self.now = now
        self.monotonic = monotonic
        self.mayWait = mayWait
        self.records = records
        self.account = account
    }

    /// Returns whether the request may pass although a lookup failed.
    package func allowsFailure(_ policy: RoutePolicy) -> Bool {
        policy.allowsOnStoreFailure && !deniesOnFailure
    }
}

/// The known status of a Firebase account.
package enum AccountView: Sendable, Equatable {
    /// The account was not looked up, or too long ago.
    case notQueried
    case known(AccountStatus.State)
    /// The lookup failed; with the last known status, whatever its age.
    case failed(lastKnown: AccountStatus.State?)
}
