import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Callers that guess secrets of introspection clients, or that take its connections.
struct IntrospectionAbuseTests {
    private static let secret = "billing-secret-0123456789"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private static func request(secret: String, body: String = "token=x") -> WireRequest {
        .post("/introspect", "Authorization: Bearer \(secret)", form, body: Array(body.utf8))
    }

    private func status(of request: WireRequest, from source: UInt8, _ scenario: Scenario) throws -> WireResponse {
        try RawClient(port: try scenario.gateway.decisionsPort, from: source).exchange(request)
    }

    @Test func `J-36: wrong secrets of a service are logged, counted and limited`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["decisions"] = """
                { address: 127.0.0.1:0, introspection: { clients: [{ id: billing, secret: \(Self.secret) }] } }
                """
        }) { scenario in
            // base64 of "billing:wrong" and of "billing:" with the secret.
            func basic(_ credential: String) -> WireRequest {
                .post("/introspect", "Authorization: Basic \(credential)", Self.form, body: Array("token=x".utf8))
            }
            let (wrong, right) = (
                basic("YmlsbGluZzp3cm9uZw=="), basic("YmlsbGluZzpiaWxsaW5nLXNlY3JldC0wMTIzNDU2Nzg5")
            )
            #expect(try status(of: right, from: 3, scenario).status == 200)
            // A bucket refills during the guesses, so a slow machine has more than ten.
            var failures = 0
            var limited: WireResponse?
            while limited == nil, failures < 1000 {
                let response = try status(of: wrong, from: 2, scenario)
                if response.status == 401 { failures += 1 } else { limited = response }
            }
            #expect(failures >= 10 && limited?.status == 429, "\(failures) \(limited?.text ?? "")")
            #expect(limited?["Retry-After"] != nil && limited?.text.contains("request/rate-limited") == true)
            // At an address where the service runs, its secret is always compared.
            for _ in 0..<20 { #expect(try status(of: wrong, from: 3, scenario).status == 401) }
            #expect(try status(of: right, from: 3, scenario).status == 200)
            let metric = "gatehouse_introspection_client_failures_total"
            #expect(try scenario.gateway.metric(metric, "refused") == failures + 20)
            #expect(try scenario.gateway.metric(metric, "limited") == 1)
            try await scenario.gateway.untilLogged(
                "msg=\"introspection client not authenticated\" client=127.0.0.2 client_id=billing")
            #expect(!scenario.gateway.errors.contains(Self.secret))
        }
    }

    @Test func `K-15: one address cannot use the connections for introspection of others`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["limits"] = "{ body_rate: 0, idle_timeout: 1h }"
            // 4 connections for peers that are not trusted, and one for each of their addresses.
            configuration["decisions"] = """
                { address: 127.0.0.1:0, connections: 16,
                  introspection: { clients: [{ id: billing, secret: \(Self.secret) }] } }
                """
        }) { scenario in
            let port = try scenario.gateway.decisionsPort
            // A request with an incomplete body, whose connection is therefore not idle.
            func busy() throws -> RawClient {
                let client = try RawClient(port: port, from: 2)
                try client.send(
                    """
                    POST /introspect HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Self.secret)\r\n\(Self.form)\r
                    Content-Length: 7\r\n\r\ntoken
                    """)
                return client
            }
            let held = try busy()
            _ = try await eventually("a request") {
                try scenario.gateway.metric("gatehouse_requests_in_flight") == 1 ? true : nil
            }
            // The gateway updates several times per second which connections are idle. Until then, the held one could
            // make room. Without a share of an address, none would be refused.
            try await eventually("a refused connection") {
                let response = try? status(of: Self.request(secret: Self.secret), from: 2, scenario)
                return response?.status == 200 ? nil : true
            }
            #expect(try status(of: Self.request(secret: Self.secret), from: 3, scenario).status == 200)
            try held.send("=x")
            #expect(try held.response().status == 200)
        }
    }
}
