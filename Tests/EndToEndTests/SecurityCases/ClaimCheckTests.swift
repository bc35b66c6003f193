import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

/// Claims of properly signed tokens.
@Suite(.sharedScenario) struct ClaimCheckTests: SharedScenarioSuite {
    static let audiences: [JSON] = [
        "other-project", "", nil, 7, true, [], ["demo-gatehouse"], ["demo-gatehouse", "other"],
        ["other", "demo-gatehouse"],
        "demo-gatehouse ", " demo-gatehouse", "DEMO-GATEHOUSE", "demo-gatehouse\u{0}", "demo-gatehouse2", "demo",
        "projects/demo-gatehouse", ["aud": "demo-gatehouse"], "https://securetoken.google.com/demo-gatehouse", "*",
    ]

    @Test(.tags(.e01, .e03), arguments: audiences)
    func `only the configured audience is accepted`(audience: JSON) throws {
        for target in ["/me/e01", "/optional/e01"] {
            try scenario.expectRefusal(
                .bearer(scenario.token { $0.setting("aud", to: audience) }, target), 401, "auth/invalid-id-token")
            try scenario.expectRefusal(
                .cookie(scenario.cookie { $0.setting("aud", to: audience) }, target), 401, "auth/invalid-session-cookie"
            )
        }
    }

    @Test(.tags(.e01, .e04, .e09), arguments: ["aud", "iss", "sub", "exp", "auth_time"])
    func `G-11: a token without a required claim is invalid`(claim: String) throws {
        try scenario.expectRefusal(
            .bearer(scenario.token { $0.removing(claim) }, "/me/absent"), 401, "auth/invalid-id-token", claim)
    }

    private static let google = "https://securetoken.google.com/"
    static let issuers: [JSON] = [
        .string(google + "other-project"), .string(google + "staging"), .string(google),
        .string(google + "demo-gatehouse/"),
        .string(google + "demo-gatehouse?x"), .string(google + "demo-gatehouse#"), .string(google + "Demo-Gatehouse"),
        .string(google + "demo-gatehouse/../demo-gatehouse"), "http://securetoken.google.com/demo-gatehouse",
        "https://securetoken.google.com:443/demo-gatehouse",
        "https://securetoken.google.com.evil.example/demo-gatehouse",
        "https://evil.example/https://securetoken.google.com/demo-gatehouse",
        "HTTPS://securetoken.google.com/demo-gatehouse",
        "https://securetoken.google.com/demo%2Dgatehouse", "https://accounts.google.com", "", nil, 1,
        [.string(google + "demo-gatehouse")], "https://session.firebase.google.com/demo-gatehouse",
    ]

    /// All Firebase projects share their keys, so only `iss` and `aud` distinguish them.
    @Test(.tags(.e04, .e19, .f24), arguments: issuers)
    func `the issuer is compared byte by byte`(issuer: JSON) throws {
        try scenario.expectRefusal(
            .bearer(scenario.token { $0.setting("iss", to: issuer) }, "/me/e04"), 401, "auth/invalid-id-token")
        guard issuer != "https://session.firebase.google.com/demo-gatehouse" else { return }
        try scenario.expectRefusal(
            .cookie(scenario.cookie { $0.setting("iss", to: issuer) }, "/me/e04"), 401, "auth/invalid-session-cookie")
    }

    static let subjects: [JSON] = [
        "", nil, 7, 0, true, [], ["ada"], [:], .string(String(repeating: "s", count: 129)),
        .string(String(repeating: "\u{e4}", count: 65)), .string(String(repeating: "s", count: 5000)),
    ]

    @Test(.tags(.e09), arguments: subjects)
    func `the subject is a string of 1 to 128 bytes`(subject: JSON) throws {
        let token = try scenario.token { $0.setting("sub", to: subject).setting("user_id", to: subject) }
        try scenario.expectRefusal(.bearer(token, "/me/e09"), 401, "auth/invalid-id-token")
    }

    @Test(.tags(.e09)) func `a subject of 128 bytes is accepted`() throws {
        let uid = String(repeating: "\u{e4}", count: 64)
        let report = try scenario.passes(.bearer(scenario.token(.named(uid)), "/me/e09"))
        #expect(report["X-Auth-Uid"]?.removingPercentEncoding == uid)
        try scenario.expectRefusal(
            .bearer(scenario.token { $0.setting("user_id", to: "root") }, "/me/e09"), 401, "auth/invalid-id-token")
    }

    /// Seconds from now, and whether the token passes. The skew is 5 s. Unit tests cover the exact limits.
    static let times: [(claim: String, offset: Int64, passes: Bool)] = [
        ("iat", 3, true), ("iat", 12, false), ("iat", 3600, false), ("iat", -3600, true), ("iat", -1_000_000_000, true),
        ("nbf", 3, true), ("nbf", 12, false), ("nbf", -3600, true), ("auth_time", 3, true), ("auth_time", 12, false),
        ("auth_time", -1_000_000_000, true), ("exp", 30, true), ("exp", 0, false), ("exp", -3, false),
        ("exp", -4000, false),
    ]

