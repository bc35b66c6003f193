import DevelopmentIdentity
import Testing

/// No spelling of a path leads around a condition on it: rules see the one form that is matched and forwarded.
@Suite(.sharedScenario { $0.addConditions() }) struct RulePathTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    private func user(_ uid: String) throws -> String { try scenario.token(.named(uid)) }

    /// The path that the upstream got, or the status of a refusal.
    private func outcome(_ uid: String, _ target: String) throws -> String {
        let response = try scenario.send(.bearer(user(uid), target))
        return EchoReport(response)?.path ?? "\(response.status)"
    }

    @Test(arguments: [
        ("ada", "/users/%61da/x", "/users/ada/x"), ("bob", "/users/%61da/x", "403"),
        ("a@b", "/users/a%40b", "/users/a%40b"),
        ("a@b", "/users/a@b", "/users/a@b"), ("a%40b", "/users/a%40b", "403"),
        ("bob", "/users/ada/../bob", "/users/bob"),
        ("ada", "/users/ada/../bob", "403"), ("ada", "/users/ada/%2e%2e/bob", "403"),
        ("bob", "//users//bob", "/users/bob"),
        ("ada", "//users//bob", "403"), ("ada", "/users/ada/../../users/bob/x", "403"), ("ada", "/users/ADA", "403"),
        ("ada", "/users/ada%00", "400"), ("ada", "/users/ada%2Fx", "400"), ("ada", "/users/ada;x", "403"),
        ("\u{e9}", "/users/%C3%A9", "/users/%C3%A9"), ("\u{e9}", "/users/e%CC%81", "403"),
        ("ada", "/users/ada/", "/users/ada/"),
        ("ada", "/users/ad%C0%A1", "400"), ("ada", "/users/ada%FF", "403"), ("a/b", "/users/a%2Fb", "400"),
        ("bob", "/public/../users/ada", "403"), ("bob", "/./users/./ada", "403"),
        ("ada", "/users/bob?/users/ada", "403"),
    ])
    func b01b02b04TheConditionSeesWhatIsForwarded(_ uid: String, _ target: String, _ outcome: String) throws {
        #expect(try self.outcome(uid, target) == outcome)
    }

    @Test(arguments: [
        ("a/b", "/kept/a%2Fb/x", "/kept/a%2Fb/x"), ("a/b", "/kept/a%2fb/x", "/kept/a%2Fb/x"),
        ("a", "/kept/a%2Fb/x", "403"),
        ("a", "/kept/a/b", "/kept/a/b"), ("a/b", "/kept/a/b", "403"), ("b", "/kept/a%2F..%2Fb", "400"),
    ])
    func anEncodedSlashStaysInItsSegment(_ uid: String, _ target: String, _ outcome: String) throws {
        #expect(try self.outcome(uid, target) == outcome)
    }

    @Test(arguments: [
        ("ada", "/empty/ada//x", "/empty/ada//x"), ("ada", "/empty//ada", "404"), ("bob", "/empty/ada//bob", "403"),
        ("bob", "/empty//ada/bob", "404"), ("ada", "//empty/ada", "404"),
    ])
    func emptySegmentsDoNotMoveACapture(_ uid: String, _ target: String, _ outcome: String) throws {
        #expect(try self.outcome(uid, target) == outcome)
    }

    @Test(arguments: [
        ("ada", "/CASE/ada", "/CASE/ada"), ("ada", "/case/Ada", "403"), ("Ada", "/cAsE/Ada", "/cAsE/Ada"),
    ])
    func aCaptureKeepsItsCase(_ uid: String, _ target: String, _ outcome: String) throws {
        #expect(try self.outcome(uid, target) == outcome)
    }

    @Test(arguments: [("ada", "/stripped/users/ada", "/ada"), ("bob", "/stripped/users/ada", "403")])
    func aStrippedPrefixIsSeen(_ uid: String, _ target: String, _ outcome: String) throws {
        #expect(try self.outcome(uid, target) == outcome)
    }
}
