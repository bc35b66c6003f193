import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The JavaScript of the page of client code, with its link and its routes, in a real browser.
@Suite(
    .serialized,
    .enabled(
        if: ChromeDriver.program != nil,
        "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
    ))
struct ClientCodeBrowserTests {
    @Test func `the code signs in, reports a refusal, and signs out`() async throws {
        try await ClientCodeVisit.run { visit in
            #expect(try await visit.outcome() == "done: undefined", "a page without a flow before it")
            #expect(try visit.account() == nil)
            try await visit.signIn(as: "ada")
            let account = try #require(try visit.account())
            #expect(account["providers"] == ["google.com"] && account["email"] == "ada@example.com")
            try visit.browser.click("a")
            try await visit.choose("#refuse", at: .identity(.google))
            #expect(try await visit.outcome() == "failed: cancelled")
            #expect(try visit.browser.evaluate("return location.search") as String == "")
            try visit.perform("await signOut()")
            #expect(try await visit.outcome() == "done: ")
            #expect(try visit.account() == nil)
        }
    }

    @Test func `a call that requires a recent sign-in is repeated once after it`() async throws {
        try await ClientCodeVisit.run { visit in
            let line = try visit.line(calling: "payout")
            try await visit.startOldSession()
            try visit.perform(line)
            try await visit.choose("#as-grace", at: .identity(.google))
            let refusal = try await visit.outcome()
            #expect(refusal == "failed: auth/invalid-credential", "a user outside the hosted domain: \(refusal)")
            try visit.perform(line)
            try await visit.choose("#as-ada", at: .identity(.google))
            let uid = try #require(try visit.account()?["uid"]?.stringValue)
            let answer = try await visit.outcome()
            #expect(answer.hasPrefix("done: {") && answer.contains(uid), "\(answer)")
            #expect(visit.payouts == 1)
            try await visit.open()
            #expect(try await visit.outcome() == "done: undefined")
            #expect(visit.payouts == 1, "a reload repeats no call")
            try visit.perform(line)
            #expect(try await visit.outcome().hasPrefix("done: {"))
            #expect(visit.payouts == 2, "the sign-in is recent now")
        }
    }

    @Test func `the code links a provider after a recent sign-in`() async throws {
        try await ClientCodeVisit.run { visit in
            try await visit.startOldSession()
            try visit.perform(try visit.line(calling: "linkGitHub"))
            try await visit.choose("#as-ada", at: .identity(.google))
            try await visit.choose("#as-linus", at: .gitHub)
            #expect(try await visit.outcome() == "done: undefined")
            #expect(try visit.account()?["providers"] == ["github.com", "google.com"])
        }
    }

    @Test func `the code deletes the account after a recent sign-in`() async throws {
        try await ClientCodeVisit.run { visit in
            try await visit.startOldSession()
            let uid = try #require(try visit.account()?["uid"]?.stringValue)
            try visit.perform(try visit.line(calling: "deleteAccount"))
            try await visit.choose("#as-ada", at: .identity(.google))
            #expect(try await visit.outcome() == "done: ")
            #expect(try visit.account() == nil)
            #expect(try visit.browser.cookies().allSatisfy { $0.name != "__session" })
            let account = try visit.scenario.admin("GET", "/v1/accounts/\(uid)").json
            #expect(account?["deleted_at"] != .null && account?["links"] == [])
        }
    }
}

/// A page of the application with the client code, at the origin of the gateway.
private struct ClientCodeVisit {
    let scenario: Scenario
    let browser: Browser
    private let home: String
    /// The lines that make the calls of a page.
    private let lines: [String]

