import GatewayConfiguration
import Testing

@testable import CoreFixtures

/// The names, lifetimes and attributes of session cookies.
@Suite struct SessionSectionTests {
    private static let identity = "identity: { firebase: { project: p } }"

    private func load(_ accounts: String) throws -> Configuration.Accounts? {
        try ConfigurationTesting.load(section: "\(Self.identity)\naccounts: \(accounts)").accounts
    }

    @Test func `the lifetime is the default and the maximum of requests`() throws {
        let accounts = try load("{ session_lifetime: 30d, session_idle: 7d, session_same_site: strict }")
        #expect(accounts?.lifetimes == 300...2_592_000 && accounts?.defaultLifetime == 2_592_000)
        #expect(accounts?.sessionIdle == .seconds(604_800) && accounts?.sessionSameSite == .strict)
        #expect(try load("{ session_idle: null }")?.sessionIdle == nil)
        #expect(try load("{ session_idle: 4d }")?.defaultLifetime == 432_000)
    }

    @Test func `earlier names of the cookie are a list or one`() throws {
        func names(_ text: String) throws -> [String] {
            let credentials = "credentials: { cookie: __Host-Http-session, previous_cookies: \(text) }"
            let yaml = "identity: { firebase: { project: p }, \(credentials) }"
            return try ConfigurationTesting.load(section: yaml).identity.credentials.previousCookies
        }
        #expect(try names("__session") == ["__session"])
        #expect(try names("[a, b, c, d]") == ["a", "b", "c", "d"])
    }

    static let broken: [BrokenConfiguration] = [
        .section("\(identity)\naccounts: { session_idle: 5d }", "2:13 accounts.session_idle is not shorter"),
        .section(
            "\(identity)\naccounts: { session_lifetime: 1h, session_idle: 1h }", "2:35 accounts.session_idle is not"),
        .section(
            "\(identity)\naccounts: { session_lifetime: … }", "2:31 accounts.session_lifetime",
            values: ["4m", "366d", "x", "null"]),
        .section(
            "\(identity)\naccounts: { session_idle: … }", "2:27 accounts.session_idle", values: ["4m", "366d", "x"]),
        .section("\(identity)\naccounts: { session_same_site: none }", "2:32 accounts.session_same_site"),
        .section(
            "\(identity)\naccounts: { session_cookie: firebase, session_lifetime: 15d }",
            "2:39 accounts.session_lifetime is longer than Firebase's"),
        .section(
            "identity: { firebase: { project: p }, credentials: { previous_cookies: [a, __session] } }",
            "1:54 identity.credentials.previous_cookies contains the name of cookie"),
        .section(
            "identity: { firebase: { project: p }, credentials: { cookie: null, previous_cookies: a } }",
            "1:68 identity.credentials.previous_cookies has no effect"),
        .section(
            "identity: { firebase: { project: p }, credentials: { previous_cookies: … } }",
            "1:72 identity.credentials.previous_cookies",
            values: ["[a, b, c, d, e]", "[]"]),
    ]

    @Test(arguments: broken) func `a value without meaning is an error`(_ broken: BrokenConfiguration) {
        broken.check()
    }
}
