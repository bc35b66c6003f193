/// Why a development server or its keys could not be had.
public struct DevelopmentIdentityError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What it concerns; more may be added.
    public enum Code: Sendable, Equatable {
        /// A file or directory of keys: missing permissions, too open a mode, or a text that is none of ours.
        case keyFile
        /// A key could not be made or used, or there is none left to sign with.
        case keys
        /// A server could not listen on the port that was asked for.
        case listening
        /// A provider knows as many of something as it can.
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
}
