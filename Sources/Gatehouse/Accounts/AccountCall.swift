import JOSE

/// One call of an account endpoint, read whole.
struct AccountCall: Sendable {
    let endpoint: AccountEndpoint
    let body: [UInt8]
    /// `Content-Type` without its parameters, in lower case; empty: none.
    let contentType: String
    /// Who is asking, as the request's credential says; nil: nobody, or the call does not ask.
    let caller: AccountCaller?
    /// Where the request comes from: what rates are counted by.
    let network: PeerNetwork
    /// As the access log has it.
    let requestID: String
}

/// Whose credential a call carries. It was verified and, as of the gateway's table, not revoked.
struct AccountCaller: Sendable {
    let principal: Principal
}

/// What a call is answered with.
enum AccountReply: Sendable {
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
enum SessionCookie: Sendable, Equatable {
    /// - Parameter maximumAge: in seconds.
    case set(token: String, maximumAge: Int64)
    case clear
}

/// Serves the account calls, off the request path. Shared by the workers.
protocol AccountServing: Sendable {
    /// Serves a call, and tells `answer` once, from any thread.
    func serve(_ call: AccountCall, answer: @escaping @Sendable (AccountReply) -> Void)
}
