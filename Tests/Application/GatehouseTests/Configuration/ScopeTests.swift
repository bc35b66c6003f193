import GatewayConfiguration
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import Gatehouse

@Suite struct ScopeTests {
    static let broken: [BrokenConfiguration] = [
        .route("path: /\nscopes: read", "6:13 routes[].scopes is not a list"),
        .route("path: /\nscopes: [read write]", "6:14 routes[].scopes[] is 'read write', not a scope; write one scope"),
        .route("path: /\nscopes: ['a\"b']", "6:14 not a scope"),
        .route("path: /\nscopes: ['a\\b']", "6:14 not a scope"),
        .route("path: /\nscopes: [caf\u{e9}]", "6:14 not a scope"), .route("path: /\nscopes: ['']", "6:14 is empty"),
        .route("path: /\nscopes: [read, read]", "6:20 has an entry twice"),
        .route("path: /\nscopes: [\(String(repeating: "a", count: 129))]", "6:14 is longer than 128 bytes"),
        .route(
            "path: /\nscopes: [\((0...32).map { "s\($0)" }.joined(separator: ", "))]",
            "6:13 routes[].scopes has more than 32 scopes"),
        .route("path: /\nauth: none\nscopes: [read]", "7:5 scopes can never apply on a route with auth: none"),
        .route("path: /\nauth: optional\nscopes: [read]", "7:5 scopes does not hold for the anonymous"),
    ]

    @Test(arguments: broken) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: [("['read:user', '!#[]~']", ["read:user", "!#[]~"])])
    func becomesTheRoutesPolicy(_ yaml: String, _ expected: [String]) throws {
        let route = try ConfigurationTesting.load(
            BrokenConfiguration.beforeRoute + "    path: /\n    scopes: \(yaml)\n"
        )
        .routes[0]
        #expect(route.scopes == expected && RoutePolicy(route).scopes == expected)
        #expect(RoutePolicy(route).asksOfUsers == !expected.isEmpty)
    }
}
