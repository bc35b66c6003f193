import Testing

@testable import SecurityRules

@Suite struct SignInTests {
    private static let now: Int64 = 1_767_225_600

    private func asked(_ age: Int64?, _ record: SignInRecord = .read(nil), factor: Bool = false) -> Asked {
        var asked = Asked("GET", "/", auth: auth())
        asked.signIn = RuleSignIn(
            authTime: age.map { Self.now - $0 }, record: record, hasSecondFactor: factor, clockSkew: 5)
        return asked
    }

    private static let fiveMinutes = "recentSignIn(duration.value(5, 'm'))"
    private static let oneMinute = "recentSignIn(duration.value(1, 'm'))"
    private static let recent300 = RuleVerdict.needsRecentSignIn(maxAge: 300, rule: 0)

    @Test(arguments: [(0, true), (300, true), (301, false), (-5, true), (-6, false)])
    func aSignInIsRecentWithinTheDuration(age: Int64, isRecent: Bool) throws {
        #expect(try asked(age).verdict(Self.fiveMinutes) == (isRecent ? .isTrue : Self.recent300))
    }

    @Test func withoutATimeNoSignInIsRecent() throws {
        #expect(try asked(nil).verdict(Self.fiveMinutes) == Self.recent300)
    }

    @Test func fractionsOfASecondAreLeftOut() throws {
        let condition = "recentSignIn(duration.value(5999, 'ms'))"
        #expect(try asked(5).verdict(condition) == .isTrue)
        #expect(try asked(6).verdict(condition) == .needsRecentSignIn(maxAge: 5, rule: 0))
    }

    @Test func aNegativeDurationIsNeverLongEnough() throws {
        #expect(try asked(0).verdict("recentSignIn(duration.value(-1, 's'))") == .isFalse)
    }

    @Test(arguments: [Int64.min, .max])
    func timesBeyondAllBoundsAreNotRecent(time: Int64) throws {
        var asked = asked(0)
        asked.signIn.authTime = time
        asked.signIn.record = .read(time)
        asked.signIn.clockSkew = .max
        let verdict = try asked.verdict(Self.fiveMinutes)
        #expect(verdict == Self.recent300 || time == .max && verdict.isAllowed)
    }

