import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Denials contain their reason only, and no input of the request.
@Suite(.sharedScenario) struct RefusalFormTests: SharedScenarioSuite {
    static let invalidToken = "Bearer error=\"invalid_token\""
    static let stepUp = "Bearer error=\"insufficient_user_authentication\""

    struct Row: Sendable, CustomTestStringConvertible {
        let what: String
        let status: Int
        let code: String
        let challenge: String?
        let make: @Sendable (Scenario) throws -> WireRequest
        var testDescription: String { what }

        init(
            _ what: String, _ status: Int, _ code: String, _ challenge: String?,
            _ make: @escaping @Sendable (Scenario) throws -> WireRequest
        ) {
            self.what = what
            self.status = status
            self.code = code
            self.challenge = challenge
            self.make = make
        }
    }

    static let rows: [Row] = [
        Row("missing", 401, "auth/missing-credential", "Bearer") { _ in .get("/me/l14") },
        Row("invalid", 401, "auth/invalid-id-token", invalidToken) {
            .bearer(Tampering.payload.applied(to: try $0.token()), "/me/l14")
        },
        Row("no token", 401, "auth/argument-error", invalidToken) { _ in .bearer("x", "/me/l14") },
        Row("another scheme", 401, "auth/argument-error", invalidToken) { _ in
            .get("/me/l14", "Authorization: Basic dTpw")
        },
        Row("expired", 401, "auth/id-token-expired", invalidToken) {
            .bearer(try $0.token { $0.expiring(at: 5) }, "/me/l14")
        },
        Row("an expired cookie", 401, "auth/session-cookie-expired", invalidToken) {
            .cookie(try $0.cookie { $0.expiring(at: 5) }, "/me/l14")
        },
        Row("an invalid cookie", 401, "auth/invalid-session-cookie", invalidToken) {
            .cookie(try $0.token(), "/me/l14")
        },
        Row("revoked", 401, "auth/id-token-revoked", invalidToken) {
            try $0.admin("POST", "/v1/users/l14-revoked/revoke")
            return .bearer(try $0.token(.named("l14-revoked")) { $0.signedIn(at: unixNow() - 100) }, "/me/l14")
        },
        Row("a revoked cookie", 401, "auth/session-cookie-revoked", invalidToken) {
            try $0.admin("POST", "/v1/users/l14-cookie/revoke")
            return .cookie(try $0.cookie(.named("l14-cookie")) { $0.signedIn(at: unixNow() - 100) }, "/me/l14")
        },
        Row("disabled", 401, "auth/user-disabled", invalidToken) {
            try $0.admin("POST", "/v1/users/l14-disabled/disable")
            return .bearer(try $0.token(.named("l14-disabled")), "/me/l14")
        },
        Row("another tenant", 401, "auth/tenant-id-mismatch", invalidToken) {
            .bearer(try $0.token { $0.inTenant("x") }, "/me/l14")
        },
        Row("step-up", 401, "auth/requires-recent-login", stepUp + ", max_age=\"300\"") {
            .bearer(try $0.token { $0.signedIn(at: unixNow() - 4000) }, "/recent/l14")
        },
        Row("a second factor", 401, "auth/second-factor-required", stepUp) { .bearer(try $0.token(), "/second/l14") },
        Row("not allowed", 403, "auth/permission-denied", nil) { .bearer(try $0.token(), "/apple/l14") },
        Row("two credentials", 400, "request/ambiguous-credentials", nil) {
            .bearer(try $0.token(), "/me/l14", "Cookie: __session=\(try $0.cookie())")
        },
        Row("a bad path", 400, "request/malformed", nil) { _ in .get("/me/%00") },
        Row("no route", 404, "route/not-found", nil) { _ in .get("/nowhere") },
        Row("another method", 405, "request/method-not-allowed", nil) { _ in
            WireRequest(method: "DELETE", target: "/methods")
        },
        Row("too large", 413, "request/too-large", nil) { _ in
            .post("/small/x", body: [UInt8](repeating: 1, count: 2000))
        },
        Row("an unreachable upstream", 502, "upstream/unreachable", nil) { _ in .get("/down/l14") },
        Row("an upstream with an invalid response", 502, "upstream/invalid-response", nil) { _ in
            .get("/public/x?raw=garbage")
        },
        Row("an upstream that exceeds the timeout", 504, "upstream/timeout", nil) { _ in .get("/hasty/x?delay=5000") },
    ]

