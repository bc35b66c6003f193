package import Authentication
package import GatewayCore
import JOSE
package import RequestPipeline
import Revocation

/// One call of an account endpoint, read whole.
package struct AccountCall: Sendable {
    package let endpoint: AccountEndpoint
    package let body: [UInt8]
    /// `Content-Type` without its parameters, in lower case; empty: none.
    package let contentType: String
    /// The principal of the request's credential, which is valid and not revoked in the view; `nil` for an anonymous call.
    package let caller: Principal?
    /// Where the request comes from: what rates are counted by.
    package let network: PeerNetwork
    /// As the access log has it.
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

/// What a call is answered with.
package enum AccountReply: Sendable {
    /// 200 with a JSON text.
    case json([UInt8], cookie: SessionCookie? = nil)
    /// 200 without a body, never cached; for senders of events (OpenID Connect Back-Channel Logout 1.0 section 2.8).
    case accepted
    /// 204.
    case done(cookie: SessionCookie? = nil)
    /// A problem document.
    case refused(Denial)
}

/// What `Set-Cookie` does with the session cookie.
package enum SessionCookie: Sendable, Equatable {
    /// - Parameter maximumAge: in seconds.
    case set(token: String, maximumAge: Int64)
    case clear
}

/// Serves the account calls, off the request path. Shared by the workers.
package protocol AccountServing: Sendable {
    /// Serves a call, and tells `answer` once, from any thread.
    func serve(_ call: AccountCall, answer: @escaping @Sendable (AccountReply) -> Void)
}

extension AccountCall {
    /// Who calls.
    func requiredCaller() throws(AccountDenial) -> Principal {
        guard let caller else { throw AccountDenial(.missingCredential) }
        return caller
    }

    /// Who calls, where it is somebody with an account or a session: one who only has a provider's token has nothing that could be changed.
    func accountHolder() throws(AccountDenial) -> Principal {
        let caller = try requiredCaller()
        guard !caller.isDerived else {
            throw AccountDenial(.operationNotAllowed, detail: "Sign in first: a provider's token alone is no account.")
        }
        return caller
    }
}

extension Principal {
    /// Whether it is a provider's own token whose identity belongs to no account.
    var isDerived: Bool { link.map { UserKey($0) == user } ?? false }

    /// What the credential's claims list of a provider's identities; nil: none.
    func identities(at provider: String) -> JSONValue? { identities?[provider] }

    /// The providers, and kinds of contact, that the credential's claims list.
    var identityKinds: [String] { identities?.members.map(\.name) ?? [] }

    private var identities: JSONValue? { claims.root["firebase"]?["identities"] }

    /// When the credential ends, as the store takes it; nil: nobody knows.
    var end: Int64? { expiresAt == .latest ? nil : expiresAt.seconds }

    /// Until when an end of the session has to be remembered. A cookie of ours is the only credential of its session; one that is named by
    /// its sign-in goes on in the tokens that its issuer gives out later, for as long as nobody knows.
    var endedUntil: Int64 {
        let isOurs = kind == .sessionCookie && session.map { claims.root["sid"]?.equals($0) == true } ?? false
        return isOurs ? end ?? StoreBounds.maximumTime : StoreBounds.maximumTime
    }
}
