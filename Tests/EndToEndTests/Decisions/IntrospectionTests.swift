import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Services query tokens (RFC 7662), and decisions as JSON.
@Suite(
    .sharedScenario { configuration in
        configuration["decisions"] = """
            { address: 127.0.0.1:0, trust: [127.0.0.9/32], introspection: { clients: [
              { id: billing, secret: billing-secret-0123456789 }, { id: limited, secret: limited-secret-0123456789 } ] } }
            """
        configuration.routes =
            [
                "path: /policy/**", "path: /policy/recent/**, recent_sign_in: 5m",
                "path: /policy/limited/**, auth: none, rate_limit: [{ per: address, requests: 1, every: 1h, burst: 2 }]",
            ] + configuration.routes
    })
struct IntrospectionTests: SharedScenarioSuite {
    private static let basic = "Authorization: Basic YmlsbGluZzpiaWxsaW5nLXNlY3JldC0wMTIzNDU2Nzg5"

    private func introspect(_ body: String, _ fields: String = Self.basic) throws -> WireResponse {
        try scenario.ask(
            .post(
                "/introspect", fields, "Content-Type: application/x-www-form-urlencoded", body: Array(body.utf8)))
    }

    private func expectInactive(_ body: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let response = try introspect(body)
        #expect(response.status == 200 && response.text == "{\"active\":false}", sourceLocation: sourceLocation)
    }

    @Test func `a valid token is active with its facts`() throws {
        for body in ["token=\(try scenario.token())", "token_type_hint=x&token=\(try scenario.cookie())"] {
            let response = try introspect(body)
            let facts = JSON(parsing: response.body)
            #expect(response.status == 200 && facts?["active"] == .bool(true), "\(response.text)")
            #expect(facts?["sub"] == .string("ada") && facts?["uid"] == .string("ada"))
            #expect(facts?["aud"] == .string("demo-gatehouse") && facts?["iss"] != nil && facts?["exp"] != nil)
            #expect(facts?["auth_time"] != nil && facts?["step_up"] == nil && facts?["token_type"] == .string("Bearer"))
            #expect(response["Cache-Control"] == "no-store" && response["Content-Type"] == "application/json")
        }
    }

    @Test func `a token that no route would accept is inactive, without a reason`() throws {
        let token = try scenario.token()
        for bad in ["x", "a.b.c", token + "x", String(token.dropLast(4)), "%00", "a%3Bb", "\(token)%20x"] {
            try expectInactive("token=\(bad)")
        }
        try expectInactive("token=\(try scenario.token { $0.expiring(at: unixNow() - 60) })")
    }

    @Test func `a revocation makes a token inactive`() throws {
        let token = try scenario.token(.alan)
        #expect(try introspect("token=\(token)").text.contains("\"active\":true"))
        #expect(try scenario.admin("POST", "/v1/users/alan/disable").status == 200)
        try expectInactive("token=\(token)")
        #expect(try scenario.admin("POST", "/v1/users/alan/enable").status == 200)
    }

    @Test func `an old sign-in is active with a verdict`() throws {
        let old = try scenario.token { $0.signedIn(at: unixNow() - 400) }
        let facts = JSON(parsing: try introspect("token=\(old)&max_age=300").body)
        #expect(facts?["active"] == .bool(true) && facts?["step_up"]?["max_age"] == .integer(300))
        #expect(facts?["step_up"]?["auth_age"] != nil)
        #expect(JSON(parsing: try introspect("token=\(old)&max_age=3600").body)?["step_up"] == nil)
    }

    @Test(arguments: [
        "", "Authorization: Basic YmlsbGluZzp3cm9uZw==", "Authorization: Bearer wrong",
        "Authorization: Basic bGltaXRlZDpiaWxsaW5nLXNlY3JldC0wMTIzNDU2Nzg5", "Authorization: Basic !",
        "Authorization: x",
    ])
    func `a client that is not authenticated learns nothing`(_ field: String) throws {
        let response = try introspect("token=\(try scenario.token())", field.isEmpty ? "X-Nothing: a" : field)
        #expect(response.status == 401 && response.text.contains("\"error\":\"invalid_client\""))
        #expect(response.values("WWW-Authenticate").contains("Basic realm=\"introspection\""))
    }

    @Test func `the secret is also a Bearer token`() throws {
        let response = try introspect(
            "token=\(try scenario.token())", "Authorization: Bearer billing-secret-0123456789")
        #expect(response.text.contains("\"active\":true"))
    }

    @Test(arguments: [
        "", "tok=x", "token=a&token=b", "token=", "token=a&max_age=", "token=a&max_age=-1",
        "token=a&max_age=1&max_age=2",
        "token=a&max_age=99999999999", "token=%zz",
    ])
    func `an invalid form is an error`(_ body: String) throws {
        let response = try introspect(body)
        #expect(response.status == 400 && response.text.contains("\"error\":\"invalid_request\""), "\(response.text)")
    }

    @Test func `other methods, types and sizes are errors`() throws {
        #expect(try scenario.ask(.get("/introspect", Self.basic)).status == 405)
        #expect(try scenario.ask(.post("/introspect", Self.basic, "Content-Type: application/json")).status == 400)
        #expect(try introspect("token=\(String(repeating: "a", count: 40_000))").status == 413)
        #expect(try scenario.ask(.get("/.well-known/oauth-authorization-server")).text.contains("/introspect"))
    }