    /// Texts that no response contains: keys, versions, addresses, other users, and errors of libraries.
    private static let inside = [
        "kid", "jwk", "rsa", "openssl", "libcrypto", "signature", "sqlite", "127.0.0.1", "localhost", "/users/",
        ".swift", "errno",
        "econnrefused", "revoked at", "valid_since", "gatehouse/", "nio", "http/1.1 502",
    ]

    @Test(.tags(.l14), arguments: rows)
    func `each reason has its own code and challenge`(_ row: Row) throws {
        let response = try scenario.send(row.make(scenario))
        expectDenial(response, row.status, row.code, challenge: row.challenge, row.what)
        #expect(response.values("WWW-Authenticate").count == (row.status == 401 ? 1 : 0))
        #expect(response["Cache-Control"] == "no-store")
        #expect(response["Location"] == nil && response["Set-Cookie"] == nil && response["Server"] == nil)
        let text = response.text.lowercased().replacing("\"code\":\"\(row.code)\"", with: "")
        for word in Self.inside { #expect(!text.contains(word), "\(word): \(response.text)") }
    }

    @Test(.tags(.l14)) func `no two reasons share a code`() {
        let pairs = Set(Self.rows.map { "\($0.code) \($0.status)" })
        #expect(pairs.count == Set(Self.rows.map(\.code)).count)
    }

    /// Values that a page would execute or a browser would follow.
    static let reflections = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "javascript:alert(1)", "{{7*7}}",
        "${jndi:ldap://x}",
        "//evil.example", "/\\evil.example", "%09//evil.example", "https://evil.example",
    ]

