internal import JOSE

/// Why a development server or its keys are not available.
public struct DevelopmentIdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What it concerns; more may be added.
    public enum Code: Sendable, Equatable {
        /// A file or directory of keys: missing permissions, a mode that lets others read it, or an unknown text.
        case keyFile
        /// A key could not be made or used, or there is none left to sign with.
        case keys
        /// A server could not listen on its port.
        case listening
        /// A provider has the most tokens, accounts or keys that it may have.
        case full
    }

    /// What it concerns.
    public let code: Code
    /// What happened and what to do about it.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Returns the result of `body`.
    ///
    /// - Throws: `keys` with the description of the key's error.
    static func wrapping<Result>(
        _ body: () throws(SigningKeyError) -> Result
    ) throws(DevelopmentIdentityError) -> Result {
        do throws(SigningKeyError) {
            return try body()
        } catch {
            throw DevelopmentIdentityError(.keys, error.description)
        }
    }
}
