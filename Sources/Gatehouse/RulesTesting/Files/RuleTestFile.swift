/// A file of tests, and the rules that they are of.
public struct RuleTestFile: Sendable {
    /// The most tests of a file.
    public static let maximumTests = 10_000
    /// The most users of a file.
    public static let maximumUsers = 1_000
    /// How a file of tests beside `notes.rules` ends: `notes.test.yaml`.
    public static let suffix = ".test.yaml"

    /// The file, as it was named.
    public let file: String
    /// What is tested.
    public let rules: RulesUnderTest
    /// At least one, in the order of the file.
    public let tests: [RuleTest]
    /// What is worth knowing of the rules.
    public let warnings: [ConfigurationWarning]
}

/// One test: a request, who makes it, and what the rules should say.
public struct RuleTest: Sendable {
    /// Where it stands.
    public let location: SourceLocation
    /// What it is called.
    public let name: String
    /// What is asked for.
    public let request: RuleTestRequest
    /// Who asks; nil: nobody is signed in.
    public let user: RuleTestUser?
    /// What the rules should say.
    public let expectation: RuleTestExpectation
    /// The line of the `allow` that should decide; nil: any may.
    public let line: Int?
}

/// What rules should say of a request.
public enum RuleTestExpectation: Sendable, Hashable {
    case allow
    case deny
    /// 401 `auth/requires-recent-login`, with this `max_age` in seconds; nil: with any.
    case stepUp(maxAge: Int64?)
    /// 401 `auth/second-factor-required`.
    case secondFactor
}

extension RuleTestExpectation: CustomStringConvertible {
    /// As a file of tests writes it.
    public var description: String {
        switch self {
        case .allow: "allow"
        case .deny: "deny"
        case .stepUp(nil): "step-up"
        case .stepUp(let maxAge?): "step-up within \(DurationText.write(.seconds(maxAge)))"
        case .secondFactor: "second-factor"
        }
    }
}