    @Test(.tags(.l04, .l05), arguments: reflections)
    func `a denial contains no input of the request and never redirects`(value: String) throws {
        let encoded = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let requests = [
            WireRequest.get("/nowhere/\(encoded)?rd=\(encoded)", "Referer: \(value)", "User-Agent: \(value)"),
            .get("/me/x?rd=\(encoded)&redirect_uri=\(encoded)", "X-Forwarded-Host: evil.example", "Origin: \(value)"),
            .get("/me/x", "Authorization: \(value)"), .get("/me/x", "Authorization: Bearer \(value)"),
            .get("/me/%00\(encoded)", "Cookie: __session=eyJ.\(encoded).a"), .get("/down/\(encoded)"),
            WireRequest(method: "X", target: "/methods?\(encoded)", fields: ["X-Auth-Uid: \(value)"]),
            WireRequest(target: "/nowhere", host: "evil.example"),
        ]
        for request in requests {
            let response = try scenario.send(request)
            #expect(response.status >= 400 && response["Content-Type"] == "application/problem+json")
            #expect(response["Location"] == nil && response["Refresh"] == nil)
            let answer = response.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") + response.text
            for piece in ["evil", "alert", "jndi", "7*7", value] { #expect(!answer.contains(piece), "\(answer)") }
        }
    }

    static let endpoints = [
        "/.gatehouse/auth", "/.gatehouse/jwks.json", "/.gatehouse/sign-in", "/oauth2/userinfo", "/oauth2/auth",
        "/debug/pprof/",
        "/debug/vars", "/.pomerium/", "/v1/config", "/config/", "/server-info", "/actuator/env", "/stats", "/env",
    ]

    @Test(.tags(.l03), arguments: endpoints)
    func `no endpoint exposes tokens or internals`(target: String) throws {
        for method in ["GET", "POST"] {
            let request = WireRequest(
                method: method, target: target,
                fields: ["Authorization: Bearer \(try scenario.token())", "Content-Length: 0"])
            try scenario.expectRefusal(request, 404, "route/not-found")
            let known = try scenario.admin(method, target)
            #expect(known.status == 404, "\(target)")
        }
    }

    static let adminTargets = [
        "/v1/../livez", "/livez/", "/livezX", "/livez%00", "/livez[00]", "/LIVEZ", "//livez", "/./livez",
        "/livez/../v1/keys", "/livez;x",
        "/metrics/../v1/routes", "/v1/keys/", "/v1//keys", "/v1/keysX", "/v1/users/", "/v1/users//revoke",
        "/v1/users/a/b/revoke",
        "/v1/users/%2e%2e/revoke/x", "/%6Civez", "/v1%2Fkeys", "/v1/users/a%2Frevoke/../..", "/v1/keys%3Fx",
    ]

    @Test(.tags(.l07), arguments: adminTargets)
    func `the paths of the admin listener match exactly`(target: String) throws {
        for credential in ["", "Authorization: Bearer \(GatewayConfiguration.adminToken)"] {
            let response = try RawClient.exchange(
                scenario.gateway.adminPort,
                WireRequest(target: target, fields: credential.isEmpty ? [] : [credential], host: "localhost"))
            #expect([400, 401, 404, 405].contains(response.status), "\(target): \(response.status)")
            #expect(!response.text.contains("\"keys\"") && !response.text.contains("\"routes\""))
        }
    }

    static let adminCredentials = [
        "", "Bearer", "Bearer ", "Bearer \(GatewayConfiguration.adminToken)x",
        "Bearer \(GatewayConfiguration.adminToken.dropLast())",
        "Bearer \(GatewayConfiguration.adminToken.uppercased())", "Basic \(GatewayConfiguration.adminToken)",
        "\(GatewayConfiguration.adminToken)", "Bearer null", "Bearer admin", "Bearer undefined",
        "Bearer edd1c9f034335f136f87ad84b625c8f1",
        "Bearer \(GatewayConfiguration.adminToken)\nAuthorization: Bearer \(GatewayConfiguration.adminToken)",
    ]

    @Test(.tags(.l09, .l13), arguments: adminCredentials)
    func `only the admin token is accepted and all other tokens get the same response`(value: String) throws {
        var answers: Set<String> = []
        let requests = [
            "GET /v1/users/known", "GET /v1/users/unknown", "GET /v1/keys", "GET /v1/nothing", "GET /nothing",
            "POST /v1/users/known/revoke",
        ]
        for request in requests {
            let line = value.isEmpty ? "X: y" : "Authorization: \(value)"
            let text: RawRequest = "\(request) HTTP/1.1\nHost: localhost\n\(line)\n\n"
            let client = try RawClient(port: scenario.gateway.adminPort)
            try client.send(text.bytes(scenario))
            let response = try client.response()
            #expect(response.status == 401 || response.status == 400, "\(value): \(response.status)")
            answers.insert(
                response.text
                    + response.fields.filter { !["Date", "X-Request-Id"].contains($0.name) }.map { $0.name + $0.value }
                    .joined())
        }
        #expect(answers.count == 1, "the responses differ: \(answers)")
    }

    /// The response does not reveal whether a key, a user or a session exists.
    @Test(.tags(.l13)) func `an unknown credential gets the same response as a wrong one`() async throws {
        let time = unixNow() - 100
        try scenario.admin("POST", "/v1/users/l13-known/revoke")
        let known = try scenario.token()
        let tokens = try [
            Tampering.signatureBit.applied(to: known), Tampering.payload.applied(to: known),
            scenario.token { $0.settingHeader("kid", to: "0123456789abcdef0123456789abcdef01234567") },
            Tampering.signatureBit.applied(to: scenario.token(.named("l13-known")) { $0.signedIn(at: time) }),
            Tampering.signatureBit.applied(to: scenario.token { $0.expiring(at: 5) }),
            scenario.provider.sign(scenario.provider.sessionCookie(for: .ada)),
        ]
        var answers: [String] = []
        for token in tokens {
            // The read of the keys for an unknown one takes longer than a request waits if the machine is busy.
            let response = try await eventually("a verdict") {
                let response = try scenario.send(.bearer(token, "/me/l13"))
                return response.status == 503 ? nil : response
            }
            let id = response.text.firstRange(of: "\"request_id\"").map { String(response.text[..<$0.lowerBound]) }
            let fields = response.fields.filter { !["Date", "X-Request-Id"].contains($0.name) }
            answers.append("\(response.status) \(id ?? "") \(fields.map { $0.name + $0.value }.joined())")
        }
        #expect(Set(answers).count == 1, "\(Set(answers))")
    }

    private func areSimilar(_ times: [Duration]) -> Bool { times[0] < times[1] * 2 && times[1] < times[0] * 2 }

    /// Compares the fastest of many responses. The minimum contains the time of a lookup, but no scheduling delays.
    @Test(.tags(.l13)) func `a known user takes as long as an unknown one`() throws {
        for number in 0..<50 { try scenario.admin("POST", "/v1/users/l13-\(number)/revoke", body: "{\"at\": 1}") }
        let tokens = try ["l13-1", "l13-none"].map { try scenario.token(.named($0)) }
        let client = try scenario.connect()
        var fastest = [Duration.seconds(9), .seconds(9)]
        var rounds = 0
        // Further rounds exclude temporary delays. A systematic difference remains.
        while rounds < 300 || (rounds < 10_000 && !areSimilar(fastest)) {
            rounds += 1
            for (index, token) in tokens.enumerated() {
                let start = ContinuousClock.now
                #expect(try client.exchange(.bearer(token, "/strict/l13")).status == 200)
                fastest[index] = min(fastest[index], ContinuousClock.now - start)
            }
        }
        #expect(areSimilar(fastest), "\(fastest)")
    }
}
