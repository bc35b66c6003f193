import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// A resource server with Authlib, which queries the tokens of its requests.
@Suite(
    .enabled(if: RealHTTP2Server.interpreter != nil, "GATEHOUSE_ORACLE_PYTHON names no Python: script/test sets it"),
    .sharedScenario { configuration in
        configuration["decisions"] = """
            { address: 127.0.0.1:0,
              introspection: { clients: [{ id: 'billing', secret: 'billing-secret-0123456789+/=' }] } }
            """
    })
struct ResourceServerTests: SharedScenarioSuite {
    /// A request to the resource server, and the client and secret that it uses.
    private struct Case: Encodable {
        var client = "billing"
        var secret = "billing-secret-0123456789+/="
        var authorization: String
        var scopes: [String]?
    }

    private func results(of cases: [Case]) throws -> [JSON] {
        let folder = try ScratchFolder()
        try folder.write(String(decoding: try JSONEncoder().encode(cases), as: UTF8.self), to: "cases")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "authlib_resource.py")
        let output = try Program.run(
            RealHTTP2Server.interpreter ?? "",
            [script.path, "\(try scenario.gateway.decisionsPort)", folder.path("cases")])
        let results = output.split(separator: "\n").compactMap { JSON(parsing: Array($0.utf8)) }
        try #require(results.count == cases.count, "\(output)")
        return results
    }

    @Test func `Authlib accepts an active token, and refuses others and a wrong secret`() throws {
        let ada = "Bearer \(try scenario.token())"
        let alan = "Bearer \(try scenario.token(.alan))"
        let expired = "Bearer \(try scenario.token { $0.expiring(at: unixNow() - 60) })"
        let cases = [
            Case(authorization: ada), Case(authorization: alan), Case(authorization: expired),
            Case(authorization: ada + "x"), Case(authorization: "Bearer x y"),
            Case(authorization: ada, scopes: ["orders.read"]),
            Case(secret: "wrong-secret-0123456789", authorization: ada), Case(client: "other", authorization: ada),
        ]
        let results = try results(of: cases)
        #expect(results[0]["active"] == .bool(true) && results[0].text("sub") == "ada", "\(results[0])")
        #expect(results[0].text("token_type") == "Bearer" && results[0]["exp"] != nil)
        #expect(results[1].text("sub") == "alan", "\(results[1])")
        for refused in results[2...4] {
            #expect(refused.text("error") == "invalid_token" && refused["status"] == .integer(401), "\(refused)")
        }
        #expect(results[5].text("error") == "insufficient_scope", "\(results[5])")
        for refused in results[6...7] {
            #expect(refused["introspection"] == .integer(401), "\(refused)")
            #expect(refused.text("error") == "invalid_client", "\(refused)")
        }
    }

    @Test func `Authlib refuses the token of a revoked user`() throws {
        let token = try scenario.token(.barbara) { $0.signedIn(at: unixNow() - 60) }
        let requests = [Case(authorization: "Bearer \(token)")]
        #expect(try results(of: requests)[0].text("sub") == "barbara")
        #expect(try scenario.admin("POST", "/v1/users/barbara/revoke").status == 200)
        let refused = try results(of: requests)[0]
        #expect(refused.text("error") == "invalid_token" && refused["status"] == .integer(401), "\(refused)")
        #expect(refused["active"] == nil && refused["sub"] == nil)
    }
}
