package import Authentication
package import GatewayCore
import JOSE
package import RequestPipeline
import Revocation

/// A complete request to an account endpoint.
package struct AccountCall: Sendable {
    package let endpoint: AccountEndpoint
    package let body: [UInt8]
    /// The `Content-Type` without parameters, in lower case. Empty if absent.
    package let contentType: String
    /// The principal of the request's credential, which is valid and not revoked in the view. `nil` if the request is
    /// anonymous.
    package let caller: Principal?
    /// The client's network, for rate limits.
    package let network: PeerNetwork
    /// The request ID of the access log.
    package let requestID: String

    package init(
        endpoint: AccountEndpoint, body: [UInt8], contentType: String, caller: Principal?, network: PeerNetwork,
        requestID: String
    ) {
        self.endpoint = endpoint
        self.body = body
        self.contentType = contentType
        self.caller = caller
        self.network = network
        self.requestID = requestID
    }
}

/// The response to an account request.
package enum AccountReply: Sendable {
    /// 200 with a JSON body.
    case json([UInt8], cookie: SessionCookie? = nil)
    /// 200 without a body, never cached. For senders of events (OpenID Connect Back-Channel Logout 1.0 section 2.8).
    case accepted
    /// 204.
    case done(cookie: SessionCookie? = nil)
    /// A problem document.
    case refused(Denial)
}

/// The change of the session cookie by `Set-Cookie`.
package enum SessionCookie: Sendable, Equatable {
    /// Sets the cookie. `maximumAge` is in seconds.
    case set(token: String, maximumAge: Int64)
    case clear
}

/// The account endpoints, served off the request path and shared by the workers.
package protocol AccountServing: Sendable {
    /// Serves a call. It calls `completion` once, from any thread.
    func serve(_ call: AccountCall, completion: @escaping @Sendable (AccountReply) -> Void)
}

extension AccountCall {
    /// Returns the caller, who must be authenticated.
    func requiredCaller() throws(AccountDenial) -> Principal {
        guard let caller else { throw AccountDenial(.missingCredential) }
        return caller
    }

    /// Returns the caller, who must have an account or a session. A caller with only a provider's token has nothing to
    /// change.
    func accountHolder() throws(AccountDenial) -> Principal {
        let caller = try requiredCaller()
        guard !caller.isDerived else {
            throw AccountDenial(
                .operationNotAllowed, detail: "Sign in first. A provider's token does not represent an account.")
        }
        return caller
    }
}

extension Principal {
    /// Whether it is a provider's own token whose identity belongs to no account.
    var isDerived: Bool { link.map { UserKey($0) == user } ?? false }

    /// Returns the identities at a provider that the credential's claims list. `nil` if there are no such identities.
    func identities(at provider: String) -> JSONValue? { identities?[provider] }

    /// The providers and kinds of contact in the credential's claims.
    var identityKinds: [String] { identities?.members.map(\.name) ?? [] }

    private var identities: JSONValue? { claims.root["firebase"]?["identities"] }

    /// When the credential expires, for the store. `nil` if it is unknown.
    var end: Int64? { expiresAt == .latest ? nil : expiresAt.seconds }

    /// How long the end of the session must be recorded. A gateway cookie is the only credential of its session. A
    /// session identified by its sign-in time continues in tokens issued later, for an unknown time.
    var endedUntil: Int64 {
        let isOurs = kind == .sessionCookie && session.map { claims.root["sid"]?.equals($0) == true } ?? false
        return isOurs ? end ?? StoreBounds.maximumTime : StoreBounds.maximumTime
    }
}
