import Authentication
import GatewayCore
import JOSE
import Revocation

/// Why a call is refused: what its client is told, and what the log says besides.
struct AccountDenial: Error, Equatable {
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
    static func malformed(_ detail: String) -> AccountDenial { AccountDenial(.malformedRequest, detail: detail) }

    /// Of a provider's token the client learns no more than that it does not count.
    static func credential(_ reason: String) -> AccountDenial { AccountDenial(.invalidCredential, reason: reason) }

    static func nonce(_ reason: String) -> AccountDenial { AccountDenial(.invalidNonce, reason: reason) }

    static func signInAgain(_ reason: String) -> AccountDenial {
        AccountDenial(Denial(.requiresRecentLogin, maxAge: recentSignIn), reason: reason)
    }
}

extension AccountDenial {
    /// Whatever is wrong with a token is one answer.
    init(_ failure: VerificationFailure) {
        self.init(failure.code == .internalError ? .internalError : .invalidCredential, reason: failure.reason.rawValue)
    }

    /// The hash of `bytes`.
    static func hash(_ bytes: [UInt8]) throws(AccountDenial) -> SHA256Digest {
        guard let digest = SHA256Hasher()?.hash(bytes) else {
            throw AccountDenial(.internalError, reason: "libcrypto could not hash")
        }
        return digest
    }
}

/// Of events: what their senders are told. They are servers, whose operators read it.
extension AccountDenial {
    /// An event's token does not count.
    ///
    /// - Parameter detail: what the sender can mend.
    static func event(
        _ reason: String,
        detail: String = "Send a token that you signed for this service's audience, unchanged and in time."
    ) -> AccountDenial {
        AccountDenial(.invalidCredential, reason: reason, detail: detail)
    }

    init(event failure: VerificationFailure) {
        self =
            failure.code == .internalError
            ? AccountDenial(.internalError, reason: failure.reason.rawValue) : .event(failure.reason.rawValue)
    }

    /// What the sender can repeat later, and should: nothing was forgotten, and what was done may be done again.
    init(event error: StoreError) {
        self.init(.storeUnavailable, reason: "the store: \(error.code)")
    }
}
