import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Requirements of routes on the sign-in, which apply to each request and route separately.
@Suite(
    .sharedScenario { configuration in
        configuration.routes =
            [
                "path: /hour/**, recent_sign_in: 1h, upstream: api",
                "path: /hour/minutes/**, recent_sign_in: 5m, upstream: api",
                "path: /minutes/**, recent_sign_in: 5m, upstream: api",
                "path: /minutes/hour/**, recent_sign_in: 1h, upstream: api",
                "path: /strong/**, recent_sign_in: 5m, second_factor: required, providers: [google.com], upstream: api",
            ] + configuration.routes
    })
struct StepUpCaseTests: SharedScenarioSuite {
    private static func challenge(_ seconds: Int) -> String {
        "Bearer error=\"insufficient_user_authentication\", max_age=\"\(seconds)\""
    }

    static let bounds: [(target: String, age: Int64, limit: Int)] = [
        ("/hour/x", 4000, 3600), ("/hour/minutes/x", 400, 300), ("/minutes/x", 400, 300),
        ("/minutes/hour/x", 4000, 3600),
        ("/recent/x", 301, 300), ("/hour/../minutes/x", 400, 300), ("/hour/%6dinutes/x", 400, 300),
    ]

    /// The other route is requested first, so that the token is in the cache.
    @Test(.tags(.i01, .i08), arguments: bounds)
    func `each route applies its own maximum age, whatever another route decided`(
        row: (target: String, age: Int64, limit: Int)
    ) throws {
        let token = try scenario.token { $0.signedIn(at: unixNow() - row.age) }
        let cookie = try scenario.cookie(.ada) { $0.signedIn(at: unixNow() - row.age) }
        let lax = row.limit == 300 ? "/hour/x" : "/me/x"
        #expect(try scenario.send(.bearer(token, lax)).status == 200)
        for request in [WireRequest.bearer(token, row.target), .cookie(cookie, row.target)] {
            try scenario.expectRefusal(
                request, 401, "auth/requires-recent-login", challenge: Self.challenge(row.limit), row.target)
        }
        #expect(try scenario.send(.bearer(token, lax)).status == 200)
    }

    /// Other recent times and claims have no effect.
    static let freshness: [(what: String, change: @Sendable (FirebaseToken) -> FirebaseToken)] = [
        ("iat", { $0.issued(at: unixNow()) }), ("iat ahead", { $0.issued(at: unixNow() + 3) }),
        ("nbf", { $0.setting("nbf", to: .integer(unixNow())) }),
        ("amr", { $0.setting("amr", to: ["mfa"]).setting("acr", to: "2") }),
        (
            "a claim like it",
            { $0.setting("authTime", to: .integer(unixNow())).setting("signed_in_at", to: .integer(unixNow())) }
        ),
        ("within firebase", { $0.setting("firebase", "auth_time", to: .integer(unixNow())) }),
        ("updated_at", { $0.setting("updated_at", to: .integer(unixNow())) }),
    ]

    @Test(.tags(.i02), arguments: freshness)
    func `only the sign-in time makes a sign-in recent`(
        row: (what: String, change: @Sendable (FirebaseToken) -> FirebaseToken)
    ) throws {
        let token = try scenario.token { row.change($0.signedIn(at: unixNow() - 4000).issued(at: unixNow() - 4000)) }
        try scenario.expectRefusal(
            .bearer(token, "/recent/i02"), 401, "auth/requires-recent-login", challenge: Self.challenge(300), row.what)
    }

    private static let secondFactor = "Bearer error=\"insufficient_user_authentication\""

    static let methods:
        [(what: String, change: @Sendable (FirebaseToken) -> FirebaseToken, status: Int, code: String)] = [
            (
                "anonymous", { $0.setting("firebase", "sign_in_provider", to: "anonymous") }, 403,
                "auth/permission-denied"
            ),
            ("custom", { $0.setting("firebase", "sign_in_provider", to: "custom") }, 403, "auth/permission-denied"),
            (
                "a link by mail", { $0.setting("firebase", "sign_in_provider", to: "emailLink") }, 403,
                "auth/permission-denied"
            ),
            ("no provider", { $0.removing("firebase", "sign_in_provider") }, 403, "auth/permission-denied"),
            ("no second factor", { $0 }, 401, "auth/second-factor-required"),
            (
                "an empty one", { $0.setting("firebase", "sign_in_second_factor", to: "") }, 401,
                "auth/second-factor-required"
            ),
            (
                "one that is not a string", { $0.setting("firebase", "sign_in_second_factor", to: true) }, 401,
                "auth/invalid-id-token"
            ),
            (
                "one in another claim", { $0.setting("sign_in_second_factor", to: "totp") }, 401,
                "auth/second-factor-required"
            ),
            ("one in amr", { $0.setting("amr", to: ["mfa"]) }, 401, "auth/second-factor-required"),
            (
                "an enrolled one", { $0.setting("firebase", "second_factor_identifier", to: "x") }, 401,
                "auth/second-factor-required"
            ),
            (
                "everything but fresh", { $0.withSecondFactor("totp").signedIn(at: unixNow() - 400) }, 401,
                "auth/requires-recent-login"
            ),
        ]

    @Test(.tags(.i03), arguments: methods)
    func `a recent sign-in by a weaker method is not enough`(
        row: (what: String, change: @Sendable (FirebaseToken) -> FirebaseToken, status: Int, code: String)
    ) throws {
        let challenge: String? =
            switch row.code {
            case "auth/second-factor-required": Self.secondFactor
            case "auth/requires-recent-login": Self.challenge(300)
            default: nil
            }
        try scenario.expectRefusal(
            .bearer(scenario.token(.ada, row.change), "/strong/i03"), row.status, row.code, challenge: challenge,
            row.what)
    }

