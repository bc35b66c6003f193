import DevelopmentIdentity
import Foundation

@testable import SystemFixtures

/// The demo of the built program, and a browser with its page.
struct PageVisit {
    /// The page of a step after the step ran.
    struct Shown {
        let outcome: String
        /// `POST /.gatehouse/nonce 200`, one line for each request.
        let wire: [String]
        /// The labels of the follow-up buttons.
        let next: [String]
    }

    let browser: Browser
    let gateway: URL

    /// Starts the demo and the browser, opens the page and its tab, runs `body`, and stops both.
    ///
    /// - Parameter tab: The tab. `nil` for the tab that the page selects.
    static func run(tab: String? = "accounts", _ body: (PageVisit) async throws -> Void) async throws {
        try await OwnThread.run {
            let folder = try ScratchFolder()
            let demo = try ChildProcess(
                ["demo", "--any-ports"], in: folder.url, output: (folder.path("out"), folder.path("err")))
            let gateway = try await eventually("the demo; \(folder.read("err"))") {
                let output = folder.read("out")
                guard output.contains("# Each request is logged below") else { return URL?.none }
                return output.prefixMatch(of: /# Open (http:[^ ]+) in a browser/).flatMap { URL(string: String($0.1)) }
            }
            let visit = PageVisit(browser: try Browser(try await ChromeDriver()), gateway: gateway)
            try visit.browser.open(gateway.absoluteString)
            try await visit.idle()
            if let tab {
                try visit.browser.click("#tab-\(tab)")
                try await visit.idle()
            }
            try await body(visit)
            demo.signal(SIGTERM)
            _ = await demo.exitCode()
        }
    }

    /// Waits until no step is running.
    func idle() async throws {
        _ = try await eventually("the page to be idle") {
            let isBusy: String = try browser.evaluate("return document.getElementById('steps').ariaBusy")
            return isBusy == "false" ? true : nil
        }
    }

    /// Clicks the button `#do-NAME` and returns the page of its step.
    func take(_ step: String, by button: String? = nil) async throws -> Shown {
        try await press("#do-\(button ?? step)", showing: step)
    }

    /// Clicks the first follow-up button of a step and returns the page of `target`.
    func follow(_ step: String, to target: String) async throws -> Shown {
        try await press("#\(step) .next button", showing: target)
    }

    func press(_ selector: String, showing step: String) async throws -> Shown {
        try browser.click(selector)
        try await idle()
        return Shown(
            outcome: try browser.text("#\(step) .outcome"),
            wire: try browser.evaluate(Self.wire, step), next: try browser.evaluate(Self.next, step))
    }

    private static let wire = """
        return [...document.querySelectorAll(`#${arguments[0]} .wire summary`)].map((summary) =>
          ["method", "path", "status"].map((part) => summary.querySelector("." + part).textContent).join(" "))
        """

    private static let next = """
        return [...document.querySelectorAll(`#${arguments[0]} .next button`)].map((button) => button.textContent)
        """

    /// Signs a user in and returns the uid.
    @discardableResult
    func signIn(_ person: String, through provider: String = "apple.com", age: Int = 0) async throws -> String {
        try browser.choose(person, in: "#sign-in-person")
        try browser.choose(provider, in: "#sign-in-provider")
        try browser.choose(String(age), in: "#sign-in-age")
        let shown = try await take("sign-in")
        guard let uid = shown.outcome.firstMatch(of: /uid ([0-9a-f]{32})/) else {
            throw Impatience("not signed in: \(shown)")
        }
        return String(uid.1)
    }

    /// Links an identity to the account of the signed-in user.
    func link(_ person: String, through provider: String) async throws -> Shown {
        try browser.choose(person, in: "#link-person")
        try browser.choose(provider, in: "#link-provider")
        return try await take("link")
    }

    /// The user that the page shows as signed in.
    func who() throws -> String { try browser.text("#who") }

    /// The session cookie, which scripts cannot read.
    func sessionCookie() throws -> Browser.Cookie? { try browser.cookies().first { $0.name == "__session" } }
}
