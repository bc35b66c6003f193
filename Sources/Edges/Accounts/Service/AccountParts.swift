import Authentication
package import Authorization
package import GatewayConfiguration
package import GatewayCore
package import Logging
package import Revocation

/// The dependencies of the account endpoints.
package struct AccountParts: Sendable {
    var settings: Configuration.Accounts
    let clock: GatewayClock
    let logger: Logger
    var store: any GatewayStore
    let authority: SessionAuthority
    let verifier: ProofVerifier
    let clockSkew: Int64
    /// The maximum age of the store's view, in nanoseconds.
    var maxStaleness: UInt64
    /// The lookup of Firebase accounts. `nil` if their revocations are not read from Firebase.
    var firebase: (any FirebaseAccountLookup)?
    /// The Firebase users of proven identities. `nil` if sign-ins create accounts apart from Firebase.
    package var firebaseUsers: FirebaseUsers?
    /// The creator of Firebase's session cookies. `nil` if `POST session` creates the gateway's own.
    var firebaseCookies: FirebaseSessionCookies?
    var rating: any CallRating
    var events: AccountEvents?
    /// The receiver of security events. `nil` without transmitters.
    var securityEvents: SecurityEvents?
    /// The receiver of calls that a secret of the app authenticates. `nil` without such secrets.
    package var callbacks: ProviderCallbacks?
    /// The reader of session cookies that the pipeline does not examine. `nil` reads none.
    package var sessions: SessionReader?
    /// The authorization-code flows. `nil` if the configuration offers none.
    var flows: CodeFlows?
    /// The logger of messages that must never be suppressed. If `nil`, `logger` is used.
    var auditLogger: Logger?
    /// The last sign-ins, for operators.
    package var signIns = RecentSignIns()

    package init(
        settings: Configuration.Accounts, clock: GatewayClock, logger: Logger, store: any GatewayStore,
        authority: SessionAuthority, verifier: ProofVerifier, clockSkew: Int64, maxStaleness: UInt64,
        firebase: (any FirebaseAccountLookup)? = nil, firebaseCookies: FirebaseSessionCookies? = nil,
        rating: any CallRating, events: AccountEvents? = nil, securityEvents: SecurityEvents? = nil,
        flows: CodeFlows? = nil, auditLogger: Logger? = nil
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
        self.firebaseCookies = firebaseCookies
        self.rating = rating
        self.events = events
        self.securityEvents = securityEvents
        self.flows = flows
        self.auditLogger = auditLogger
    }
}

extension AccountParts {
    /// The session keys, once they are loaded.
    var keys: SessionKeys {
        get throws(AccountDenial) {
            guard let keys = authority.keys else {
                throw AccountDenial(.storeUnavailable, reason: "the session keys are not known yet")
            }
            return keys
        }
    }

    /// Records a sign-in for operators.
    func record(_ purpose: RecentSignIns.SignIn.Purpose, of user: UserKey, with provider: String?) {
        signIns.record(
            RecentSignIns.SignIn(time: clock.now(), provider: provider, purpose: purpose), of: user)
    }

    var nonces: Nonces { Nonces(store: store) }
    var redeemer: ProofRedeemer { ProofRedeemer(verifier: verifier, nonces: nonces, now: clock.now) }
    var authorizer: StrictAuthorizer {
        StrictAuthorizer(
            store: store, clock: clock, clockSkew: clockSkew, maxStaleness: maxStaleness, firebase: firebase)
    }

    /// Returns the audit log of a call.
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

    /// Counts a removal that a user requests, because each adds messages to the outbox.
    func countRemoval(by user: UserKey) async throws {
        // A longer name is not a valid user.
        guard store.outbox.current != nil, (try? StoreBounds.check(user: user)) != nil else { return }
        guard try await store.countRemoval(by: user) else {
            throw AccountDenial(Denial(.rateLimited, retryAfter: 3_600), reason: "too many removals within a day")
        }
    }

    /// Counts a link that the application sends to an address, so that users cannot flood the mailbox of a person.
    func countLink(to email: String) async throws {
        guard try await store.countLink(to: EmailAddress.mailbox(of: email)) else {
            throw AccountDenial(Denial(.rateLimited, retryAfter: 3_600), reason: "too many links to the address")
        }
    }

    /// Returns the principal of a request's session cookie that fulfils a condition. Its revocation is not checked.
    func session(
        of call: AccountCall, where isExpected: (Principal) -> Bool = { _ in true }
    ) throws(AccountDenial) -> Principal? {
        guard let sessions, !call.browser.sessions.isEmpty else { return nil }
        return sessions.caller(call.browser.sessions, keys: try keys, now: clock.now(), where: isExpected)
    }

    /// Returns the principals of all session cookies of a request that are valid, apart from revocations. Cookies that
    /// another cookie replaces are included. Empty before the session keys are known.
    func allSessions(of call: AccountCall) -> [Principal] {
        guard let sessions, let keys = authority.keys else { return [] }
        return sessions.callers(call.browser.sessions + call.browser.replaced, keys: keys, now: clock.now())
    }

    /// Returns the record of an account. For an account that the gateway did not create, it may contain only the uid.
    func account(_ user: UserKey) async throws -> AccountRecord {
        try await store.account(user) ?? AccountRecord(user: user)
    }

    /// Records the single use of a pending token.
    func use(_ token: PendingToken) async throws {
        guard try await store.markSeen(try token.digest(), lifetime: PendingToken.lifetime) else {
            throw AccountDenial(
                .invalidCredential, reason: "the pending token was used before",
                detail: "The pending token was already used. Start again with a new credential from the provider.")
        }
    }
}
