import GatewayCore
import SecurityRules
import Testing

@testable import Authorization

@Suite struct RuleAnswerTests {
    private static let denied = RuleVerdict.denied(RuleDenial(.conditionIsFalse, rule: 0))
    private static let allowed = RuleVerdict.allowed(rule: 0, signedInAt: nil)

    private static func recent(_ maxAge: Int64) -> RuleVerdict { .needsRecentSignIn(maxAge: maxAge, rule: 0) }

    @Test(
        arguments: [
            (allowed, allowed, RuleResult.passes(signedInAt: nil)),
            (allowed, .allowed(rule: 0, signedInAt: 7), .passes(signedInAt: 7)),
            (allowed, denied, .denied), (recent(60), denied, .denied), (.needsSecondFactor(rule: 0), denied, .denied),
            (.needsSignInRecord, denied, .denied), (.signInRecordUnavailable, denied, .denied),
            (recent(60), allowed, .needsRecentSignIn(maxAge: 60)),
            (recent(60), recent(30), .needsRecentSignIn(maxAge: 30)),
            (recent(60), .needsSecondFactor(rule: 0), .needsRecentSignIn(maxAge: 60)),
            (.needsSecondFactor(rule: 0), allowed, .needsSecondFactor), (.needsSignInRecord, allowed, .needsRecord),
            (recent(60), .needsSignInRecord, .needsRecord),
            (.signInRecordUnavailable, .needsSignInRecord, .needsRecord),
            (.signInRecordUnavailable, recent(60), .recordIsUnavailable),
            (.signInRecordUnavailable, allowed, .recordIsUnavailable),
        ] as [(RuleVerdict, RuleVerdict, RuleResult)])
    func `the stricter verdict applies`(_ one: RuleVerdict, _ other: RuleVerdict, _ both: RuleResult) {
        #expect(RuleResult(one).and(RuleResult(other)) == both)
        #expect(RuleResult(other).and(RuleResult(one)) == both)
    }
}
