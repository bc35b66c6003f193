import GatewayConfiguration
import GatewayCore
import Testing

@testable import Diagnostics

@Suite struct ExplainerTests {
    private func explain(
        _ route: Configuration.Route, _ request: ExplainedRequest, records: RecordEvidence = .nothingRecorded
    ) async throws -> Explanation {
        try await Given.explainer(Given.configuration([route]), records: records).explain(request)
    }

    // MARK: - Request and route

    @Test func `a request is forwarded with the identity that the upstream would get`() async throws {
        let route = Given.route("/v1/**") { $0.stripPrefix = "/v1" }
        let request = ExplainedRequest(method: "GET", url: "http://h.example/v1/a//b?q=1", token: try Given.idToken())
        let explanation = try await explain(route, request)
        let forwarded = try #require(explanation.forwarded)
        #expect(forwarded.method == "GET" && forwarded.target == "/a/b?q=1" && forwarded.upstream == "api")
        #expect(forwarded.identity.contains("X-Auth-Uid: ada"))
        #expect(forwarded.identity.last == "X-Auth-Time: \(Given.now)")
        #expect(explanation.step("path")?.detail == "/v1/a/b, sent as /v1/a//b")
        #expect(explanation.step("route")?.detail == "/v1/** at test.yaml:1:1, to api")
    }

    @Test(arguments: [
        ("GET", "/other", "route", DecisionCode.routeNotFound), ("PUT", "/a", "route", .methodNotAllowed),
        ("GET", "/a%00", "path", .malformedRequest), ("GET", "/a b", "request", .malformedRequest),
        ("TRACE", "/a", "method", .methodNotAllowed), ("GET", "/../a", "path", .malformedRequest),
    ])
    func `a request without a route is denied`(method: String, path: String, step: String, code: DecisionCode)
        async throws
    {
        let explanation = try await explain(
            Given.route("/a") { $0.methods = ["GET"] }, ExplainedRequest(method: method, url: path))
        #expect(explanation.failures == [step])
        #expect(explanation.code == code)
    }

    // MARK: - Credential

    @Test func `a route without authentication permits any credential`() async throws {
        let request = ExplainedRequest(method: "GET", url: "/a", token: "nonsense")
        let explanation = try await explain(Given.route("/a") { $0.auth = .none }, request)
        #expect(explanation.code == .ok)
        #expect(explanation.step("credential")?.mark == .note)
    }

    @Test func `an ID token in the cookie does not count`() async throws {
        let request = ExplainedRequest(method: "GET", url: "/a", sessionCookie: try Given.idToken())
        let explanation = try await explain(Given.route("/a"), request)
        #expect(explanation.code == .invalidSessionCookie)
        #expect(explanation.failures.contains("iss"))
    }

    @Test func `without keys the outcome is undetermined`() async throws {
        let explainer = try Given.explainer(Given.configuration([Given.route("/a")]), keys: KeyEvidenceSource.none)
        let explanation = try await explainer.explain(
            ExplainedRequest(method: "GET", url: "/a", token: Given.idToken()))
        #expect(explanation.code == nil)
    }
}
