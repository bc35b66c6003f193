import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// A browser at the operators' console of a gateway.
struct ConsoleVisit {
    static let viewerToken = "e2e-viewer-token-0123456789"
    /// The value of `admin` with the console.
    static let admin =
        "{ address: 127.0.0.1:0, token: \(GatewayConfiguration.adminToken), viewer_token: \(viewerToken), console: true }"

    let browser: Browser
    let scenario: Scenario

    init(_ scenario: Scenario) async throws {
        self.scenario = scenario
        browser = try Browser(try await ChromeDriver())
    }

    /// Opens a page by its fragment.
    func open(_ fragment: String = "") throws {
        try browser.open("http://127.0.0.1:\(scenario.gateway.adminPort)/console/\(fragment)")
    }

    func signIn(_ token: String = GatewayConfiguration.adminToken, name: String = "") async throws {
        try await wait(for: "#field-token")
        try browser.press(token, in: "#field-token")
        if !name.isEmpty { try browser.press(name, in: "#field-name") }
        try browser.press("\u{E007}", in: "#field-token")
    }

    /// Waits until the page has an element, and until nothing is loading.
    func wait(for selector: String) async throws {
        try await eventually("the element \(selector)") {
            let script = """
                return document.querySelector(arguments[0]) !== null
                  && document.querySelector("main").ariaBusy === "false"
                """
            return (try? browser.evaluate(script, selector) as Bool) == true ? true : nil
        }
    }

    /// Waits until an element has this text.
    func wait(for text: String, in selector: String) async throws {
        try await eventually("\(text) in \(selector)") { (try? browser.text(selector)) == text ? true : nil }
    }

    /// Presses the button with this label, and confirms.
    func press(_ label: String, confirming: Bool = true) async throws {
        let script = """
            document.getElementById("pressed")?.removeAttribute("id");
            const button = [...document.querySelectorAll("#view button")].find((one) => one.textContent === arguments[0]);
            button.id = "pressed";
            """
        let _: Bool? = try browser.evaluate(script, label)
        try browser.click("#pressed")
        guard confirming else { return }
        try await wait(for: "#confirm[open]")
        try browser.click("#confirm-yes")
    }

    /// The labels of the visible buttons of the page.
    func buttons() throws -> [String] {
        try browser.evaluate(
            "return [...document.querySelectorAll('#view button')].map((button) => button.textContent)")
    }

    /// Checks the page in both schemes, at the widths of a desktop and of a phone.
    func expectAccessible(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (width, scheme) in [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")] {
            try browser.resize(width: width)
            try browser.emulate(colorScheme: scheme)
            let violations = try AccessibilityAudit.violations(in: browser)
            #expect(violations == [], "\(name), \(width), \(scheme)", sourceLocation: sourceLocation)
        }
        try browser.resize(width: 1280)
        try browser.emulate(colorScheme: "light")
    }
}