    @Test func theRecordCountsWhereTheCredentialDoesNotSuffice() throws {
        let recorded = Self.now - 10
        #expect(
            try asked(1000, .read(recorded)).verdict(Self.fiveMinutes) == .allowed(rule: 0, signedInAt: recorded))
        #expect(try asked(10, .read(recorded)).verdict(Self.fiveMinutes) == .isTrue)
        #expect(try asked(1000, .read(Self.now - 400)).verdict(Self.fiveMinutes) == Self.recent300)
    }

    @Test(arguments: [SignInRecord.notRead, .unavailable])
    func theRecordIsNotMissedWhereTheCredentialSuffices(record: SignInRecord) throws {
        #expect(try asked(10, record).verdict(Self.fiveMinutes) == .isTrue)
    }

    @Test(arguments: [(SignInRecord.notRead, RuleVerdict.needsSignInRecord), (.unavailable, .signInRecordUnavailable)])
    func aRecordThatIsMissingDecidesOnlyWhereNothingElseDoes(record: SignInRecord, verdict: RuleVerdict) throws {
        let asked = asked(1000, record)
        #expect(try asked.verdict(Self.fiveMinutes) == verdict)
        #expect(try asked.verdict("\(Self.fiveMinutes) || true") == .isTrue)
        #expect(try asked.verdict("\(Self.fiveMinutes) && false") == .isFalse)
        #expect(try asked.verdict("\(Self.fiveMinutes) || false") == verdict)
        #expect(try asked.verdict("auth.token.missing || \(Self.fiveMinutes)") == verdict)
        #expect(try asked.verdict("!\(Self.fiveMinutes)") == verdict)
        let file = "match /{x=**} { allow read: if \(Self.fiveMinutes); allow list: if auth.uid == 'bob'; }"
        #expect(try asked.verdict(file: file) == verdict)
    }

    @Test func aRuleThatIsTrueNeedsNoRecord() throws {
        let file = "match /{x=**} { allow read: if \(Self.fiveMinutes); allow list: if auth.uid == 'ada'; }"
        #expect(try asked(1000, .notRead).verdict(file: file) == .allowed(rule: 1, signedInAt: nil))
    }

    @Test func nobodySignedInHasNoSignIn() throws {
        var asked = Asked("GET", "/")
        asked.signIn = RuleSignIn(authTime: Self.now, record: .notRead, hasSecondFactor: true)
        #expect(try asked.verdict(Self.fiveMinutes) == .isFalse)
        #expect(try asked.verdict("secondFactor()") == .isFalse)
        #expect(try asked.verdict("!recentSignIn(duration.value(1, 's'))") == .isTrue)
    }

    @Test(arguments: [
        ("auth.uid == 'bob' && \(fiveMinutes)", RuleVerdict.isFalse),
        ("\(fiveMinutes) && auth.uid == 'bob'", .isFalse),
        ("\(fiveMinutes) && auth.uid == 'ada'", recent300),
        ("\(fiveMinutes) && \(oneMinute)", .needsRecentSignIn(maxAge: 60, rule: 0)),
        ("\(oneMinute) && \(fiveMinutes)", .needsRecentSignIn(maxAge: 60, rule: 0)),
        ("\(fiveMinutes) || \(oneMinute)", recent300),
        ("!(\(oneMinute)) && \(fiveMinutes)", .isFalse),
        ("\(fiveMinutes) && auth.token.missing", .isFalse),
        ("secondFactor()", .needsSecondFactor(rule: 0)),
        ("secondFactor() && auth.uid == 'bob'", .isFalse),
        ("secondFactor() && \(fiveMinutes)", recent300), ("\(fiveMinutes) && secondFactor()", recent300),
        ("\(fiveMinutes) || secondFactor()", recent300),
        ("\(fiveMinutes) && auth.uid == 'bob' || secondFactor()", .needsSecondFactor(rule: 0)),
    ])
    func aStepUpIsToldWhereItWouldSuffice(condition: String, verdict: RuleVerdict) throws {
        #expect(try asked(1000).verdict(condition) == verdict)
    }

    @Test func theRuleThatAStepUpSatisfiesIsTold() throws {
        let file = """
            match /{x=**} {
              allow read: if auth.uid == 'bob';
              allow read: if \(Self.oneMinute);
              allow read: if \(Self.fiveMinutes);
            }
            """
        #expect(try asked(1000).verdict(file: file) == .needsRecentSignIn(maxAge: 300, rule: 2))
    }

    @Test func ofManyDurationsAsManyAreTriedAsTheLimitSays() throws {
        let chain = (1...20).reversed().map { "recentSignIn(duration.value(\($0), 'm'))" }.joined(separator: " && ")
        // Twenty to thirteen minutes are tried; none suffices, a sign-in just now would.
        #expect(try asked(10_000).verdict(chain) == .needsRecentSignIn(maxAge: 0, rule: 0))
    }

    @Test func whatTheStoreMaySayComesBeforeWhatAFactorLacks() throws {
        let condition = "secondFactor() && \(Self.fiveMinutes)"
        #expect(try asked(1000, .notRead).verdict(condition) == .needsSignInRecord)
        #expect(try asked(1000, .read(Self.now)).verdict(condition) == .needsSecondFactor(rule: 0))
    }

    @Test func aStepUpHasLimitsOfItsOwn() throws {
        let calls = Array(repeating: "f()", count: 300).joined(separator: " && ")
        let ruleset = try Ruleset.file(
            "function f() { return true; } match /{x=**} { allow read: if \(calls) && \(Self.fiveMinutes); }")
        #expect(asked(1000).verdict(ruleset) == Self.recent300)
    }

    @Test func whatNeedsTheStoreIsKnownAtLoad() throws {
        #expect(try Ruleset.condition(Self.fiveMinutes).needsSignInRecord)
        #expect(try !Ruleset.condition("secondFactor() && auth.uid == 'ada'").needsSignInRecord)
    }
}
