import GatewayConfiguration
import GatewayCore
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import Gatehouse

/// Invalid expressions in the configuration.
@Suite struct BrokenRulesTests {
    static let cases: [BrokenConfiguration] = [
        .route("path: /\nallow: auth.uid == uid", "6:12 routes[].allow at character 13: "),
        allow("auth.uid === uid", "at character 10: "),
        allow("\"auth.uid == uid &&\"", "at character 19: "),
        allow("auth.uid", "at character 1: "),
        allow("7", "at character 1: "),
        allow("|\n  auth.uid == uid\n    && nobody", "at line 2, character 6: "),
        allow(">\n  auth.uid == uid\n  && nobody", "at character 20: "),
        .route(
            "path: /{uid}\nallow: nobody && nothing", "6:12 routes[].allow at character 1: ",
            "6:12 routes[].allow at character 11: "),
        allow("exists(/a)", "at character 1: "),
        allow("''", "is empty; write a value, or remove it"),
        allow("'  '", "is empty"),
        allow("[auth.uid]", "is not an expression"),
        allow("{}", "is an empty mapping"),
        allow("auth.uid == '${HOME:-x}'", "is an expression that contains ${...}; write the value"),
        .route(
            "path: /{uid}\nallow: uid == '\(String(repeating: "a", count: 8_192))'",
            "6:12 routes[].allow is longer than 8192 bytes; shorten it, or move it to a rules file"),
        .route(
            "path: /{uid}\nauth: none\nallow: auth.uid == uid", "7:5 allow can never apply on a route with auth: none"),
        .section("rules: [a.rules]", "1:8 rules is not the path of a file"),
        .section("rules: true", "1:8 rules is 'true', not a string"),
        extra(
            "X-Role: role", "3:13 headers.extra.X-Role at character 1: unknown root of a claim path; begin with token"),
        extra("X-Role: token.", "3:13 headers.extra.X-Role at character 7: a name of letters"),
        extra("X-Role: token.role ==", "3:13 headers.extra.X-Role at character 14: "),
        extra("X-Role: token.a == 1 && nobody", "3:13 headers.extra.X-Role at character 17: "),
        extra("X-Role: request.method + ''", "3:13 headers.extra.X-Role at character 1: "),
        extra("X-Role: \"recentSignIn(duration.value(5, 'm'))\"", "3:13 headers.extra.X-Role at character 1: "),
        extra("X-Role: ''", "3:13 headers.extra.X-Role is empty"),
        extra("X-Role: []", "3:13 headers.extra.X-Role is an empty list"),
        extra("X-Role: token.a + '${HOME:-x}'", "3:13 headers.extra.X-Role is an expression that contains ${...}"),
    ]

    private static func allow(_ condition: String, _ expected: String) -> BrokenConfiguration {
        .route("path: /{uid}\nallow: \(condition)", "6:12 routes[].allow \(expected)")
    }

    private static func extra(_ line: String, _ expected: String) -> BrokenConfiguration {
        .section("headers:\n  extra:\n    \(line)", expected)
    }

    @Test(arguments: cases) func `an error is reported with line and character`(_ broken: BrokenConfiguration) {
        broken.check()
    }

    @Test(arguments: [
        "auth.uid == uid", "'auth.uid == uid'", "true", "|\n      auth.uid == uid\n        && auth.token.admin == true",
        "auth.uid == uid && rest == /a/b", "request.auth != null",
    ])
    func `a condition is stored unchanged`(_ text: String) throws {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /v1/{uid}/{rest=**}\n    allow: \(text)\n"
        let route = try ConfigurationTesting.load(yaml).routes[0]
        let allow = try #require(route.allow)
        #expect(allow.location.line == 6 && allow.label == "gatehouse.yaml:6")
        #expect(text.contains(allow.text.prefix(4)))
    }

    @Test func `an invalid pattern is the only error reported`() throws {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /v1/{uid\n    allow: auth.uid == uid\n"
        let configuration = try ConfigurationTesting.load(yaml)
        let error = #expect(throws: ConfigurationErrors.self) { try Snapshot(configuration) }
        #expect(error?.errors.map(\.location.line) == [5])
    }

    @Test(arguments: [
        ("token.plan in ['pro']", true), ("token.roles[0]", true), ("auth.uid", true), ("'a'", true),
        ("token.role", false), ("uid", false), ("token[\"a b\"]", false),
    ])
    func `extra fields are claims or expressions`(_ text: String, _ isExpression: Bool) throws {
        let yaml = "headers: { extra: { X-Role: \"\(text.replacing("\"", with: "\\\""))\" } }"
        let extra = try ConfigurationTesting.load(section: yaml).headers.extra[0]
        switch extra.source {
        case .claim(let path): #expect(!isExpression && path.description == text)
        case .expression(let expression): #expect(isExpression && expression.text == text)
        }
    }
}

@Suite struct ScopeTests {
    static let broken: [BrokenConfiguration] = [
        .route("path: /\nscopes: read", "6:13 routes[].scopes is not a list"),
        .route("path: /\nscopes: [read write]", "6:14 routes[].scopes[] is 'read write', not a scope; write one scope"),
        .route("path: /\nscopes: ['a\"b']", "6:14 not a scope"),
        .route("path: /\nscopes: ['a\\b']", "6:14 not a scope"),
        .route("path: /\nscopes: [caf\u{e9}]", "6:14 not a scope"), .route("path: /\nscopes: ['']", "6:14 is empty"),
        .route("path: /\nscopes: [read, read]", "6:20 has a duplicate entry"),
        .route("path: /\nscopes: [\(String(repeating: "a", count: 129))]", "6:14 is longer than 128 bytes"),
        .route(
            "path: /\nscopes: [\((0...32).map { "s\($0)" }.joined(separator: ", "))]",
            "6:13 routes[].scopes has more than 32 scopes"),
        .route("path: /\nauth: none\nscopes: [read]", "7:5 scopes can never apply on a route with auth: none"),
        .route("path: /\nauth: optional\nscopes: [read]", "7:5 scopes does not apply to anonymous requests"),
    ]

    @Test(arguments: broken) func `an error is reported with line and column`(_ broken: BrokenConfiguration) {
        broken.check()
    }

    @Test(arguments: [("['read:user', '!#[]~']", ["read:user", "!#[]~"])])
    func `scopes are in the policy of the route`(_ yaml: String, _ expected: [String]) throws {
        let route = try ConfigurationTesting.load(
            BrokenConfiguration.beforeRoute + "    path: /\n    scopes: \(yaml)\n"
        )
        .routes[0]
        #expect(route.scopes == expected && RoutePolicy(route).scopes == expected)
        #expect(RoutePolicy(route).requiresUser == !expected.isEmpty)
    }
}
