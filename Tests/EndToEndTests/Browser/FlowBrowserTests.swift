import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Authorization-code flows in a real browser: its cookies, redirects and forms.
@Suite(
    .serialized,
    .enabled(
        if: ChromeDriver.program != nil,
        "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
    ))
struct FlowInBrowserTests {
    @Test func `a browser signs in by a redirect and by a posted form`() async throws {
        let port = try Ports.free()
        let origin = "http://127.0.0.1:\(port)"
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(provider, origin: origin)
            configuration["listen"] = "[{ address: '127.0.0.1:\(port)' }]"
        }) { scenario in
            let browser = try Browser(try await ChromeDriver())
            for (id, user) in [("google.com", "ada"), ("apple.com", "alan"), ("github.com", "linus")] {
                try browser.open("\(origin)/.gatehouse/sign-in/\(id)?return_to=/me/page")
                try browser.click("#as-\(user)")
                let report = try await eventually("the page after the sign-in at \(id)") {
                    let text: String = try browser.evaluate(
                        "return location.pathname === '/me/page' ? document.body.innerText : ''")
                    return text.isEmpty ? nil : text
                }
                #expect(report.contains("\"\(id)\""), "\(id): \(report)")
                let cookies = try browser.cookies()
                #expect(cookies.contains { $0.name == "__session" && $0.httpOnly && $0.secure })
                #expect(cookies.contains { $0.name == "__Host-gatehouse-flow" && $0.sameSite == "Lax" })
            }
            try browser.open("\(origin)/.gatehouse/sign-in/google.com?return_to=/me/page")
            try browser.click("#refuse")
            let path: String = try browser.evaluate("return location.pathname + location.search")
            #expect(path == "/me/page?error=cancelled")
        }
    }

    /// The provider is at another site than the gateway, so that the browser withholds a strict cookie at the callback.
    @Test func `a browser links by a redirect and by a form with a strict cookie`() async throws {
        let port = try Ports.free()
        let origin = "http://localhost:\(port)"
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(provider, origin: origin, more: ", pages: true, session_same_site: strict")
            configuration["listen"] = "[{ address: '127.0.0.1:\(port)' }]"
            configuration["identity"]?.replace(
                "{ firebase:", with: "{ credentials: { cookie: __Host-Http-session }, firebase:", maxReplacements: 1)
        }) { scenario in
            let browser = try Browser(try await ChromeDriver())
            try browser.open("\(origin)/.gatehouse/sign-in/google.com?return_to=/me/page")
            try browser.click("#as-ada")
            let page = "return location.pathname === '/me/page' ? document.body.innerText : ''"
            let report = try await eventually("the page after the sign-in") {
                let text: String = try browser.evaluate(page)
                return text.contains("X-Auth-Uid") ? text : nil
            }
            #expect(report.contains("\"google.com\""))
            let cookies = try browser.cookies()
            #expect(
                cookies.contains {
                    $0.name == "__Host-Http-session" && $0.httpOnly && $0.secure && $0.sameSite == "Strict"
                })
            for (id, user) in [("apple.com", "alan"), ("github.com", "linus")] {
                try browser.open("\(origin)/me/start")
                let _: Bool = try browser.evaluate(
                    """
                    const form = document.createElement('form');
                    form.method = 'post'; form.action = '/.gatehouse/link/\(id)';
                    form.innerHTML = '<input name="return_to" value="/me/page?\(id)"><input name="consent" value="true">';
                    document.body.append(form); form.submit(); return true;
                    """)
                try browser.click("#as-\(user)")
                let place = try await eventually("the page after the link of \(id)") {
                    let text: String = try browser.evaluate(
                        "return location.pathname === '/me/page' ? location.search : ''")
                    return text.isEmpty ? nil : text
                }
                #expect(place == "?\(id)")
            }
        }
    }

    @Test func `a browser leads the flow of a desktop app to its port, and keeps no session`() async throws {
        let port = try Ports.free()
        let origin = "http://127.0.0.1:\(port)"
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(provider, origin: origin, more: ", apps: 'http://127.0.0.1/callback'")
            configuration["listen"] = "[{ address: '127.0.0.1:\(port)' }]"
        }) { scenario in
            let browser = try Browser(try await ChromeDriver())
            // The verifier and the challenge of RFC 7636, appendix B.
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
            let query = "return_to=\(scenario.echo.url)/callback&code_challenge=\(challenge)"
            try browser.open("\(origin)/.gatehouse/sign-in/google.com?\(query)")
            try browser.click("#as-ada")
            let code = try await eventually("the code at the port of the app") {
                let text: String = try browser.evaluate(
                    "return location.pathname === '/callback' ? new URLSearchParams(location.search).get('code') : ''")
                return text.isEmpty ? nil : text
            }
            #expect(try browser.cookies().allSatisfy { $0.name != "__session" })
            var app = AccountApp(scenario)
            let members: JSON = [
                "code": .string(code), "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            ]
            let answer = try app.call("sign-in", members)
            #expect(answer.status == 200 && app.session != nil, "\(answer.text)")
        }
    }
}
