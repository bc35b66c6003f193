import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// A gateway whose console permits Ada as operator and Edsger as viewer, at a provider of another site.
enum ConsoleSignInScenario {
    /// - Parameters:
    ///   - path: The path below which a proxy serves the listener. Empty without a proxy.
    ///   - body: Receives the address of the console in browsers.
    static func run(path: String = "", _ body: (Scenario, String) async throws -> Void) async throws {
        let port = try Ports.free()
        let url = "http://localhost:\(port)\(path)"
        let signIn =
            "{ provider: oidc.corp, public_url: '\(url)', operators: [Ada@Example.com], viewers: edsger@corp.example }"
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(provider)
            configuration["admin"] =
                "{ address: 127.0.0.1:\(port), token: \(GatewayConfiguration.adminToken), console: { sign_in: \(signIn) } }"
        }) { scenario in
            try await body(scenario, url + "/console/")
        }
    }
}

/// The sign-in to the console at a provider, without a browser's protection.
@Suite struct ConsoleSignInRunTests {
    /// A client with the cookies of one browser, behind a proxy that removes a path.
    private final class Client {
        private let scenario: Scenario
        /// The address of the console.
        private let url: String
        private var cookies: [String: String] = [:]

        init(_ scenario: Scenario, _ url: String) { (self.scenario, self.url) = (scenario, url) }

        func get(_ url: String) throws -> WireResponse {
            let base = String(self.url.dropLast("console/".count))
            let target = try #require(url.hasPrefix(base) ? "/" + url.dropFirst(base.count) : nil, "\(url)")
            let authority = self.url.dropFirst("http://".count).prefix { $0 != "/" }
            var request = WireRequest(target: target, host: String(authority))
            if !cookies.isEmpty {
                request.fields.append("Cookie: \(cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))")
            }
            let response = try RawClient.exchange(scenario.gateway.adminPort, request)
            for line in response.values("Set-Cookie") {
                let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
            }
            return response
        }

        /// Begins a sign-in and chooses a user at the provider. Returns the address of the callback.
        func begin(as user: String) throws -> String {
            let start = try get(url + "sign-in")
            try #require(start.status == 303, "\(start.text)")
            let address = try #require(start["Location"])
            #expect(address.contains("code_challenge_method=S256") && address.contains("nonce="))
            let path = try #require(address.firstMatch(of: /^http:\/\/127\.0\.0\.1:[0-9]+(\/.*)$/)).1
            let port = scenario.provider.port
            let request = WireRequest(target: "\(path)&as=\(user)", host: "127.0.0.1:\(port)")
            let choice = try RawClient.exchange(port, request)
            try #require(choice.status == 302, "\(choice.text)")
            return try #require(choice["Location"])
        }

        func session() throws -> WireResponse { try get(url + "session") }
    }

    @Test func `an operator signs in behind a path, and the audit log has the address`() async throws {
        try await ConsoleSignInScenario.run(path: "/ops/gate") { scenario, url in
            let ada = Client(scenario, url)
            let callback = try ada.begin(as: "ada")
            #expect(callback.hasPrefix(url + "callback?"))
            let end = try ada.get(callback)
            #expect(end.status == 303 && end["Location"] == "./" && end["Referrer-Policy"] == "no-referrer")
            let line = try #require(end.values("Set-Cookie").first)
            #expect(line.contains("Path=/ops/gate/console/; HttpOnly; SameSite=Strict"))
            let session = JSON(parsing: try ada.session().body)
            #expect(session?["role"] == "operator" && session?["email"] == "ada@example.com")
            try await scenario.gateway.untilLogged(
                "email=ada@example.com event=sign_in provider=oidc.corp role=operator status=303")
        }
    }

    @Test func `an operator who is disabled is signed out, and does not sign in again`() async throws {
        try await ConsoleSignInScenario.run { scenario, url in
            let ada = Client(scenario, url)
            let callback = try ada.begin(as: "ada")
            #expect(try ada.get(callback).status == 303)
            #expect(try ada.session().status == 200)
            let uid = "oidc.corp:\(DevelopmentUser.ada.subject(at: "oidc.corp"))"
            #expect(try scenario.admin("POST", "/v1/users/\(uid)/disable").status == 200)
            #expect(try ada.session().status == 401)
            #expect(try ada.get(try ada.begin(as: "ada")).status == 400)
        }
    }

