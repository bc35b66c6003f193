internal import JOSE

/// The reason why a development server or its keys are not available.
public struct DevelopmentIdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error. Cases may be added.
    public enum Code: Sendable, Equatable {
        /// A file or directory of keys: missing permissions, a mode that lets others read it, or invalid content.
        case keyFile
        /// A key could not be created or used, or no signing key is left.
        case keys
        /// A server could not listen on its port.
        case listening
        /// A provider has reached its limit of tokens, accounts or keys.
        case full
    }

    /// The kind of error.
    public let code: Code
    /// The error and its remedy.
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
