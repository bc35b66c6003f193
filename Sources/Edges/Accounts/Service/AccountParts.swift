package import Authorization
package import GatewayConfiguration
package import GatewayCore
package import Logging
package import Revocation

/// What the calls of accounts work with.
package struct AccountParts: Sendable {
    let settings: Configuration.Accounts
    let clock: GatewayClock
    let logger: Logger
    let store: any GatewayStore
    let authority: SessionAuthority
    let verifier: ProofVerifier
    let clockSkew: Int64
    /// How old the store's view may be, in nanoseconds.
    let maxStaleness: UInt64
    /// Whom to ask about Firebase's users, where their revocations are read from there; nil: nobody.
    var firebase: (any AccountLookingUp)?
    var rating: any CallRating
    var events: AccountEvents?
    /// The logger of lines that must never be suppressed; `nil`: `logger`.
    var auditLogger: Logger?

    package init(
        settings: Configuration.Accounts, clock: GatewayClock, logger: Logger, store: any GatewayStore,
        authority: SessionAuthority, verifier: ProofVerifier, clockSkew: Int64, maxStaleness: UInt64,
        firebase: (any AccountLookingUp)? = nil, rating: any CallRating, events: AccountEvents? = nil,
        auditLogger: Logger? = nil
    ) {
        self.settings = settings
        self.clock = clock
        self.logger = logger
        self.store = store
        self.authority = authority
        self.verifier = verifier
        self.clockSkew = clockSkew
        self.maxStaleness = maxStaleness
        self.firebase = firebase
        self.rating = rating
        self.events = events
        self.auditLogger = auditLogger
    }
}

extension AccountParts {
    /// What signs, once it is known.
    var keys: SessionKeys {
        get throws(AccountDenial) {
            guard let keys = authority.keys else {
                throw AccountDenial(.storeUnavailable, reason: "the session keys are not known yet")
            }
            return keys
        }
    }

    var nonces: Nonces { Nonces(store: store) }
    var redeemer: ProofRedeemer { ProofRedeemer(verifier: verifier, nonces: nonces, now: clock.now) }
    var authorizer: StrictAuthorizer {
        StrictAuthorizer(
            store: store, clock: clock, clockSkew: clockSkew, maxStaleness: maxStaleness, firebase: firebase)
    }

    /// The log of changes that a call makes.
    func auditLog(_ call: AccountCall) -> AuditLog {
        AuditLog(logger: auditLogger ?? logger, requestID: call.requestID)
    }

    /// Counts a call that concerns an account or an identity.
    func count(_ user: UserKey) throws(AccountDenial) {
        guard let wait = rating.allow(user: user, now: clock.monotonic()) else { return }
        throw AccountDenial(Denial(.rateLimited, retryAfter: wait))
    }

    func count(_ network: PeerNetwork) throws(AccountDenial) {
        guard let wait = rating.allow(network: network, now: clock.monotonic()) else { return }
        throw AccountDenial(Denial(.rateLimited, retryAfter: wait))
    }

    /// What is kept of an account; of one that was not made here perhaps nothing but its uid.
    func account(_ user: UserKey) async throws -> AccountRecord {
        try await store.account(user) ?? AccountRecord(user: user)
    }

    /// Makes the one use of a pending token.
    func use(_ token: PendingToken) async throws {
        guard try await store.markSeen(try token.digest(), lifetime: PendingToken.lifetime) else {
            throw AccountDenial(
                .invalidCredential, reason: "the pending token was used before",
                detail: "The pending token was used before. Begin with a new credential from the provider.")
        }
    }
}
