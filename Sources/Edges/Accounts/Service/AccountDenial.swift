import Authentication
import GatewayCore
import JOSE
import Revocation

/// The denial of an account request: the response to the client, and details for the log.
struct AccountDenial: Error, Equatable {
    var denial: Denial
    /// The precise reason. It is logged and never sent to the client.
    var reason: String?
    /// The cookie of the calling session, which got another name before the call failed.
    var cookie: SessionCookie?

    init(_ denial: Denial, reason: String? = nil) {
        self.denial = denial
        self.reason = reason
    }

    init(_ code: DecisionCode, reason: String? = nil, detail: String? = nil) {
        denial = Denial(code)
        denial.detail = detail
        self.reason = reason
    }

    /// The maximum age of a recent sign-in, in seconds.
    static let recentSignIn: Int64 = 300

    /// Creates a denial of a malformed request. `detail` explains how to correct it and contains no client data.
    static func malformed(_ detail: String) -> AccountDenial { AccountDenial(.malformedRequest, detail: detail) }

    /// Creates a denial of a provider's token. The client learns only that the token is invalid.
    static func credential(_ reason: String) -> AccountDenial { AccountDenial(.invalidCredential, reason: reason) }

    static func nonce(_ reason: String) -> AccountDenial { AccountDenial(.invalidNonce, reason: reason) }

    static func signInAgain(_ reason: String) -> AccountDenial {
        AccountDenial(Denial(.requiresRecentLogin, maxAge: recentSignIn), reason: reason)
    }
}

extension AccountDenial {
    /// Creates the denial of an invalid token. All reasons have the same response.
    init(_ failure: VerificationFailure) {
        self.init(failure.code == .internalError ? .internalError : .invalidCredential, reason: failure.text)
    }

    /// Returns the hash of `bytes`.
    static func hash(_ bytes: [UInt8]) throws(AccountDenial) -> SHA256Digest {
        guard let digest = SHA256Hasher()?.hash(bytes) else {
            throw AccountDenial(.internalError, reason: "libcrypto could not hash")
        }
        return digest
    }
}

/// Denials of events. Their readers are the operators of the sending servers.
extension AccountDenial {
    /// Creates the denial of an invalid event token. `detail` explains how the sender can correct it.
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

    /// Creates a denial after which the sender should retry. No effect is lost, and repeated effects are harmless.
    init(event error: StoreError) {
        self.init(.storeUnavailable, reason: "the store: \(error.code)")
    }
}