    @Test func `O-01: a response counts once, and only in the browser that began`() async throws {
        try await ConsoleSignInScenario.run { scenario, url in
            let attacker = Client(scenario, url)
            let victim = Client(scenario, url)
            let callback = try attacker.begin(as: "ada")
            #expect(try victim.get(callback).status == 400, "without a binding")
            _ = try victim.begin(as: "edsger")
            #expect(try victim.get(callback).status == 400, "with another binding")
            #expect(try victim.session().status == 401)
            let state = try #require(callback.firstMatch(of: /state=([^&]+)/)).1
            let other = String(repeating: "A", count: state.count)
            #expect(try attacker.get(callback.replacing(state, with: other)).status == 400, "a made-up state")
            #expect(try attacker.get(callback).status == 303)
            #expect(try attacker.get(callback).status == 400, "a replay")
        }
    }

    @Test func `O-05: the issuer of another provider ends the sign-in`() async throws {
        try await ConsoleSignInScenario.run { scenario, url in
            let ada = Client(scenario, url)
            let callback = try ada.begin(as: "ada").replacing(/&iss=[^&]*/, with: "") + "&iss=https://evil.example"
            #expect(try ada.get(callback).status == 400)
            #expect(try ada.session().status == 401)
            try await scenario.gateway.untilLogged("event=sign_in provider=oidc.corp status=400")
        }
    }

    @Test func `O-22: a user without a verified address is refused`() async throws {
        try await ConsoleSignInScenario.run { scenario, url in
            let grace = Client(scenario, url)
            let response = try grace.get(try grace.begin(as: "grace"))
            #expect(response.status == 403 && response.text.contains("does not confirm an e-mail address"))
            #expect(try grace.session().status == 401)
        }
    }
}

/// The sign-in to the console at a provider in a real browser.
@Suite(
    .serialized,
    .enabled(
        if: ChromeDriver.program != nil,
        "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
    ))
struct ConsoleSignInBrowserTests {
    private static func visit(_ body: (ConsoleVisit, String) async throws -> Void) async throws {
        try await ConsoleSignInScenario.run { scenario, url in
            let visit = try await ConsoleVisit(scenario)
            try await body(visit, url)
            try ConsoleBrowserTests.expectNoComplaints(of: visit)
        }
    }

    /// Chooses a link of the provider's page.
    private static func choose(_ id: String, _ visit: ConsoleVisit) async throws {
        try await eventually("the provider's page") { (try? visit.browser.click("#\(id)")) == nil ? nil : true }
    }

    private static func signIn(_ visit: ConsoleVisit, _ url: String, as user: String) async throws {
        try visit.browser.open(url)
        try await visit.wait(for: "#provider")
        try visit.browser.click("#provider")
        try await choose("as-\(user)", visit)
    }

    @Test func `an operator signs in at the provider and changes a user`() async throws {
        try await Self.visit { visit, url in
            try visit.browser.open(url)
            try await visit.wait(for: "#provider")
            try visit.expectAccessible("sign-in at a provider")
            #expect(try visit.browser.text("#provider") == "Sign in with oidc.corp")
            try await Self.signIn(visit, url, as: "ada")
            try await visit.wait(for: "#pages a[aria-current=page]")
            #expect(try visit.browser.text("#operator span") == "Operator · ada@example.com")
            let place: String = try visit.browser.evaluate("return location.href")
            #expect(place == url)
            let cookies = try visit.browser.cookies()
            #expect(cookies.allSatisfy { $0.httpOnly })
            #expect(Set(cookies.compactMap(\.sameSite)) == ["Strict", "Lax"] && cookies.count == 2)
            try visit.browser.open(url + "#users?uid=ada")
            try await visit.wait(for: "#user dl")
            try await visit.press("Disable")
            try await visit.wait(for: "ada is disabled.", in: "#status")
            try await visit.scenario.gateway.untilLogged("email=ada@example.com event=disable role=operator")
        }
    }

