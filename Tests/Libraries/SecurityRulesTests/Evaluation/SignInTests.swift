import Testing

@testable import SecurityRules

@Suite struct SignInTests {
    private static let now: Int64 = 1_767_225_600

    private func request(_ age: Int64?, _ record: SignInRecord = .read(nil), factor: Bool = false) -> TestRequest {
        var request = TestRequest("GET", "/", auth: auth())
        request.signIn = RuleSignIn(
            authTime: age.map { Self.now - $0 }, record: record, hasSecondFactor: factor, clockSkew: 5)
        return request
    }

    private static let fiveMinutes = "recentSignIn(duration.value(5, 'm'))"
    private static let oneMinute = "recentSignIn(duration.value(1, 'm'))"
    private static let recent300 = RuleVerdict.needsRecentSignIn(maxAge: 300, rule: 0)

    @Test(arguments: [(0, true), (300, true), (301, false), (-5, true), (-6, false)])
    func `a sign-in is recent within the duration`(age: Int64, isRecent: Bool) throws {
        #expect(try request(age).verdict(Self.fiveMinutes) == (isRecent ? .isTrue : Self.recent300))
    }

    @Test func `without a time no sign-in is recent`() throws {
        #expect(try request(nil).verdict(Self.fiveMinutes) == Self.recent300)
    }

    @Test func `fractions of a second are ignored`() throws {
        let condition = "recentSignIn(duration.value(5999, 'ms'))"
        #expect(try request(5).verdict(condition) == .isTrue)
        #expect(try request(6).verdict(condition) == .needsRecentSignIn(maxAge: 5, rule: 0))
    }

    @Test func `no sign-in is recent within a negative duration`() throws {
        #expect(try request(0).verdict("recentSignIn(duration.value(-1, 's'))") == .isFalse)
    }

    @Test(arguments: [Int64.min, .max])
    func `times out of range are not recent`(time: Int64) throws {
        var request = request(0)
        request.signIn.authTime = time
        request.signIn.record = .read(time)
        request.signIn.clockSkew = .max
        let verdict = try request.verdict(Self.fiveMinutes)
        #expect(verdict == Self.recent300 || time == .max && verdict.isAllowed)
    }

    @Test func `the sign-in record is used if the credential is not sufficient`() throws {
        let recorded = Self.now - 10
        #expect(
            try request(1000, .read(recorded)).verdict(Self.fiveMinutes) == .allowed(rule: 0, signedInAt: recorded))
        #expect(try request(10, .read(recorded)).verdict(Self.fiveMinutes) == .isTrue)
        #expect(try request(1000, .read(Self.now - 400)).verdict(Self.fiveMinutes) == Self.recent300)
    }

    @Test(arguments: [SignInRecord.notRead, .unavailable])
    func `the sign-in record is not needed if the credential is sufficient`(record: SignInRecord) throws {
        #expect(try request(10, record).verdict(Self.fiveMinutes) == .isTrue)
    }

    @Test(arguments: [(SignInRecord.notRead, RuleVerdict.needsSignInRecord), (.unavailable, .signInRecordUnavailable)])
    func `a missing sign-in record decides only if nothing else does`(record: SignInRecord, verdict: RuleVerdict) throws
    {
        let request = request(1000, record)
        #expect(try request.verdict(Self.fiveMinutes) == verdict)
        #expect(try request.verdict("\(Self.fiveMinutes) || true") == .isTrue)
        #expect(try request.verdict("\(Self.fiveMinutes) && false") == .isFalse)
        #expect(try request.verdict("\(Self.fiveMinutes) || false") == verdict)
        #expect(try request.verdict("auth.token.missing || \(Self.fiveMinutes)") == verdict)
        #expect(try request.verdict("!\(Self.fiveMinutes)") == verdict)
        let file = "match /{x=**} { allow read: if \(Self.fiveMinutes); allow list: if auth.uid == 'bob'; }"
        #expect(try request.verdict(file: file) == verdict)
    }

    @Test func `a rule that is true needs no sign-in record`() throws {
        let file = "match /{x=**} { allow read: if \(Self.fiveMinutes); allow list: if auth.uid == 'ada'; }"
        #expect(try request(1000, .notRead).verdict(file: file) == .allowed(rule: 1, signedInAt: nil))
    }

    @Test func `a request without a user has no sign-in`() throws {
        var request = TestRequest("GET", "/")
        request.signIn = RuleSignIn(authTime: Self.now, record: .notRead, hasSecondFactor: true)
        #expect(try request.verdict(Self.fiveMinutes) == .isFalse)
        #expect(try request.verdict("secondFactor()") == .isFalse)
        #expect(try request.verdict("!recentSignIn(duration.value(1, 's'))") == .isTrue)
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
    func `a step-up is the verdict if it would be sufficient`(condition: String, verdict: RuleVerdict) throws {
        #expect(try request(1000).verdict(condition) == verdict)
    }

    @Test func `the verdict names the rule that a step-up satisfies`() throws {
        let file = """
            match /{x=**} {
              allow read: if auth.uid == 'bob';
              allow read: if \(Self.oneMinute);
              allow read: if \(Self.fiveMinutes);
            }
            """
        #expect(try request(1000).verdict(file: file) == .needsRecentSignIn(maxAge: 300, rule: 2))
    }

    @Test func `as many durations are tried as the limit allows`() throws {
        let chain = (1...20).reversed().map { "recentSignIn(duration.value(\($0), 'm'))" }.joined(separator: " && ")
        // Durations of 20 to 13 minutes are tried and are not sufficient. A sign-in at this moment would be.
        #expect(try request(10_000).verdict(chain) == .needsRecentSignIn(maxAge: 0, rule: 0))
    }

    @Test func `the sign-in record is needed before a second factor`() throws {
        let condition = "secondFactor() && \(Self.fiveMinutes)"
        #expect(try request(1000, .notRead).verdict(condition) == .needsSignInRecord)
        #expect(try request(1000, .read(Self.now)).verdict(condition) == .needsSecondFactor(rule: 0))
    }

    @Test func `a step-up has its own limits`() throws {
        let calls = Array(repeating: "f()", count: 300).joined(separator: " && ")
        let ruleset = try Ruleset.file(
            "function f() { return true; } match /{x=**} { allow read: if \(calls) && \(Self.fiveMinutes); }")
        #expect(request(1000).verdict(ruleset) == Self.recent300)
    }

    @Test func `the need for a sign-in record is known at load`() throws {
        #expect(try Ruleset.condition(Self.fiveMinutes).needsSignInRecord)
        #expect(try !Ruleset.condition("secondFactor() && auth.uid == 'ada'").needsSignInRecord)
    }
}
