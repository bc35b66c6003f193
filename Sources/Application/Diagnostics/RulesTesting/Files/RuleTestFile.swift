package import GatewayCore

/// A test file and the rules that it tests.
package struct RuleTestFile: Sendable {
    /// The maximum number of tests in a file.
    package static let maximumTests = 10_000
    /// The maximum number of users in a file.
    package static let maximumUsers = 1_000
    /// The suffix of a test file: `notes.test.yaml` for `notes.rules`.
    package static let suffix = ".test.yaml"

    /// The path as specified.
    package let file: String
    /// The tested rules.
    package let rules: RulesUnderTest
    /// The tests in the order of the file; at least one.
    package let tests: [RuleTest]
    /// The warnings about the rules.
    package let warnings: [ConfigurationWarning]
}

/// One test: a request, its user, and the expected result of the rules.
package struct RuleTest: Sendable {
    /// The location in the file.
    package let location: SourceLocation
    /// The name of the test.
    package let name: String
    /// The request.
    package let request: RuleTestRequest
    /// The user. `nil` if the request is anonymous.
    package let user: RuleTestUser?
    /// The expected result.
    package let expectation: RuleTestExpectation
    /// The line of the `allow` that must decide. `nil` if any may.
    package let line: Int?
}

/// The expected result of a request.
package enum RuleTestExpectation: Sendable, Hashable {
    case allow
    case deny
    /// 401 `auth/requires-recent-login` with this `max_age` in seconds. `nil` if any is accepted.
    case stepUp(maxAge: Int64?)
    /// 401 `auth/second-factor-required`.
    case secondFactor
}

extension RuleTestExpectation: CustomStringConvertible {
    /// The expectation as spelled in a test file.
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
