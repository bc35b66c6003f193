import Diagnostics
import GatewayConfiguration
import GatewayCore
import Testing

/// `explain` of requests from pages of other sites.
@Suite struct CrossSiteExplanationTests {
    private func explain(
        _ method: String = "POST", _ path: String = "/a", cookie: Bool = true, allows: Bool = false,
        with fields: [(name: String, value: String)] = []
    ) async throws -> Explanation {
        var configuration = Given.configuration([Given.route("/**") { $0.insecureNoCSRF = allows }])
        configuration.accounts = Configuration.Accounts()
        configuration.accounts?.origins = ["https://app.example"]
        configuration.store = .sqliteMemory
        var request = ExplainedRequest(method: method, url: "http://api.example\(path)", fields: fields)
        if cookie { request.sessionCookie = try Given.sessionCookie() }
        return try await Given.explainer(configuration).explain(request)
    }

    @Test func `a page of another site is denied before its credential is verified`() async throws {
        let explanation = try await explain(with: [("Sec-Fetch-Site", "cross-site")])
        #expect(explanation.code == .crossSite && explanation.failures == ["site"])
        #expect(explanation.step("credential") == nil)
        #expect(try await explain(with: [("Origin", "https://evil.example")]).code == .crossSite)
    }

    @Test func `the reason for a permit is reported`() async throws {
        #expect(try await explain().step("site")?.detail.hasPrefix("neither Sec-Fetch-Site nor Origin") == true)
        let listed = try await explain(with: [("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site")])
        #expect(listed.code == .ok && listed.step("site")?.detail == "the Origin is listed in accounts.origins")
    }

    @Test func `a route without the check has a note`() async throws {
        let explanation = try await explain(allows: true, with: [("Sec-Fetch-Site", "cross-site")])
        #expect(explanation.code == .ok && explanation.step("site")?.mark == .note)
    }

    @Test func `requests without a cookie and safe methods have no such step`() async throws {
        #expect(try await explain("GET", with: [("Sec-Fetch-Site", "cross-site")]).step("site") == nil)
        #expect(try await explain(cookie: false, with: [("Sec-Fetch-Site", "cross-site")]).step("site") == nil)
    }

    @Test func `an account call is checked without a cookie too`() async throws {
        let path = "/.gatehouse/sign-in"
        #expect(try await explain("POST", path, cookie: false, with: [("Origin", "null")]).code == .crossSite)
        let own = try await explain("POST", path, cookie: false)
        #expect(own.code == nil && own.failures.isEmpty && own.step("call") != nil)
        #expect(try await explain("GET", path, cookie: false).code == .methodNotAllowed)
        let event = try await explain("POST", "/.gatehouse/events/apple", cookie: false, with: [("Origin", "null")])
        #expect(event.code == nil && event.step("site") == nil)
    }
}