    @Test func `without a key, a request that accepts only a signed response is 406`() throws {
        let accept = "Accept: application/token-introspection+jwt"
        let response = try scenario.ask(
            .post(
                "/introspect", Self.basic, accept, "Content-Type: application/x-www-form-urlencoded",
                body: Array("token=x".utf8)))
        #expect(response.status == 406 && response.text.contains("\"status\":406"), "\(response.text)")
        #expect(try scenario.ask(.get("/.gatehouse/jwks.json")).status == 404)
        #expect(try scenario.ask(.post("/.gatehouse/jwks.json")).status == 404)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS"])
    func `another method at the metadata is 405 with the methods that it accepts`(_ method: String) throws {
        let request = WireRequest(
            method: method, target: "/.well-known/oauth-authorization-server", fields: ["Content-Length: 0"],
            host: "gatehouse")
        let response = try scenario.ask(request)
        #expect(response.status == 405 && response["Allow"] == "GET, HEAD", "\(response.text)")
        #expect(response.text.contains("request/method-not-allowed"))
    }

    @Test func `J-11: a peer that is not trusted may only introspect`() throws {
        let response = try scenario.decide("/policy/a", ["Authorization: Bearer \(try scenario.token())"])
        #expect(response.status == 403 && response.text.contains("decisions.trust"))
        #expect(try scenario.ask(.post("/decide", "Content-Type: application/json")).status == 403)
    }

    @Test func `a decision as JSON has its reasons`() throws {
        func decide(_ body: String) throws -> WireResponse {
            let client = try RawClient(port: try scenario.gateway.decisionsPort, from: 9)
            return try client.exchange(.post("/decide", "Content-Type: application/json", body: Array(body.utf8)))
        }
        let url = "\"url\":\"https://gateway.example/policy"
        let allowed = try decide("{\(url)/a?b\",\"method\":\"PUT\",\"token\":\"\(try scenario.token())\"}")
        let verdict = JSON(parsing: allowed.body)
        #expect(verdict?["allow"] == .bool(true) && verdict?["status"] == .integer(200), "\(allowed.text)")
        #expect(verdict?["identity"]?["x-auth-uid"] == .string("ada") && verdict?["route"] == .string("/policy/**"))
        let denied = JSON(parsing: try decide("{\(url)/a\"}").body)
        #expect(denied?["allow"] == .bool(false) && denied?["code"] == .string("auth/missing-credential"))
        #expect(denied?["phase"] != nil && denied?["status"] == .integer(401))
        let old = try scenario.token { $0.signedIn(at: unixNow() - 400) }
        let stepUp = JSON(parsing: try decide("{\(url)/recent/a\",\"token\":\"\(old)\"}").body)
        #expect(stepUp?["code"] == .string("auth/requires-recent-login") && stepUp?["max_age"] == .integer(300))
        for body in [
            "", "[]", "{}", "{\(url)/a\",\"x\":1}", "{\"url\":\"/a\"}", "{\(url)/../a\"}",
            "{\(url)/a\",\"headers\":{\"X-Auth-Uid\":\"a\"}}", "{\(url)/a\",\"headers\":{\"Host\":\"a\"}}",
            "{\(url)/a\",\"headers\":{\"A\":\"b\\r\\nC: d\"}}", "{\(url)/a\",\"method\":\"GET /x\"}",
            "{\(url)/a\",\"token\":\"a\\r\\nX: y\"}", "{\(url)/a\",\"client\":\"x\"}",
        ] {
            #expect(try decide(body).status == 400, "\(body)")
        }
    }

    @Test func `a list of requests has their decisions in order, by the same limits and revocations`() throws {
        func decide(_ requests: [String]) throws -> WireResponse {
            let client = try RawClient(port: try scenario.gateway.decisionsPort, from: 9)
            let body = "[\(requests.joined(separator: ","))]"
            return try client.exchange(.post("/decide", "Content-Type: application/json", body: Array(body.utf8)))
        }
        func codes(_ response: WireResponse) throws -> [String] {
            guard case .array(let verdicts)? = JSON(parsing: response.body) else {
                Issue.record("\(response.status) \(response.text)")
                return []
            }
            return verdicts.map { $0.text("code") ?? "" }
        }
        let url = "\"url\":\"https://gateway.example/policy"
        let ada = "{\(url)/a\",\"token\":\"\(try scenario.token())\"}"
        let alan = "{\(url)/a\",\"token\":\"\(try scenario.token(.alan))\"}"
        let limited = "{\(url)/limited/a\",\"client\":\"192.0.2.77\"}"
        #expect(
            try codes(try decide([limited, ada, limited, limited, "{}", alan])) == [
                "ok", "ok", "ok", "request/rate-limited", "request/malformed", "ok",
            ])
        #expect(try scenario.admin("POST", "/v1/users/alan/disable").status == 200)
        #expect(try codes(try decide([ada, alan, ada])) == ["ok", "auth/user-disabled", "ok"])
        #expect(try scenario.admin("POST", "/v1/users/alan/enable").status == 200)
        // A body over the limit is rejected before it is read.
        let padding = String(repeating: " ", count: 65_536)
        #expect(try decide([ada, padding]).status == 413)
        let untrusted = try scenario.ask(.post("/decide", "Content-Type: application/json", body: Array("[]".utf8)))
        #expect(untrusted.status == 403)
    }
}
