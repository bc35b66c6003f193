import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// An invalid token, and the code of its denial.
struct RefusedToken: Sendable, CustomTestStringConvertible {
    let what: String
    let code: String
    /// Creates the token for a scenario.
    let make: @Sendable (Scenario) throws -> String
    var testDescription: String { what }

    init(
        _ what: String, _ code: String = "auth/invalid-id-token",
        _ make: @escaping @Sendable (Scenario) throws -> String
    ) {
        self.what = what
        self.code = code
        self.make = make
    }
}

/// Methods, claims about the client, preflights and invalid credentials do not bypass the checks of a route.
@Suite(
    .sharedScenario { configuration in
        configuration.routes =
            [
                "path: /cors/**, methods: [OPTIONS], auth: none, upstream: api", "path: /cors/**, upstream: api",
            ] + configuration.routes
    })
struct NoBypassTests: SharedScenarioSuite {
    static let healthChecks: [String] = [
        "User-Agent: GoogleHC/1.0", "User-Agent: kube-probe/1.30", "User-Agent: ELB-HealthChecker/2.0",
        "User-Agent: Envoy/HC", "User-Agent: Amazon-Route53-Health-Check-Service", "User-Agent: Go-http-client/1.1",
        "User-Agent: curl/8.0", "User-Agent:", "X-Health-Check: 1", "X-Envoy-Healthchecked-Cluster: a",
        "X-Internal: true", "X-Forwarded-For: 127.0.0.1", "Referer: http://gateway.example/public/x",
        "Host-Override: localhost", "X-Requested-With: XMLHttpRequest", "Sec-Fetch-Mode: cors",
        "Upgrade-Insecure-Requests: 1",
        "Purpose: prefetch", "DNT: 1", "Authorization:",
    ]

    @Test(.tags(.c01), arguments: healthChecks, ["/me/x", "/strict/x", "/me/healthz", "/me/livez"])
    func `no field that describes the client is a credential`(line: String, target: String) throws {
        let (response, count) = try scenario.forwarded { try scenario.send(.get(target, line)) }
        #expect(response.status == 401, "\(line)")
        #expect(count == 0, "\(line)")
    }

    @Test(
        .tags(.c01, .l08),
        arguments: [
            "/livez", "/readyz", "/metrics", "/healthz", "/health", "/ping", "/status", "/v1/keys", "/v1/routes",
        ])
    func `health is served on the admin port only`(target: String) throws {
        for host in ["gateway.example", "localhost", "127.0.0.1:\(scenario.gateway.adminPort)"] {
            let request = WireRequest(
                target: target, fields: ["Authorization: Bearer \(GatewayConfiguration.adminToken)"], host: host)
            try scenario.expectRefusal(request, 404, "route/not-found")
        }
    }

    static let options: [[String]] = [
        [], ["Origin: https://a.example"], ["Access-Control-Request-Method: PUT"],
        ["Origin: https://a.example", "Access-Control-Request-Method: PUT"],
        ["Origin: null", "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: authorization"],
        ["Origin: https://gateway.example", "Access-Control-Request-Method: OPTIONS"],
    ]

