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
}
