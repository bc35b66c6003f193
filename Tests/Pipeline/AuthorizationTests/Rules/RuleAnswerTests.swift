import GatewayCore
import SecurityRules
import Testing

@testable import Authorization

@Suite struct RuleAnswerTests {
    private static let denied = RuleVerdict.denied(RuleDenial(.conditionIsFalse, rule: 0))
    private static let allowed = RuleVerdict.allowed(rule: 0, signedInAt: nil)

    @Test(
        arguments: [
            (allowed, allowed, RuleAnswer.passes(signedInAt: nil)),
            (allowed, .allowed(rule: 0, signedInAt: 7), .passes(signedInAt: 7)),
            (.allowed(rule: 0, signedInAt: 7), allowed, .passes(signedInAt: 7)),
            (allowed, denied, .denied), (denied, allowed, .denied),
            (.needsRecentSignIn(maxAge: 60, rule: 0), denied, .denied),
            (.needsSignInRecord, denied, .denied), (.signInRecordUnavailable, denied, .denied),
            (.needsRecentSignIn(maxAge: 60, rule: 0), allowed, .needsRecentSignIn(maxAge: 60)),
            (
                .needsRecentSignIn(maxAge: 60, rule: 0), .needsRecentSignIn(maxAge: 30, rule: 0),
                .needsRecentSignIn(maxAge: 30)
            ),
            (.needsRecentSignIn(maxAge: 60, rule: 0), .needsSecondFactor(rule: 0), .needsRecentSignIn(maxAge: 60)),
            (.needsSecondFactor(rule: 0), .needsRecentSignIn(maxAge: 60, rule: 0), .needsRecentSignIn(maxAge: 60)),
            (.needsSecondFactor(rule: 0), allowed, .needsSecondFactor),
            (.needsRecentSignIn(maxAge: 60, rule: 0), .needsSignInRecord, .needsRecord),
            (.signInRecordUnavailable, .needsSignInRecord, .needsRecord),
            (.signInRecordUnavailable, .needsRecentSignIn(maxAge: 60, rule: 0), .recordIsUnavailable),
        ] as [(RuleVerdict, RuleVerdict, RuleAnswer)])
    func theStricterHolds(_ one: RuleVerdict, _ other: RuleVerdict, _ both: RuleAnswer) {
        #expect(RuleAnswer(one).and(RuleAnswer(other)) == both)
    }

    @Test func onlyWhatAllPassPasses() {
        let verdicts: [RuleVerdict] = [
            Self.denied, .needsRecentSignIn(maxAge: 1, rule: 0), .needsSecondFactor(rule: 0), .needsSignInRecord,
            .signInRecordUnavailable,
        ]
        for verdict in verdicts {
            for pair in [(verdict, Self.allowed), (Self.allowed, verdict)] {
                guard case .passes = RuleAnswer(pair.0).and(RuleAnswer(pair.1)) else { continue }
                Issue.record("\(pair)")
            }
        }
    }
}
