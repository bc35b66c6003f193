import DevelopmentIdentity
import Foundation

@testable import SystemFixtures

/// A headless Chromium with an empty profile, driven by WebDriver (https://www.w3.org/TR/webdriver2/).
///
/// It resolves no host except 127.0.0.1. A page that loads resources from other hosts does not work in it.
final class Browser {
    private struct Session: Decodable { let sessionId: String }

    /// A line of the browser's console.
    struct ConsoleLine: Decodable {
        let source: String
        let message: String
    }

    struct Cookie: Decodable {
        let name: String
        let value: String
        let httpOnly: Bool
        let secure: Bool
        let sameSite: String?
    }

    private let driver: ChromeDriver
    private let session: String

    /// - Parameters:
    ///   - width: The width of the window in pixels.
    ///   - acceptsAnyCertificate: Whether servers with TLS need no trusted certificate.
    init(_ driver: ChromeDriver, width: Int = 1280, acceptsAnyCertificate: Bool = false) throws {
        self.driver = driver
        var arguments = [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            "--no-first-run", "--no-proxy-server", "--hide-scrollbars", "--window-size=\(width),900",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
            "--user-data-dir=\(driver.folder.path("profile"))",
        ]
        // Chromium's sandbox refuses root.
        if geteuid() == 0 { arguments.append("--no-sandbox") }
        let wanted: JSON = [
            "browserName": "chrome", "acceptInsecureCerts": .bool(acceptsAnyCertificate),
            "goog:loggingPrefs": ["browser": "ALL"],
            "goog:chromeOptions": ["args": .array(arguments.map(JSON.string))],
        ]
        session = try driver.command(
            "POST", "/session", ["capabilities": ["alwaysMatch": wanted]], as: Session.self
        ).sessionId
    }

    func open(_ url: String) throws {
        try act("url", ["url": .string(url)])
    }

    /// Clicks like a user: scrolls the element into view, and fails if another element covers it.
    func click(_ selector: String) throws {
        try act("element/\(element(selector))/click", [:])
    }

    /// Presses a key while an element has the focus.
    ///
    /// - Parameter key: The code point of WebDriver, such as U+E014 for the right arrow.
    func press(_ key: String, in selector: String) throws {
        try act("element/\(element(selector))/value", ["text": .string(key)])
    }

    /// Selects the option with the value.
    func choose(_ value: String, in selector: String) throws {
        try click("\(selector) option[value='\(value)']")
    }

    /// The visible text of an element.
    func text(_ selector: String) throws -> String {
        try driver.command("GET", path("element/\(element(selector))/text"))
    }

    /// Returns the result of a function with this body.
    func evaluate<Value: Decodable>(_ script: String, _ arguments: String...) throws -> Value {
        let body: JSON = ["script": .string(script), "args": .array(arguments.map(JSON.string))]
        return try driver.command("POST", path("execute/sync"), body)
    }

    func cookies() throws -> [Cookie] { try driver.command("GET", path("cookie")) }

    /// Returns the lines of the console since the last call.
    func console() throws -> [ConsoleLine] {
        try driver.command("POST", path("se/log"), ["type": "browser"])
    }

    /// The lines of the console that the page causes. The others report responses with an error status, and a slow
    /// machine.
    func complaints() throws -> [ConsoleLine] {
        try console().filter { !["network", "intervention"].contains($0.source) }
    }

    /// Returns a screenshot of the page as PNG.
    ///
    /// - Parameter limit: The maximum height in pixels.
    func picture(height limit: Int = .max) throws -> Data {
        let height = min(limit, try evaluate("return document.documentElement.scrollHeight"))
        let width: Int = try evaluate("return window.innerWidth")
        try resize(width: width, height: height)
        let text: String = try driver.command("GET", path("screenshot"))
        return try Data(base64Encoded: text) ?? { throw Impatience("no base64 from WebDriver") }()
    }

    /// Sets the size of the page in pixels, also below the minimum of a window.
    func resize(width: Int, height: Int = 800) throws {
        let size: JSON = [
            "width": .integer(Int64(width)), "height": .integer(Int64(height)), "deviceScaleFactor": 1, "mobile": false,
        ]
        try act("goog/cdp/execute", ["cmd": "Emulation.setDeviceMetricsOverride", "params": size])
    }

    /// Sets the preferred color scheme: `light` or `dark`.
    func emulate(colorScheme: String) throws {
        let feature: JSON = ["name": "prefers-color-scheme", "value": .string(colorScheme)]
        try act(
            "goog/cdp/execute", ["cmd": "Emulation.setEmulatedMedia", "params": ["features": .array([feature])]])
    }

    // MARK: - The protocol

    private func path(_ command: String) -> String { "/session/\(session)/\(command)" }

    /// Sends a command and ignores its result.
    private func act(_ command: String, _ body: JSON) throws {
        struct Nothing: Decodable { init(from decoder: any Decoder) {} }
        _ = try driver.command("POST", path(command), body, as: Nothing?.self)
    }

    private func element(_ selector: String) throws -> String {
        let found: [String: String] = try driver.command(
            "POST", path("element"), ["using": "css selector", "value": .string(selector)])
        return try found.values.first ?? { throw Impatience("no element \(selector)") }()
    }
}
