/// Why a signing key could not be made, read or used.
public struct SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure it was; more may be added.
    public enum Code: Sendable, Equatable {
        /// The text holds no unencrypted private key in PEM form.
        case unreadable
        /// The key is of another type, curve or size than the algorithm needs.
        case unfit
        /// libcrypto refused an operation; the usual reason is missing memory or a restricted provider.
        case failed
    }

    /// The kind of failure.
    public let code: Code
    /// What happened, for people.
    public let description: String

    static func unreadable(_ what: String) -> SigningKeyError { SigningKeyError(code: .unreadable, description: what) }
    static func unfit(_ what: String) -> SigningKeyError { SigningKeyError(code: .unfit, description: what) }
    static func failed(_ operation: String) -> SigningKeyError {
        SigningKeyError(code: .failed, description: "libcrypto could not \(operation)")
    }
}
