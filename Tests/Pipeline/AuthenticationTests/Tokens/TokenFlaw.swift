import Authentication
import GatewayCore
import Testing

@testable import CoreFixtures

/// A change of a valid token, and the failure that it causes.
struct TokenFlaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let failure: VerificationFailure
    let change: @Sendable (TokenDraft) -> TokenDraft

    init(
        _ description: String, _ reason: VerificationFailure.Reason, _ code: DecisionCode = .invalidIDToken,
        _ change: @escaping @Sendable (TokenDraft) -> TokenDraft
    ) {
        testDescription = description
        failure = VerificationFailure(code: code, reason: reason)
        self.change = change
    }

    /// Flaws of a claim with each of these values, as JSON text. `nil` removes the claim.
    static func claim(
        _ name: String, _ values: [String?], _ reason: VerificationFailure.Reason, _ cases: String = "",
        code: DecisionCode = .invalidIDToken
    ) -> [TokenFlaw] {
        values.map { value in
            TokenFlaw("\(cases)\(name): \(value ?? "missing")", reason, code) { $0.with(name, value) }
        }
    }

    /// Flaws of a member of the header with each of these values.
    static func header(
        _ name: String, _ values: [String?], _ reason: VerificationFailure.Reason, _ cases: String = ""
    ) -> [TokenFlaw] {
        values.map { value in
            TokenFlaw("\(cases)\(name): \(value ?? "missing")", reason) { $0.withHeader(name, value) }
        }
    }
}
