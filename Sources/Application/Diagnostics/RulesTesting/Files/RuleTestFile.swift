package import GatewayCore

/// A file of tests, and the rules that they are of.
package struct RuleTestFile: Sendable {
    /// The most tests of a file.
    package static let maximumTests = 10_000
    /// The most users of a file.
    package static let maximumUsers = 1_000
    /// How a file of tests beside `notes.rules` ends: `notes.test.yaml`.
    package static let suffix = ".test.yaml"

    /// The file, as it was named.
    package let file: String
    /// What is tested.
    package let rules: RulesUnderTest
    /// At least one, in the order of the file.
    package let tests: [RuleTest]
    /// What is worth knowing of the rules.
    package let warnings: [ConfigurationWarning]
}

/// One test: a request, who makes it, and what the rules should say.
package struct RuleTest: Sendable {
    /// Where it stands.
    package let location: SourceLocation
    /// What it is called.
    package let name: String
    /// What is asked for.
    package let request: RuleTestRequest
    /// Who asks; nil: nobody is signed in.
    package let user: RuleTestUser?
    /// What the rules should say.
    package let expectation: RuleTestExpectation
    /// The line of the `allow` that should decide; nil: any may.
    package let line: Int?
}

/// What rules should say of a request.
package enum RuleTestExpectation: Sendable, Hashable {
    case allow
    case deny
    /// 401 `auth/requires-recent-login`, with this `max_age` in seconds; nil: with any.
    case stepUp(maxAge: Int64?)
    /// 401 `auth/second-factor-required`.
    case secondFactor
}

extension RuleTestExpectation: CustomStringConvertible {
    /// As a file of tests writes it.
    package var description: String {
        switch self {
        case .allow: "allow"
        case .deny: "deny"
        case .stepUp(nil): "step-up"
        case .stepUp(let maxAge?): "step-up within \(DurationText.write(.seconds(maxAge)))"
        case .secondFactor: "second-factor"
        }
    }
}
