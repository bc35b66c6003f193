import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Paths and hosts that are rewritten for the upstream.
@Suite(
    .sharedScenario {
        $0.routes += [
            "path: '/v1/{id}/{rest=**}', allow: \"id == 'a' && request.path[0] == 'v1'\", rewrite: { path: '/internal/{id}/{rest}', host: 'api.internal:8080' }, upstream: api",
            "path: '/dots/{name}/x', auth: none, rewrite: { path: '/files/..{name}/secret' }, upstream: api",
            "path: '/kept/{name}', auth: none, encoded_slashes: keep, rewrite: { path: '/b/.{name}' }, upstream: api",
            "path: /host/**, auth: none, rewrite: { host: api.internal }, upstream: api",
        ]
    }
)
struct RewriteTests: SharedScenarioSuite {
    @Test func `the upstream gets the rewritten path and host`() throws {
        let report = try scenario.passes(.bearer(scenario.token(), "/v1/a/b//c/./d/?q=/v1"))
        #expect(report.path == "/internal/a/b/c/d/?q=/v1")
        #expect(report.values("Host") == ["api.internal:8080"])
        #expect(report.values("X-Forwarded-Host") == ["gateway.example"])
        #expect(report["Forwarded"]?.contains("host=\"gateway.example\"") == true)
    }

    @Test func `rules and logs have the requested path`() async throws {
        try scenario.expectRefusal(.bearer(scenario.token(), "/v1/b/x"), 403, "auth/permission-denied")
        _ = try await eventually("the line") {
            scenario.gateway.output.contains("\"path\":\"/v1/b/x\"") ? true : nil
        }
    }

    @Test func `the host can be rewritten without the path`() throws {
        let report = try scenario.passes(.get("/host/x/", "Host-Like: y"))
        #expect(report.path == "/host/x/" && report.values("Host") == ["api.internal"])
        let old = try scenario.send(raw: "GET /host/x HTTP/1.0\r\n\r\n")
        #expect(EchoReport(old)?.values("Host") == ["api.internal"])
    }

    @Test(arguments: ["/dots/;p/x", "/dots/%3Bp/x", "/kept/%2Fx", "/kept/%2f..%2fx"])
    func `B-11: a rewritten path that is not canonical is rejected`(target: String) throws {
        try scenario.expectRefusal(.get(target), 400, "request/malformed")
    }

    @Test(arguments: [("/dots/a/x", "/files/..a/secret"), ("/kept/a%2Fb", "/b/.a%2Fb")])
    func `B-11: a canonical rewritten path is forwarded`(row: (target: String, path: String)) throws {
        #expect(try scenario.passes(.get(row.target)).path == row.path)
    }
}
