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
                #expect(try visit.buttons().isEmpty)
                #expect(try self.status(of: visit) == 403)
            }
        }

        /// The status of an evaluation that a page of the session sends.
        private func status(of visit: ConsoleVisit, token: String = "session.csrf_token") throws -> Int {
            try visit.browser.evaluate(
                """
                const request = new XMLHttpRequest();
                request.open("GET", "session", false);
                request.send();
                const session = JSON.parse(request.responseText);
                request.open("POST", "api/v1/rules/evaluate", false);
                request.setRequestHeader("X-CSRF-Token", \(token));
                request.send("{}");
                return request.status;
                """)
        }

        private func fill(_ name: String, _ value: String, _ visit: ConsoleVisit) throws {
            let script = "document.getElementById(arguments[0]).value = arguments[1]"
            let _: Bool? = try visit.browser.evaluate(script, "field-\(name)", value)
        }

        @Test func `an operator evaluates the active rules and edited ones, and hostile input stays text`() async throws
        {
            try await ConsoleBrowserTests.visit(arrange: Self.arrange) { visit in
                try visit.open("#rules")
                try await visit.signIn(name: "Grace")
                try await visit.wait(for: "#field-path")
                #expect(try status(of: visit) == 200)
                #expect(try status(of: visit, token: "'wrong'") == 403)
                try fill("path", "/me/x", visit)
                try await visit.press("Evaluate", confirming: false)
                try await visit.wait(for: "allow", in: "#evaluation h3 .badge")
                #expect(try visit.browser.evaluate("return document.activeElement.tagName") as String == "H3")
                try visit.expectAccessible("playground")

                let hostile = "<img src=x onerror=attacked=1>"
                try fill("auth", #"{"uid":"\#(hostile)"}"#, visit)
                try fill("headers", "x-a: \(hostile)", visit)
                try visit.browser.choose("edited", in: "#field-source")
                try fill(
                    "rules",
                    "rules_version = '2'; service gatehouse.http { match /me/{x} { allow read: if "
                        + "request.headers['x-a'] == auth.uid && auth.uid == '\(hostile)' && x == 'y'; } }", visit)
                try await visit.press("Evaluate", confirming: false)
                try await visit.wait(for: "deny", in: "#evaluation h3 .badge")
                let shown = try visit.browser.text("#evaluation")
                #expect(shown.contains("auth.uid == '\(hostile)'") && shown.contains("x == 'y'"))
                try fill("rules", hostile, visit)
                try await visit.press("Evaluate", confirming: false)
                try await eventually("the errors of the rules") {
                    try visit.browser.text("#error").contains("api.rules:1:1") ? true : nil
                }
                try fill("auth", "{", visit)
                try await visit.press("Evaluate", confirming: false)
                try await visit.wait(
                    for: "The auth variable is not JSON.", in: "#error")
                try await visit.scenario.gateway.untilLogged("event=evaluate_rules operator=Grace")
            }
        }

        @Test func `after a reload, the requests that it decides differently are shown`() async throws {
            var first: GatewayConfiguration?
            try await ConsoleBrowserTests.visit(arrange: { configuration in
                configuration["reload"] = "{ watch: null }"
                first = configuration
            }) { visit in
                var next = try #require(first)
                #expect(try visit.scenario.send(.bearer(visit.scenario.token(), "/me/x")).status == 200)
                try visit.open("#configuration")
                try await visit.signIn()
                try await visit.wait(for: "#view table")
                next.routes.removeAll { $0.hasPrefix("path: /me/") }
                next.routes.append("path: /me/**, allow: auth.uid == '<img src=x onerror=attacked=1>', upstream: api")
                try visit.scenario.gateway.rewrite(next.text)
                try await visit.press("Reload")
                try await visit.wait(for: "The configuration was read again and is active.", in: "#status")
                let rows: [String] = try visit.browser.evaluate(
                    "return [...document.querySelectorAll('#view tbody tr')].map((row) => row.textContent)")
                #expect(rows.contains("GET/me/** ok/me/** auth/permission-denied1"))
                #expect(rows.contains { $0.contains("allow if auth.uid == '<img src=x onerror=attacked=1>'") })
                try visit.expectAccessible("configuration after a reload")
            }
        }
    }
}
