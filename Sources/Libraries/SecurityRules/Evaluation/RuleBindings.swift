/// A value that a request provides to rules.
public enum RuleBinding: Sendable, Hashable {
    /// `auth` and `request.auth`: a map of `uid`, `provider` and `token`, or null.
    case auth
    /// `request.app`: a map of `id` and `name`, or null without a verified App Check token.
    case app
    /// `request.method` as on the wire: `GET`.
    case method
    /// `request.host` in lower case, without a port.
    case host
    /// `request.query`: a map of strings.
    case query
    /// `request.headers`: a map of strings by names in lower case.
    case headers
    /// One field of `request.headers`, which avoids a map of all fields. Null if the field is absent.
    case header(String)
}

/// The values of a request, created on demand.
///
/// A class, so that an evaluator holds a reference and nothing is allocated for a request.
public protocol RuleBindings: AnyObject {
    /// Returns the value of a binding. Called at most once per request for each binding, except for single fields.
    func value(of binding: RuleBinding) -> RuleValue
}

/// The store's record of a sign-in that is later than the credential.
public enum SignInRecord: Sendable, Equatable {
    /// The record was not read yet. A condition that depends on it cannot be decided.
    case notRead
    /// The time of the latest proof of identity in seconds since 1970. `nil` without a record.
    case read(Int64?)
    /// The record cannot be read.
    case unavailable
}

/// The user's sign-in for rules.
public struct RuleSignIn: Sendable {
    /// The time of the proof of identity in the credential, in seconds since 1970. `nil` if it is absent or there is
    /// no user.
    public var authTime: Int64?
    /// The store's record of a later sign-in.
    public var record: SignInRecord
    /// Whether a second factor was used.
    public var hasSecondFactor: Bool
    /// The tolerance for sign-ins in the future, in seconds.
    public var clockSkew: Int64

    /// Creates a sign-in.
    ///
    /// - Parameter record: The store's record; `.read(nil)` if the store cannot have one.
    public init(
        authTime: Int64? = nil, record: SignInRecord = .read(nil), hasSecondFactor: Bool = false, clockSkew: Int64 = 0
    ) {
        self.authTime = authTime
        self.record = record
        self.hasSecondFactor = hasSecondFactor
        self.clockSkew = clockSkew
    }
}

/// A request for rules.
public struct RuleRequest {
    /// The operation. `nil` for a method that no `allow` can name.
    public var operation: RuleOperation?
    /// The canonical path without query, with its escapes. It must outlive the decision.
    public var path: UnsafeRawBufferPointer
    /// `request.time`.
    public var time: RuleTimestamp
    /// The sign-in of the user.
    public var signIn: RuleSignIn

    /// Creates a request.
    public init(operation: RuleOperation?, path: UnsafeRawBufferPointer, time: RuleTimestamp, signIn: RuleSignIn) {
        self.operation = operation
        self.path = path
        self.time = time
        self.signIn = signIn
    }
}