    @Test(.tags(.i03)) func `a recent strong sign-in is permitted`() throws {
        _ = try scenario.passes(.bearer(scenario.token { $0.withSecondFactor("phone") }, "/strong/i03"))
    }

    /// Ages are whole seconds: the exact maximum passes, and one more second does not. All requests of a round have the
    /// same time.
    @Test(.tags(.i06)) func `the maximum age is exact and the clock skew is not added to it`() throws {
        for _ in 0..<20 {
            let now = unixNow()
            let statuses = try [300, 301, 305, 306].map { age in
                try scenario.send(.bearer(scenario.token { $0.signedIn(at: now - age) }, "/recent/i06")).status
            }
            guard unixNow() == now else { continue }
            return #expect(statuses == [200, 401, 401, 401])
        }
        Issue.record("each of the 20 rounds took longer than a clock second")
    }

    @Test(.tags(.i06)) func `a sign-in in the future is recent only within the clock skew`() throws {
        let soon = try scenario.token { $0.signedIn(at: unixNow() + 3) }
        #expect(try scenario.send(.bearer(soon, "/recent/i06")).status == 200)
        let later = try scenario.token { $0.signedIn(at: unixNow() + 60) }
        try scenario.expectRefusal(.bearer(later, "/recent/i06"), 401, "auth/invalid-id-token")
    }

    /// Sends a request, which must be permitted at first, until it is denied. On a slow machine, `end` can have passed.
    private func firstDenial(of request: WireRequest, at end: Int64) async throws -> WireResponse {
        let first = try scenario.send(request)
        #expect(first.status == 200 || unixNow() >= end, "\(first.text)")
        return try await eventually("a denial") {
            let response = try scenario.send(request)
            return response.status == 200 ? nil : response
        }
    }

    @Test func `G-11: a verified token still expires`() async throws {
        let end = unixNow() + 2
        let token = try scenario.token { $0.expiring(at: end) }
        expectDenial(try await firstDenial(of: .bearer(token, "/me/x"), at: end), 401, "auth/id-token-expired")
        #expect(unixNow() >= end)
    }

    @Test(.tags(.i06)) func `a recent sign-in becomes too old`() async throws {
        let signedIn = unixNow() - 298
        let token = try scenario.token { $0.signedIn(at: signedIn) }
        let denial = try await firstDenial(of: .bearer(token, "/recent/x"), at: signedIn + 301)
        expectDenial(denial, 401, "auth/requires-recent-login", challenge: Self.challenge(300))
        #expect(unixNow() > signedIn + 300)
    }

    /// Kinds of clients, by the fields of their requests.
    static let clients: [(what: String, fields: [String])] = [
        (
            "a page",
            ["Accept: text/html,application/xhtml+xml", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
        ),
        ("a program", ["Accept: application/json"]), ("without Accept", []), ("an image", ["Accept: image/*"]),
        ("a stream", ["Accept: text/event-stream"]), ("XHR", ["X-Requested-With: XMLHttpRequest"]),
        (
            "a WebSocket",
            [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
        ),
        ("h2c", ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"]),
    ]

    @Test(.tags(.i12), arguments: clients)
    func `every client gets JSON and no redirect`(row: (what: String, fields: [String])) throws {
        let old = try scenario.token { $0.signedIn(at: unixNow() - 4000) }
        let rows: [(WireRequest, Int, String, String?)] = [
            (.get("/me/i12"), 401, "auth/missing-credential", "Bearer"),
            (.bearer(old, "/recent/i12"), 401, "auth/requires-recent-login", Self.challenge(300)),
            (.bearer(old, "/apple/i12"), 403, "auth/permission-denied", nil),
        ]
        for (request, status, code, challenge) in rows {
            var request = request
            request.fields += row.fields
            let response = try scenario.send(request)
            expectDenial(response, status, code, challenge: challenge, row.what)
            #expect(response["Location"] == nil && response["Refresh"] == nil && response["Set-Cookie"] == nil)
        }
    }

    static let calls: [(what: String, type: String)] = [
        ("plain", "application/grpc"), ("with a codec", "application/grpc+proto"), ("in capitals", "APPLICATION/GRPC"),
        ("with a parameter", "application/grpc; charset=utf-8"),
    ]

    @Test(.tags(.i12), arguments: calls)
    func `a gRPC call gets a trailers-only response`(row: (what: String, type: String)) throws {
        let old = try scenario.token { $0.signedIn(at: unixNow() - 4000) }
        let rows: [(target: String, token: String?, status: String)] = [
            ("/me/S/C", nil, "16"), ("/recent/S/C", old, "16"), ("/apple/S/C", old, "7"), ("/down/S/C", nil, "12"),
        ]
        for call in rows {
            let credential = call.token.map { ["Authorization: Bearer \($0)"] } ?? []
            let response = try scenario.send(
                WireRequest(
                    method: "POST", target: call.target,
                    fields: ["Content-Type: \(row.type)", "TE: trailers", "Content-Length: 0"] + credential))
            #expect(response.status == 200, "\(row.what) \(call.target)")
            #expect(response["grpc-status"] == call.status, "\(row.what) \(call.target)")
            #expect(response["Content-Type"] == "application/grpc" && response.body == [])
            #expect(response["Location"] == nil)
        }
    }
}
