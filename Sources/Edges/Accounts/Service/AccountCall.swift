package import Authentication
package import GatewayCore
import JOSE
package import RequestPipeline

/// One call of an account endpoint, read whole.
package struct AccountCall: Sendable {
    package let endpoint: AccountEndpoint
    package let body: [UInt8]
    /// `Content-Type` without its parameters, in lower case; empty: none.
    package let contentType: String
    /// Who is asking, as the request's credential says; nil: nobody, or the call does not ask.
    package let caller: AccountCaller?
    /// Where the request comes from: what rates are counted by.
    package let network: PeerNetwork
    /// As the access log has it.
    package let requestID: String

    package init(
        endpoint: AccountEndpoint, body: [UInt8], contentType: String, caller: AccountCaller?, network: PeerNetwork,
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

/// Whose credential a call carries. It was verified and, as of the gateway's table, not revoked.
package struct AccountCaller: Sendable {
    package let principal: Principal

    package init(principal: Principal) {
        self.principal = principal
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
