import Gatehouse
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// Expressions in the configuration that cannot be asked.
@Suite struct BrokenRulesTests {
    static let cases: [BrokenConfiguration] = [
        .route("path: /\nallow: auth.uid == uid", "6:12 routes[].allow at character 13: "),
        .route("path: /{uid}\nallow: auth.uid === uid", "6:12 routes[].allow at character 10: "),
        .route("path: /{uid}\nallow: \"auth.uid == uid &&\"", "6:12 routes[].allow at character 19: "),
        .route("path: /{uid}\nallow: auth.uid", "6:12 routes[].allow at character 1: "),
        .route("path: /{uid}\nallow: 7", "6:12 routes[].allow at character 1: "),
        .route(
            "path: /{uid}\nallow: |\n  auth.uid == uid\n    && nobody", "6:12 routes[].allow at line 2, character 6: "),
        .route("path: /{uid}\nallow: >\n  auth.uid == uid\n  && nobody", "6:12 routes[].allow at character 20: "),
        .route(
            "path: /{uid}\nallow: nobody && nothing", "6:12 routes[].allow at character 1: ",
            "6:12 routes[].allow at character 11: "),
        .route("path: /{uid}\nallow: exists(/a)", "6:12 routes[].allow at character 1: "),
        .route("path: /{uid}\nallow: ''", "6:12 routes[].allow is empty; write a value, or remove it"),
        .route("path: /{uid}\nallow: '  '", "6:12 routes[].allow is empty"),
        .route("path: /{uid}\nallow: [auth.uid]", "6:12 routes[].allow is not an expression"),
        .route("path: /{uid}\nallow: {}", "6:12 routes[].allow is an empty mapping"),
        .route(
            "path: /{uid}\nallow: auth.uid == '${HOME:-x}'",
            "6:12 routes[].allow is an expression with ${...} in it; write the value itself"),
        .route(
            "path: /{uid}\nallow: uid == '\(String(repeating: "a", count: 8_192))'",
            "6:12 routes[].allow is longer than 8192 bytes; shorten it, or move it to a rules file"),
        .route(
            "path: /{uid}\nauth: none\nallow: auth.uid == uid", "7:5 allow can never apply on a route with auth: none"),
        .section("rules: [a.rules]", "1:8 rules is not a text"),
        .section("rules: true", "1:8 rules is 'true', not a text"),
        extra("X-Role: role", "3:13 headers.extra.X-Role at character 1: no such value; begin with token"),
        extra("X-Role: token.", "3:13 headers.extra.X-Role at character 7: a name of letters"),
        extra("X-Role: token.role ==", "3:13 headers.extra.X-Role at character 14: "),
        extra("X-Role: token.a == 1 && nobody", "3:13 headers.extra.X-Role at character 17: "),
        extra("X-Role: request.method + ''", "3:13 headers.extra.X-Role at character 1: "),
        extra("X-Role: \"recentSignIn(duration.value(5, 'm'))\"", "3:13 headers.extra.X-Role at character 1: "),
        extra("X-Role: ''", "3:13 headers.extra.X-Role is empty"),
        extra("X-Role: []", "3:13 headers.extra.X-Role is an empty list"),
        extra("X-Role: token.a + '${HOME:-x}'", "3:13 headers.extra.X-Role is an expression with ${...} in it"),
    ]

    private static func extra(_ line: String, _ expected: String) -> BrokenConfiguration {
        .section("headers:\n  extra:\n    \(line)", expected)
    }

    @Test(arguments: cases) func isReportedWithLineAndCharacter(_ broken: BrokenConfiguration) {
        broken.check()
    }

    @Test(arguments: [
        "auth.uid == uid", "'auth.uid == uid'", "true", "|\n      auth.uid == uid\n        && auth.token.admin == true",
        "auth.uid == uid && rest == /a/b", "request.auth != null",
    ])
    func aConditionIsKeptAsItIsWritten(_ text: String) throws {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /v1/{uid}/{rest=**}\n    allow: \(text)\n"
        let route = try ConfigurationTesting.load(yaml).routes[0]
        let allow = try #require(route.allow)
        #expect(allow.location.line == 6 && allow.label == "gatehouse.yaml:6")
        #expect(text.contains(allow.text.prefix(4)))
    }

    @Test func whereThePatternIsNoneOnlyThatIsTold() throws {
        let yaml = BrokenConfiguration.beforeRoute + "    path: /v1/{uid\n    allow: auth.uid == uid\n"
        let configuration = try ConfigurationTesting.load(yaml)
        let error = #expect(throws: ConfigurationErrors.self) { try Snapshot(configuration) }
        #expect(error?.errors.map(\.location.line) == [5])
    }

    @Test(arguments: [
        ("token.plan in ['pro']", true), ("token.roles[0]", true), ("auth.uid", true), ("'a'", true),
        ("token.role", false), ("uid", false), ("token[\"a b\"]", false),
    ])
    func extraFieldsAreClaimsOrExpressions(_ text: String, _ isExpression: Bool) throws {
        let yaml = "headers: { extra: { X-Role: \"\(text.replacing("\"", with: "\\\""))\" } }"
        let extra = try ConfigurationTesting.load(section: yaml).headers.extra[0]
        switch extra.source {
        case .claim(let path): #expect(!isExpression && path.description == text)
        case .expression(let expression): #expect(isExpression && expression.text == text)
        }
    }
}
