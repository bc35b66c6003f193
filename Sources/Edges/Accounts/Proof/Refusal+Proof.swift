import Authentication
import GatewayCore
import JOSE

extension Refusal {
    /// Whatever is wrong with a token is one answer.
    init(_ failure: VerificationFailure) {
        self.init(failure.code == .internalError ? .internalError : .invalidCredential, reason: failure.reason.rawValue)
    }

    /// The hash of `bytes`.
    static func hash(_ bytes: [UInt8]) throws(Refusal) -> SHA256Digest {
        guard let digest = SHA256Hasher()?.hash(bytes) else {
            throw Refusal(.internalError, reason: "libcrypto could not hash")
        }
        return digest
    }
}