    static func run(_ body: (ClientCodeVisit) async throws -> Void) async throws {
        let blocks = try MarkdownPage("docs/guides/client-code.md").blocks
        let scripts = blocks.filter { $0.language == "js" }
        try #require(scripts.count == 2, "the client, and its calls")
        let link = try #require(blocks.first { $0.language == "html" })
        let yaml = try #require(blocks.first { $0.language == "yaml" })
        let routes = yaml.text.matches(of: /(?m)^  - { (path: .+) }$/).map { String($0.1) }
        try #require(routes.count == 2)
        let server = try PageServer(page: page(link: link.text, script: scripts[0].text))
        let port = try Ports.free()
        let origin = "http://127.0.0.1:\(port)"
        try await Scenario.run(arrange: { provider, echo, configuration in
            configuration.offerFlows(provider, origin: origin)
            configuration["listen"] = "[{ address: '127.0.0.1:\(port)' }]"
            configuration["upstreams"] =
                "{ api: { servers: ['\(echo.url)'] }, page: { servers: ['\(server.origin)'] } }"
            configuration.routes = routes + ["path: /home, auth: none, upstream: page"]
        }) { scenario in
            let visit = ClientCodeVisit(
                scenario: scenario, browser: try Browser(try await ChromeDriver()), home: "\(origin)/home",
                lines: scripts[1].text.split(separator: "\n").map(String.init))
            try await visit.open()
            try await body(visit)
            let complaints = try visit.browser.complaints()
            #expect(complaints.isEmpty, "\(complaints)")
        }
        withExtendedLifetime(server) {}
    }

    /// A page with the link and the client. It stores the outcome of `resume` as text.
    private static func page(link: String, script: String) -> String {
        """
        <!doctype html>
        <meta charset="utf-8">
        <title>An app</title>
        <link rel="icon" href="data:,">
        \(link)
        <script type="module">
        \(script)
        window.client = { perform, resume, signOut }
        window.settle = (call) => {
          window.outcome = null
          call.then((value) => { outcome = `done: ${value}` }, (error) => { outcome = `failed: ${error.code}` })
        }
        settle(resume())
        </script>
        """
    }

    func open() async throws {
        try browser.open(home)
        _ = try await outcome()
    }

    /// Signs in by the link of the page.
    func signIn(as user: String) async throws {
        try browser.click("a")
        try await choose("#as-\(user)", at: .identity(.google))
        #expect(try await outcome() == "done: undefined")
    }

    /// Starts a session of Ada without a recent sign-in: its token has no nonce of the gateway.
    func startOldSession() async throws {
        let token = try AccountApp(scenario).idToken(.google, of: .ada, nil)
        let body: JSON = ["provider": "google.com", "id_token": .string(token)]
        let status: Int = try browser.evaluate(
            """
            const request = new XMLHttpRequest();
            request.open("POST", "/.gatehouse/sign-in", false);
            request.setRequestHeader("Content-Type", "application/json");
            request.send(arguments[0]);
            return request.status;
            """, body.text)
        try #require(status == 200)
    }

    /// Returns the line of the page that makes a call.
    func line(calling name: String) throws -> String {
        try #require(lines.first { $0.contains("\"\(name)\"") })
    }

    /// Runs an expression of the page's code.
    func perform(_ line: String) throws {
        let _: Bool = try browser.evaluate(
            "const { perform, resume, signOut } = client; settle((async () => (\(line)))()); return true")
    }

    /// Chooses a user at a provider, or refuses.
    func choose(_ selector: String, at server: AuthorizationServer) async throws {
        let url = scenario.provider.url(.authorization(server))
        _ = try await eventually("the page of the provider") {
            let isThere =
                try? browser.evaluate(
                    "return location.href.startsWith(arguments[0]) && !!document.querySelector(arguments[1])", url,
                    selector) as Bool
            return isThere == true ? true : nil
        }
        try browser.click(selector)
    }

    /// The outcome of the latest call, or of `resume` after a flow.
    func outcome() async throws -> String {
        try await eventually("an outcome at the page") {
            try? browser.evaluate("return location.pathname === '/home' && window.outcome || null") as String?
        }
    }

    /// The profile of the browser's session. `nil` without a session.
    func account() throws -> JSON? {
        let text: String? = try browser.evaluate(
            """
            const request = new XMLHttpRequest();
            request.open("GET", "/.gatehouse/account", false);
            request.send();
            return request.status === 200 ? request.responseText : null;
            """)
        return text.flatMap { JSON(parsing: Array($0.utf8)) }
    }

    /// The number of payouts that the service received.
    var payouts: Int {
        scenario.echo.received.filter { $0.method == "POST" && $0.target == "/v1/payouts" }.count
    }
}