    @Test(.tags(.e08, .e11), arguments: times)
    func `the clock skew applies to future times and never to the expiry`(
        row: (claim: String, offset: Int64, passes: Bool)
    ) throws {
        let time = JSON.integer(unixNow() + row.offset)
        let token = try scenario.token { $0.setting(row.claim, to: time) }
        let response = try scenario.send(.bearer(token, "/me/e08"))
        guard !row.passes else { return #expect(response.status == 200, "\(row) \(response.text)") }
        expectDenial(response, 401, row.claim == "exp" ? "auth/id-token-expired" : "auth/invalid-id-token")
    }

    @Test(.tags(.e10)) func `each kind of token is accepted only where it belongs`() throws {
        let custom = try scenario.provider.sign(.customToken(for: .robot, now: unixNow()))
        let legacy = try FirebaseToken.legacyCustomToken(for: .robot, now: unixNow()).signed(secret: [1])
        let rows: [(String, WireRequest, String)] = try [
            ("an ID token in the cookie", .cookie(scenario.token(), "/me/x"), "auth/invalid-session-cookie"),
            ("a session in the header", .bearer(scenario.cookie(), "/me/x"), "auth/invalid-id-token"),
            ("a custom token", .bearer(custom, "/me/x"), "auth/argument-error"),
            ("a custom token in the cookie", .cookie(custom, "/me/x"), "auth/argument-error"),
            ("a legacy one", .bearer(legacy, "/me/x"), "auth/argument-error"),
            ("a legacy one in the cookie", .cookie(legacy, "/me/x"), "auth/argument-error"),
            (
                "an ID token with the issuer of session cookies",
                .cookie(
                    scenario.token { $0.setting("iss", to: "https://session.firebase.google.com/demo-gatehouse") },
                    "/me/x"),
                "auth/invalid-session-cookie"
            ),
            (
                "a session cookie with the issuer of ID tokens",
                .bearer(
                    scenario.cookie { $0.setting("iss", to: "https://securetoken.google.com/demo-gatehouse") }, "/me/x"),
                "auth/invalid-id-token"
            ),
            (
                "a custom token with a kid",
                .bearer(
                    scenario.token { $0.setting("aud", to: .string(FirebaseToken.customTokenAudience)) }, "/me/x"),
                "auth/argument-error"
            ),
        ]
        for row in rows { try scenario.expectRefusal(row.1, 401, row.2, row.0) }
    }

    static let tenants: [JSON] = ["corp-abc12", "", "*", 1, ["corp"], ["a": 1], true]

    @Test(.tags(.e11), arguments: tenants)
    func `a token of a tenant is rejected where no tenant is configured`(tenant: JSON) throws {
        let token = try scenario.token { $0.setting("firebase", "tenant", to: tenant) }
        let response = try scenario.send(.bearer(token, "/me/e11"))
        let isText = if case .string = tenant { true } else { false }
        expectDenial(response, 401, isText ? "auth/tenant-id-mismatch" : "auth/invalid-id-token")
    }

    /// Sign-in providers on a route that lists one. Only the claim that Firebase sets is compared, byte for byte.
    static let providers: [(what: String, change: @Sendable (FirebaseToken) -> FirebaseToken, status: Int)] = [
        ("another", { $0 }, 403),
        ("in another case", { $0.setting("firebase", "sign_in_provider", to: "Apple.com") }, 403),
        ("its short name", { $0.setting("firebase", "sign_in_provider", to: "apple") }, 403),
        ("a subdomain", { $0.setting("firebase", "sign_in_provider", to: "x.apple.com") }, 403),
        ("with a dot", { $0.setting("firebase", "sign_in_provider", to: "apple.com.") }, 403),
        ("none", { $0.removing("firebase", "sign_in_provider") }, 403), ("no member", { $0.removing("firebase") }, 403),
        ("a list", { $0.setting("firebase", "sign_in_provider", to: ["apple.com"]) }, 401),
        ("linked only", { $0.setting("firebase", "identities", "apple.com", to: ["1"]) }, 403),
        (
            "in a claim beside",
            { $0.setting("sign_in_provider", to: "apple.com").setting("provider", to: "apple.com") }, 403
        ),
        ("in a dotted claim", { $0.setting("firebase.sign_in_provider", to: "apple.com") }, 403),
        (
            "a custom token's claim",
            { $0.setting("firebase", "sign_in_provider", to: "custom").setting("provider_id", to: "apple.com") }, 403
        ),
        ("Apple", { $0.setting("firebase", "sign_in_provider", to: "apple.com") }, 200),
    ]

    @Test(.tags(.e06), arguments: providers)
    func `only a listed provider is permitted`(
        row: (what: String, change: @Sendable (FirebaseToken) -> FirebaseToken, status: Int)
    ) throws {
        let requests = try [
            WireRequest.bearer(scenario.token(.ada, row.change), "/apple/x"),
            .cookie(scenario.cookie(.ada, row.change), "/apple/x"),
        ]
        for request in requests {
            let (response, count) = try scenario.forwarded { try scenario.send(request) }
            #expect(response.status == row.status, "\(row.what): \(response.text)")
            #expect(count == (row.status == 200 ? 1 : 0))
        }
    }
}
