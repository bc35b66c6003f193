import DevelopmentIdentity
import Testing

@testable import SystemFixtures

// Part of the suite of the console, because its browsers run one at a time.
extension ConsoleBrowserTests {
    /// The page of the rules.
    @Suite struct ConsoleRulesBrowserTests {
        private static let rules = """
            rules_version = '2';
            service gatehouse.http {
              // \(ConsoleBrowserTests.attack)
              match /me/{rest=**} {
                allow read: if request.auth.uid == 'ada' || request.auth.uid == '<img src=x onerror=attacked=1>';
                allow write: if false;
              }
            }

            """

        private static func arrange(_ configuration: inout GatewayConfiguration) {
            configuration["rules"] = "api.rules"
            configuration.files["api.rules"] = rules
        }

        @Test func `the rules are marked with their results in words, and their text stays text`() async throws {
            try await ConsoleBrowserTests.visit(arrange: Self.arrange) { visit in
                let tokens = (try visit.scenario.token(), try visit.scenario.token(.grace))
                #expect(try visit.scenario.send(.bearer(tokens.0, "/me/x")).status == 200)
                #expect(try visit.scenario.send(.bearer(tokens.1, "/me/x")).status == 403)
                try visit.open("#rules")
                try await visit.signIn(ConsoleVisit.viewerToken)
                try await visit.wait(for: "#view table")
                let rows: [String] = try visit.browser.evaluate(
                    "return [...document.querySelectorAll('#view tbody tr')].map((row) => row.textContent)")
                #expect(rows.contains("3  // \(ConsoleBrowserTests.attack)"))
                let condition = "request.auth.uid == 'ada' || request.auth.uid == '<img src=x onerror=attacked=1>'"
                #expect(rows.contains("5    allow read: if \(condition);one result missing"))
                #expect(rows.contains("6    allow write: if false;never decided"))
                #expect(rows.contains { $0.hasPrefix("5:20") && $0.hasSuffix("110all results") })
                let marked: String = try visit.browser.evaluate(
                    "return document.querySelector('#view .seen-full').textContent")
                #expect(marked == condition)
                try visit.expectAccessible("rules")
            }
        }
    }
}
