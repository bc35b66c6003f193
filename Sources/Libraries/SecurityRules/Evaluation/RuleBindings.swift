/// Something outside of rules that a request gives a value.
public enum RuleBinding: Sendable, Hashable {
    /// `auth` and `request.auth`: a map of `uid`, `provider` and `token`, or null.
    case auth
    /// `request.method`: as on the wire, `GET`.
    case method
    /// `request.host`: in lower case, without a port.
    case host
    /// `request.query`, whole: a map of strings.
    case query
    /// `request.headers`, whole: a map of strings by names in lower case.
    case headers
    /// One field of `request.headers`, so that nobody has to make a map of all; null: there is no such field.
    case header(String)
}

/// What a request gives rules, made only when a condition asks for it.
///
/// A class, so that an evaluator holds a reference and nothing is allocated for a request.
public protocol RuleBindings: AnyObject {
    /// The value of a binding. Asked for at most once a request for each but the single fields.
    func value(of binding: RuleBinding) -> RuleValue
}

/// What the store knows of a later sign-in than the credential's own.
public enum SignInRecord: Sendable, Equatable {
    /// It was not read yet: a condition that hangs on it has no answer before it is.
    case notRead
    /// When the user last proved who they are, in seconds since 1970; nil: there is no record.
    case read(Int64?)
    /// It cannot be read.
    case unavailable
}

/// What rules ask of a user's sign-in.
public struct RuleSignIn: Sendable {
    /// When the credential says that the user proved who they are, in seconds since 1970; nil: it does not say, or nobody is signed in.
    public var authTime: Int64?
    /// What the store knows besides.
    public var record: SignInRecord
    /// Whether a second factor was used.
    public var hasSecondFactor: Bool
    /// How far in the future a sign-in may seem to be, in seconds.
    public var clockSkew: Int64

    /// - Parameter record: `.read(nil)` where no store may know of one.
    public init(
        authTime: Int64? = nil, record: SignInRecord = .read(nil), hasSecondFactor: Bool = false, clockSkew: Int64 = 0
    ) {
        self.authTime = authTime
        self.record = record
        self.hasSecondFactor = hasSecondFactor
        self.clockSkew = clockSkew
    }
}

/// One request, as rules look at it.
public struct RuleRequest {
    /// What it does; nil: nothing that an `allow` could name.
    public var operation: RuleOperation?
    /// The canonical path, without query, escapes not decoded. Must outlive the decision.
    public var path: UnsafeRawBufferPointer
    /// `request.time`.
    public var time: RuleTimestamp
    /// How the user signed in.
    public var signIn: RuleSignIn

    /// A request.
    public init(operation: RuleOperation?, path: UnsafeRawBufferPointer, time: RuleTimestamp, signIn: RuleSignIn) {
        self.operation = operation
        self.path = path
        self.time = time
        self.signIn = signIn
    }
}
