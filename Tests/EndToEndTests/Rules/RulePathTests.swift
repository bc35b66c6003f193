import DevelopmentIdentity
import Testing

/// No spelling of a path bypasses its condition. Rules get the canonical path, which is also matched and forwarded.
@Suite(.sharedScenario { $0.addConditions() }) struct RulePathTests: SharedScenarioSuite {
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
        ("a/b", "/kept/a%2Fb/x", "/kept/a%2Fb/x"), ("a/b", "/kept/a%2fb/x", "/kept/a%2Fb/x"),
        ("a", "/kept/a%2Fb/x", "403"),
        ("a", "/kept/a/b", "/kept/a/b"), ("a/b", "/kept/a/b", "403"), ("b", "/kept/a%2F..%2Fb", "400"),
        ("ada", "/empty/ada//x", "/empty/ada//x"), ("ada", "/empty//ada", "404"), ("bob", "/empty/ada//bob", "403"),
        ("bob", "/empty//ada/bob", "404"), ("ada", "//empty/ada", "404"),
        ("ada", "/CASE/ada", "/CASE/ada"), ("ada", "/case/Ada", "403"), ("Ada", "/cAsE/Ada", "/cAsE/Ada"),
        ("ada", "/stripped/users/ada", "/ada"), ("bob", "/stripped/users/ada", "403"),
    ])
    func `B-01 B-02 B-04: a condition applies to the path that is forwarded`(
        _ uid: String, _ target: String, _ outcome: String
    ) throws {
        let response = try scenario.send(.bearer(scenario.token(.named(uid)), target))
        #expect(EchoReport(response)?.path ?? "\(response.status)" == outcome)
    }
}
