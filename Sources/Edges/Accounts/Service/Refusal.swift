import GatewayCore

/// Why a call is refused: what its client is told, and what the log says besides.
struct Refusal: Error, Equatable {
    var denial: Denial
    /// The precise reason. It goes to the log, never to the client.
    var reason: String?

    init(_ denial: Denial, reason: String? = nil) {
        self.denial = denial
        self.reason = reason
    }

    init(_ code: DecisionCode, reason: String? = nil, detail: String? = nil) {
        denial = Denial(code)
        denial.detail = detail
        self.reason = reason
    }

    /// How old a sign-in may be where a call asks for a recent one, in seconds.
    static let recentSignIn: Int64 = 300

    /// - Parameter detail: what the client can mend; nothing of the client's is in it.
    static func malformed(_ detail: String) -> Refusal { Refusal(.malformedRequest, detail: detail) }

    /// Of a provider's token the client learns no more than that it does not count.
    static func credential(_ reason: String) -> Refusal { Refusal(.invalidCredential, reason: reason) }

    static func nonce(_ reason: String) -> Refusal { Refusal(.invalidNonce, reason: reason) }

    static func signInAgain(_ reason: String) -> Refusal {
        Refusal(Denial(.requiresRecentLogin, maxAge: recentSignIn), reason: reason)
    }
}
