import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The gateway's own sign-in page in a real browser.
@Suite(
    .serialized,
    .enabled(
        if: ChromeDriver.program != nil,
        "GATEHOUSE_CHROMEDRIVER names no chromedriver: script/test sets it, and script/setup --browser installs one"
    ))
struct SignInPageBrowserTests {
    /// A gateway with the page, and a browser.
    private struct Visit {
        let scenario: Scenario
        let browser: Browser
        let page: String

        static func run(_ body: (Visit) async throws -> Void) async throws {
            let port = try Ports.free()
            let origin = "http://127.0.0.1:\(port)"
            try await Scenario.run(arrange: { provider, _, configuration in
                configuration.offerFlows(provider, origin: origin, more: ", pages: true, page: { title: Example }")
                configuration["listen"] = "[{ address: '127.0.0.1:\(port)' }]"
            }) { scenario in
                let browser = try Browser(try await ChromeDriver())
                try await body(Visit(scenario: scenario, browser: browser, page: "\(origin)/.gatehouse/"))
                let complaints = try browser.complaints()
                #expect(complaints.isEmpty, "\(complaints)")
            }
        }

        /// Waits until the page has an element.
        func wait(for selector: String) async throws {
            _ = try await eventually("the element \(selector)") {
                let isThere =
                    try? browser.evaluate(
                        "return document.querySelector(arguments[0]) !== null", selector) as Bool
                return isThere == true ? true : nil
            }
        }

        /// Waits until an element has this text.
        func wait(for text: String, in selector: String) async throws {
            _ = try await eventually("\(text) in \(selector)") {
                (try? browser.text(selector)) == text ? true : nil
            }
        }

        /// Moves the focus with the tab key, and presses Enter.
        func choose(_ selector: String) throws {
            for _ in 0..<30 {
                let isFocused: Bool = try browser.evaluate("return document.activeElement !== document.body")
                try browser.press("\u{E004}", in: isFocused ? ":focus" : "body")
                guard try browser.evaluate("return document.activeElement.matches(arguments[0])", selector) else {
                    continue
                }
                return try browser.press("\u{E007}", in: ":focus")
            }
            throw Impatience("no focus on \(selector)")
        }

        /// Chooses a user at the provider.
        func continueAs(_ user: String) async throws {
            try await wait(for: "#as-\(user)")
            try browser.click("#as-\(user)")
        }

        /// Signs in with an access token, which proves no recent sign-in, and opens the page.
        func signInWithoutProof(as user: DevelopmentUser) throws {
            let body = try AccountApp(scenario).gitHubProof(of: user)
            try browser.open(page)
            let status: Int = try browser.evaluate(
                """
                const request = new XMLHttpRequest();
                request.open("POST", "/.gatehouse/sign-in", false);
                request.setRequestHeader("Content-Type", "application/json");
                request.send(arguments[0]);
                return request.status;
                """, body.text)
            #expect(status == 200)
            try browser.open(page)
        }

        func isSignedIn() throws -> Bool { try browser.cookies().contains { $0.name == "__session" } }
    }

    private static let users = [
        ("google.com", "ada"), ("apple.com", "alan"), ("microsoft.com", "barbara"), ("yahoo.com", "robot"),
        ("linkedin.com", "guest"), ("oidc.corp", "margaret"), ("github.com", "linus"),
    ]

    @Test func `the keyboard signs in at each provider, and out`() async throws {
        try await Visit.run { visit in
            let browser = visit.browser
            try browser.resize(width: 360)
            for (index, (id, user)) in Self.users.enumerated() {
                let leadsAway = index == 0
                try browser.open(visit.page + (leadsAway ? "?return_to=/me/page" : ""))
                try visit.choose("[href^='/.gatehouse/sign-in/\(id)?']")
                try await visit.continueAs(user)
                if leadsAway {
                    _ = try await eventually("the page after the sign-in") {
                        let path = try? browser.evaluate("return location.pathname") as String
                        return path == "/me/page" ? true : nil
                    }
                    try browser.open(visit.page)
                }
                try await visit.wait(for: "#account[data-reauthenticate='\(id)']")
                if index == 0 {
                    #expect(try AccessibilityAudit.violations(in: browser) == [])
                    try browser.emulate(colorScheme: "dark")
                    #expect(try AccessibilityAudit.violations(in: browser) == [])
                }
                if index == 1 {
                    try visit.choose("[data-call=everywhere]")
                    try visit.choose("#confirm-yes")
                } else {
                    try visit.choose("[data-call=sign-out]")
                }
                try await visit.wait(for: "You are signed out.", in: "#status")
                #expect(try !visit.isSignedIn(), "\(id)")
            }
            try browser.click("[href*='google.com']")
            try await visit.wait(for: "#refuse")
            try browser.click("#refuse")
            try await visit.wait(for: "The sign-in was cancelled.", in: "#error")
            #expect(try browser.evaluate("return location.search") as String == "")
            #expect(try AccessibilityAudit.violations(in: browser) == [])
        }
    }