    @Test func `a viewer at the provider changes nothing`() async throws {
        try await Self.visit { visit, url in
            try await Self.signIn(visit, url, as: "edsger")
            try await visit.wait(for: "#pages a[aria-current=page]")
            #expect(try visit.browser.text("#operator span") == "Viewer: looks only · edsger@corp.example")
            try visit.browser.open(url + "#users?uid=ada")
            try await visit.wait(for: "#user dl")
            #expect(try visit.buttons() == ["Find", "Find"])
            let status: Int = try visit.browser.evaluate(
                """
                const send = (method, target, token) => {
                  const request = new XMLHttpRequest();
                  request.open(method, target, false);
                  if (token) request.setRequestHeader("X-CSRF-Token", token);
                  request.send();
                  return request;
                };
                const token = JSON.parse(send("GET", "session").responseText).csrf_token;
                return send("POST", "api/v1/users/ada/disable", token).status;
                """)
            #expect(status == 403)
            let record = JSON(parsing: try visit.scenario.admin("GET", "/v1/users/ada").body)
            #expect(record?["disabled"] == false)
        }
    }

    @Test func `a reload ends the session of an address that it removes, and a page names the address`() async throws {
        try await Self.visit { visit, url in
            try await Self.signIn(visit, url, as: "ada")
            try await visit.wait(for: "#pages a[aria-current=page]")
            let gateway = visit.scenario.gateway
            let text = gateway.folder.read("gatehouse.yaml")
            try gateway.rewrite(text.replacing("Ada@Example.com", with: "alan@example.com"))
            gateway.signal(SIGHUP)
            try await eventually("the end of the session") {
                let status: Int = try visit.browser.evaluate(
                    """
                    const request = new XMLHttpRequest();
                    request.open("GET", "session", false);
                    request.send();
                    return request.status;
                    """)
                return status == 401 ? true : nil
            }
            try await Self.signIn(visit, url, as: "ada")
            let refusal = try await eventually("the refusal") { try? visit.browser.text("#refusal") }
            #expect(refusal.hasPrefix("ada@example.com may not use this console."))
            #expect(refusal.contains("admin.console.sign_in"))
            let violations = try AccessibilityAudit.violations(in: visit.browser)
            #expect(violations == ["not 1 [role=status]"], "a page without parts that change")
            try await gateway.untilLogged("email=ada@example.com event=sign_in provider=oidc.corp status=403")
            try visit.browser.click("#main a")
            try await visit.wait(for: "#provider")
        }
    }

    @Test func `a refusal at the provider leads to a page with a way back`() async throws {
        try await Self.visit { visit, url in
            try visit.browser.open(url)
            try await visit.wait(for: "#provider")
            try visit.browser.click("#provider")
            try await Self.choose("refuse", visit)
            let refusal = try await eventually("the refusal") { try? visit.browser.text("#refusal") }
            #expect(refusal == "The sign-in was cancelled at the provider.")
        }
    }

    @Test func `O-01: another site neither starts a sign-in nor ends one in this browser`() async throws {
        try await Self.visit { visit, url in
            let page = try PageServer(page: "<!doctype html><title>x</title><a id=go href=\"\(url)sign-in\">x</a>")
            try visit.browser.open(page.origin)
            try visit.browser.click("#go")
            let started: String = try visit.browser.evaluate("return document.body.innerText")
            #expect(started.contains("request/cross-site"))
            #expect(try visit.browser.cookies().isEmpty)
            let foreign = "\(url)callback?state=\(String(repeating: "A", count: 32))&code=c"
            let lure = try PageServer(page: "<!doctype html><title>x</title><a id=go href=\"\(foreign)\">x</a>")
            try visit.browser.open(lure.origin)
            try visit.browser.click("#go")
            let refusal = try await eventually("the refusal") { try? visit.browser.text("#refusal") }
            #expect(refusal.hasPrefix("This sign-in has expired"))
            #expect(try visit.browser.cookies().isEmpty)
        }
    }
}