    @Test(.tags(.c02, .c03), arguments: options)
    func `a preflight exempts no request from authentication`(lines: [String]) throws {
        let request = WireRequest(method: "OPTIONS", target: "/me/x", fields: lines)
        try scenario.expectRefusal(request, 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test(.tags(.c03), arguments: options)
    func `a preflight that a route forwards carries no identity`(lines: [String]) throws {
        let cookie = try scenario.cookie(.ada)
        let fields = lines + ["Cookie: __session=\(cookie)", "X-Auth-Uid: ada"]
        let report = try scenario.passes(WireRequest(method: "OPTIONS", target: "/cors/x", fields: fields))
        #expect(report.lines.filter { $0.hasPrefix("x-auth") || $0.hasPrefix("cookie") } == [])
        // The preflight permits no later request on the connection.
        let client = try scenario.connect()
        _ = try client.exchange(WireRequest(method: "OPTIONS", target: "/cors/x", fields: lines))
        for method in ["GET", "PUT", "POST"] {
            let request = WireRequest(method: method, target: "/cors/x", fields: lines + ["Content-Length: 0"])
            #expect(try client.exchange(request).status == 401)
        }
    }

    static let methods: [(text: RawRequest, status: [Int])] = [
        ("GET /me/x? HTTP/1.1 /x HTTP/1.1\nHost: a\n\n", [400]), ("get /me/x HTTP/1.1\nHost: a\n\n", [401]),
        ("get /public/x HTTP/1.1\nHost: a\n\n", [200, 400, 405]),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA /me/x HTTP/1.1\nHost: a\n\n", [400, 401, 405]),
        ("\u{C7}ET /public/x HTTP/1.1\nHost: a\n\n", [400]), ("GE\u{0}T /public/x HTTP/1.1\nHost: a\n\n", [400]),
        ("G(T /public/x HTTP/1.1\nHost: a\n\n", [400]), (" GET /public/x HTTP/1.1\nHost: a\n\n", [400]),
        ("GET\t/public/x HTTP/1.1\nHost: a\n\n", [400]), ("GET /methods HTTP/1.1\nHost: a\n\n", [401]),
        ("get /methods HTTP/1.1\nHost: a\n\n", [400, 405]), ("GET, PUT /methods HTTP/1.1\nHost: a\n\n", [400]),
        ("PATCH /methods HTTP/1.1\nHost: a\nX-HTTP-Method-Override: GET\n\n", [405]),
        ("PATCH /methods?_method=GET HTTP/1.1\nHost: a\n\n", [405]),
        ("PRI * HTTP/2.0\n\nSM\n\n", [400]),
    ]

    @Test(.tags(.c04), arguments: methods)
    func `a method matches literally or not at all`(row: (text: RawRequest, status: [Int])) throws {
        let (response, count) = try scenario.forwarded { try scenario.send(row.text) }
        #expect(row.status.contains(response.status), "\(row.text.text): \(response.status)")
        #expect(count == (response.status == 200 ? 1 : 0))
    }

    @Test func `the denial of a method lists the methods of the route`() throws {
        let authorization = "Authorization: Bearer \(try scenario.token())"
        let denied = WireRequest(method: "DELETE", target: "/methods", fields: [authorization])
        let response = try scenario.send(denied)
        expectDenial(response, 405, "request/method-not-allowed")
        #expect(response["Allow"] == "GET, HEAD, PUT")
        let head = WireRequest(method: "HEAD", target: "/methods", fields: [authorization])
        #expect(try scenario.send(head).status == 200)
    }

    static let tunnels: [RawRequest] = [
        "CONNECT gateway.example:443 HTTP/1.1\nHost: gateway.example:443\n\n\u{16}\u{3}\u{1}early data",
        "CONNECT gateway.example:443 HTTP/1.1\nHost: gateway.example:443\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n",
        "CONNECT gateway.example:443 HTTP/1.1\nHost: gateway.example:443\nContent-Length: 5\n\nhello",
        "CONNECT gateway.example:443 HTTP/1.1\nHost: gateway.example:443\n\nGET /public/smuggled HTTP/1.1\nHost: a\n\n",
        "CONNECT /public/x HTTP/1.1\nHost: a\n\nGET /public/smuggled HTTP/1.1\nHost: a\n\n",
        "connect gateway.example:443 HTTP/1.1\nHost: gateway.example:443\n\n",
        "TRACE /public/x HTTP/1.1\nHost: a\nAuthorization: Bearer TOKEN\n\n",
        "TRACE /me/x HTTP/1.1\nHost: a\nAuthorization: Bearer TOKEN\nMax-Forwards: 0\n\n",
        "TRACE * HTTP/1.1\nHost: a\n\n", "TRACK /me/x HTTP/1.1\nHost: a\n\n",
    ]

    @Test(.tags(.c06, .c07), arguments: tunnels)
    func `CONNECT opens no tunnel and TRACE echoes nothing`(request: RawRequest) throws {
        let before = scenario.echo.requestCount
        let client = try scenario.connect()
        try client.send(request.bytes(scenario))
        let response = try client.response()
        #expect([400, 401, 405].contains(response.status), "\(response.status)")
        #expect(!response.text.lowercased().contains("bearer ey"))
        let isTunnel = request.text.lowercased().hasPrefix("connect")
        if isTunnel { #expect(response["Connection"]?.lowercased() == "close", "\(response.fields)") }
        client.finishSending()
        let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
        if isTunnel { #expect(rest == "") }
        #expect(scenario.echo.requestCount == before)
    }

    @Test(
        .tags(.c09), arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "REPORT", "X"])
    func `every method is denied before its body is read`(method: String) throws {
        let expectations = ["Expect: 100-continue", "expect: 100-Continue", "X-None: a"]
        for framing in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
            for expectation in expectations {
                let (response, count) = try scenario.forwarded {
                    try scenario.send(
                        RawRequest(
                            stringLiteral: "\(method) /me/c09 HTTP/1.1\nHost: a\n\(expectation)\n\(framing)\n\n"))
                }
                #expect(response.status == 401, "\(framing) \(expectation)")
                #expect(count == 0)
            }
        }
    }

    static let presentButInvalid: [RefusedToken] =
        [
            .init("an unknown issuer") {
                try $0.token { $0.setting("iss", to: "https://evil.example/demo-gatehouse") }
            },
            .init("expired", "auth/id-token-expired") { try $0.token { $0.expiring(at: unixNow() - 1) } },
            .init("an unknown key") { try $0.token { $0.settingHeader("kid", to: "0123456789") } },
            .init("text", "auth/argument-error") { _ in "x" }, .init("nothing", "auth/argument-error") { _ in "" },
            .init("C-12 unsigned") { $0.provider.idToken(for: .ada).unsigned() },
            .init("C-12 unsigned, with a kid") {
                let kid = try #require(keyIdentifier(of: $0.token()))
                return $0.provider.idToken(for: .ada).settingHeader("kid", to: .string(kid)).unsigned()
            },
            .init("C-12 forged for root") { $0.provider.idToken(for: .named("root")).unsigned() + "AAAA" },
            .init("C-12 with an HMAC of nothing") { try $0.provider.idToken(for: .ada).signed(secret: []) },
        ]
        + Tampering.allCases.map { how in
            .init("tampered: \(how)") { how.applied(to: try $0.token()) }
        }

    @Test(.tags(.c10, .c12), arguments: presentButInvalid, ["/optional/c10", "/me/c10"])
    func `an invalid credential is not a missing one`(token: RefusedToken, target: String) throws {
        try scenario.expectRefusal(
            .bearer(token.make(scenario), target, "X-Auth-Uid: root"), 401, token.code, token.what)
    }

    @Test(.tags(.c12)) func `the claims of a forged token have no effect`() async throws {
        try await Scenario.run { scenario in
            let forged = scenario.provider.idToken(for: .named("forged-root")).unsigned()
            for target in ["/optional/x", "/me/x", "/public/x", "/apple/x", "/recent/x"] {
                _ = try scenario.send(.bearer(forged, target))
            }
            #expect(await scenario.accessLog().count == 5)
            #expect(!scenario.gateway.output.contains("forged-root"))
            #expect(!scenario.echo.received.contains { $0.fields.contains { $0.value.contains("forged") } })
        }
    }
}