    @Test func `a user sees where they are signed in, and ends another session`() async throws {
        try await Visit.run { visit in
            let browser = visit.browser
            let agent = "User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) CriOS/130.0 Safari/604.1"
            var phone = AccountApp(visit.scenario)
            #expect(try phone.call("sign-in", phone.gitHubProof(of: .linus), agent).status == 200)
            try visit.signInWithoutProof(as: .linus)
            let items = "return [...document.querySelectorAll('#sessions ~ ul li span')].map((s) => s.innerText)"
            let listed: [String] = try browser.evaluate(items)
            #expect(listed.count == 2 && listed[0].contains("this session"))
            #expect(listed[1].hasPrefix("Chrome, iPhone\nGitHub · last used ") && !listed[1].contains("UTC"))
            #expect(try AccessibilityAudit.violations(in: browser) == [])
            // The sign-in was not proved, so that the user signs in again first.
            try visit.choose("[data-call=end]")
            try visit.choose("#confirm-yes")
            try await visit.continueAs("linus")
            try await visit.wait(for: "#confirm[open]")
            #expect(try phone.get("/me/x").status == 200, "the return alone ends nothing")
            try visit.choose("#confirm-yes")
            try await visit.wait(for: "The session has ended.", in: "#status")
            let left: [String] = try browser.evaluate(items)
            #expect(left.count == 1 && left[0].contains("this session"))
            expectDenial(try phone.get("/me/x"), 401, "auth/session-cookie-revoked")
        }
    }

    @Test func `a user links, unlinks and deletes after a new sign-in, and must choose again`() async throws {
        try await Visit.run { visit in
            let browser = visit.browser
            let link = "[data-call=link][data-provider='google.com']"
            let unlink = "[data-call=unlink][data-provider='google.com']"
            try visit.signInWithoutProof(as: .linus)
            try browser.click(link)
            try await visit.continueAs("linus")
            try await visit.wait(for: "You have signed in again. Now you can repeat your choice.", in: "#status")
            #expect(try browser.evaluate("return document.activeElement.matches(arguments[0])", link) as Bool)
            try browser.press("\u{E007}", in: link)
            try await visit.continueAs("ada")
            try await visit.wait(for: "The sign-in method is linked.", in: "#status")

            try browser.click(unlink)
            #expect(try AccessibilityAudit.violations(in: browser) == [])
            try browser.press("\u{E00C}", in: "#confirm-no")
            #expect(try browser.evaluate("return document.activeElement.matches(arguments[0])", unlink) as Bool)
            try browser.click(unlink)
            try browser.click("#confirm-yes")
            try await visit.wait(for: "The sign-in method is unlinked.", in: "#status")
            try await visit.wait(for: link)

            try visit.signInWithoutProof(as: .linus)
            try browser.open(visit.page + "?max_age=300&return_to=/me/page")
            #expect(try AccessibilityAudit.violations(in: browser) == [])
            try browser.click("[data-call=confirm]")
            try await visit.continueAs("linus")
            _ = try await eventually("the page after the sign-in") {
                (try? browser.evaluate("return location.pathname") as String) == "/me/page" ? true : nil
            }

            try visit.signInWithoutProof(as: .linus)
            try browser.click("[data-call=delete]")
            try browser.click("#confirm-yes")
            try await visit.continueAs("linus")
            try await visit.wait(for: "#confirm[open]")
            #expect(try visit.isSignedIn(), "nothing is deleted before the user confirms again")
            try browser.click("#confirm-yes")
            try await visit.wait(for: "Your account is deleted.", in: "#status")
            #expect(try !visit.isSignedIn())
        }
    }

    /// The screenshots of the manual. They are taken only on request:
    ///
    ///     GATEHOUSE_SIGN_IN_PICTURE=$PWD/docs/images/sign-in-page.png script/test --filter SignInPageBrowserTests
    @Test(.enabled(if: pictureFile != nil, "GATEHOUSE_SIGN_IN_PICTURE has no file path to write"))
    func `the page of a signed-in user`() async throws {
        let file = try #require(Self.pictureFile)
        try await Visit.run { visit in
            try visit.browser.resize(width: 520)
            try visit.browser.open(visit.page)
            try visit.browser.click("[href*='google.com']")
            try await visit.continueAs("ada")
            try await visit.wait(for: "#account")
            try visit.browser.picture().write(to: URL(filePath: file))
        }
    }

    private static let pictureFile = ProcessInfo.processInfo.environment["GATEHOUSE_SIGN_IN_PICTURE"]
}
