import DevelopmentIdentity
import Foundation
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

// Part of the suite of the console, because browsers run one at a time.
extension ConsoleBrowserTests {
    /// The screenshots of the manual. They are taken only on request, after six minutes of requests for the charts:
    ///
    ///     GATEHOUSE_CONSOLE_PICTURES=/tmp/pictures script/test --filter ConsolePictureTests
    @Suite struct ConsolePictureTests {
        private static let folder = ProcessInfo.processInfo.environment["GATEHOUSE_CONSOLE_PICTURES"]

        private static let routes = [
            "path: /status, auth: none, upstream: api",
            "path: /orders/**, upstream: api",
            "path: /payments/**, revocation: strict, upstream: api",
            "path: /account/**, recent_sign_in: 5m, upstream: api",
            "path: /reports/**, second_factor: required, upstream: api",
            "path: /staff/**, upstream: api",
        ]

        private static let rules = """
            rules_version = '2';
            service gatehouse.http {
              function isStaff() {
                return auth.token.get('role', '') in ['admin', 'support'];
              }

              match /orders/{order} {
                allow read: if auth != null;
                allow write: if auth.token.email_verified || isStaff();
              }
              match /{area}/{rest=**} {
                allow read: if area in ['account', 'payments', 'reports'];
                allow create: if area == 'payments' && recentSignIn(duration.value(5, 'm'));
                allow read: if area == 'staff' && isStaff();
              }
            }

            """

        private static let showDenial = """
            [...document.querySelectorAll("#view tbody tr")]
              .find((row) => row.textContent.includes("auth/permission-denied")).querySelector("button").click();
            """

        /// Scrolls to the top, and returns the height of the parts and rows that fit into a number of pixels.
        private static let height = """
            scrollTo(0, 0);
            const ends = [...document.querySelectorAll("#view section, #view tr")]
              .map((part) => Math.ceil(part.getBoundingClientRect().bottom) + 20);
            return Math.max(...ends.filter((end) => end <= Number(arguments[0])));
            """

        @Test(
            .enabled(
                if: ChromeDriver.program != nil && folder != nil, "GATEHOUSE_CONSOLE_PICTURES has no folder to write to"
            ))
        func `each page, light and dark, at the width of a desktop and of a phone`() async throws {
            let folder = try #require(Self.folder)
            try await Fleet.withAccounts(arrange: Self.arrange) { fleet, _ in
                let account = try Account(at: fleet.first)
                try send(seconds: 360, by: account, to: fleet)
                let visit = try await ConsoleVisit(fleet.first)
                try visit.open()
                try await visit.signIn(name: "Grace")
                // The names of the pages, with their fragments and an element that a complete page has.
                for (name, fragment, element) in [
                    ("overview", "#overview", "figure path"), ("user", "#users?uid=\(account.uid)", "#user dl"),
                    ("live", "#live", "#view button"), ("configuration", "#configuration", "#view table"),
                    ("rules", "#rules", "#view table"), ("fleet", "#fleet", "#view table"),
                ] {
                    try visit.open(fragment)
                    try await visit.wait(for: element)
                    if name == "live" {
                        try await visit.press("Start", confirming: false)
                        try await visit.wait(for: "#view .hint:not(:empty)")
                        try send(seconds: 2, by: account, to: fleet)
                        let _: Bool? = try visit.browser.evaluate(Self.showDenial)
                        try await visit.wait(for: "#steps li")
                    }
                    if name == "rules" {
                        let _: Bool? = try visit.browser.evaluate(
                            "document.getElementById('field-path').value = '/orders/17'")
                        try await visit.press("Evaluate", confirming: false)
                        try await visit.wait(for: "#evaluation table")
                    }
                    for (width, size) in [(1120, ""), (360, "-phone")] {
                        for scheme in ["light", "dark"] {
                            try visit.browser.resize(width: width)
                            try visit.browser.emulate(colorScheme: scheme)
                            let suffix = size + (scheme == "dark" ? "-dark" : "")
                            let height: Int = try visit.browser.evaluate(
                                Self.height, name == "rules" ? "2200" : "1400")
                            try visit.browser.picture(height: height).write(
                                to: URL(filePath: "\(folder)/console-\(name)\(suffix).png"))
                        }
                    }
                }
            }
        }

        private static func arrange(
            _ provider: DevelopmentProvider, _ configuration: inout GatewayConfiguration
        ) throws {
            configuration["admin"] = ConsoleVisit.admin
            configuration.identify(provider, [provider.entry(.google), provider.entry(.oidc("corp"))])
            let upstream = try #require(configuration["upstreams"]?.firstMatch(of: /http:[^']*/)).output
            configuration["upstreams"] = "{ api: { servers: ['\(upstream)'], health: { path: /status } } }"
            configuration.routes = routes
            configuration["rules"] = "api.rules"
            configuration.files["api.rules"] = rules
        }

        /// An account with two linked identities and the sessions of two devices.
        private struct Account {
            let uid: String
            let session: String

            init(at gateway: Scenario) throws {
                var app = AccountApp(gateway)
                let agents = [
                    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
                    "ExampleApp/4.2 (iPhone; iOS 26.1)",
                ]
                for agent in agents {
                    app = AccountApp(gateway)
                    let proof = try app.proof(.google, of: .ada)
                    #expect(try app.call("sign-in", proof, "User-Agent: \(agent)").status == 200)
                }
                let linked = try app.call(
                    "link", app.proof(.oidc("corp"), of: .ada), "User-Agent: \(agents[agents.count - 1])")
                uid = try #require(linked.json?["uid"]?.stringValue, "\(linked.text)")
                session = try #require(app.session)
            }
        }

        /// Sends requests that are permitted and denied to all gateways in waves, at most about 150 per second.
        private func send(seconds: Int64, by account: Account, to fleet: Fleet) throws {
            let end = unixNow() + seconds
            let stale = try fleet.first.token(.grace) { $0.signedIn(at: unixNow() - 3000) }
            var tokens: [String] = []
            var count = 0
            while unixNow() < end {
                // Different tokens, because a verified one is cached.
                if count.isMultiple(of: 200) {
                    tokens = try ["ada", "grace", "alan"].map { try fleet.first.token(.named($0)) }
                }
                count += 1
                let token = tokens[count % tokens.count]
                let request: WireRequest =
                    switch count % 20 {
                    case 0: .bearer(token + "x", "/orders/\(count)")
                    case 1: .get("/orders/\(count)")
                    case 2: .bearer(stale, "/account/address")
                    case 3: .bearer(token, "/staff/orders")
                    case 4: .cookie(account.session, "/reports/\(count % 7)")
                    case 5...8: .bearer(token, "/account/profile")
                    case 9...11: .bearer(token, "/payments/\(count)")
                    case 12...14: .cookie(account.session, "/orders/\(count)")
                    default: .bearer(token, "/orders/\(count)")
                    }
                _ = try fleet.gateways[count / 20 % fleet.gateways.count].send(request)
                let wave = sin(Double(end - unixNow()) / 40) + 1.2
                Thread.sleep(forTimeInterval: 0.005 + 0.01 * wave)
            }
        }
    }
}
