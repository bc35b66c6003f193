import Authentication
import GatewayCore
import Revocation

@testable import CoreFixtures

/// firebase-admin for Java: `FirebaseTokenVerifierImplTest`. Its skew is 300 s, and its clock is at 2,002,000 s.
enum JavaVerify {
    private static let invalid = SDKRow.Verdict.refuses("INVALID_ID_TOKEN")

    static let rows: [SDKRow] =
        header + claims + [
            SDKRow("a valid token", sdk: .accepts, ours: .ok),
            SDKRow("a forged signature", sdk: invalid, ours: .invalidIDToken) { $0.signature = .forged },
            SDKRow(
                "the certificates cannot be fetched", sdk: .refuses("CERTIFICATE_FETCH_FAILED"), ours: .keysUnavailable
            ) { $0.keys = .unavailable },
            SDKRow("a malformed signature", sdk: invalid, ours: .argumentError) { $0.edit = { "\($0.dropLast(3))*" } },
            SDKRow("not.a.jwt", sdk: invalid, ours: .argumentError) { $0.edit = { _ in "not.a.jwt" } },
            SDKRow("an empty string", sdk: .refuses("IllegalArgumentException"), ours: .argumentError) {
                $0.edit = { _ in "" }
            },
            SDKRow("a custom token", sdk: invalid, ours: .argumentError) { $0.becomeCustomToken() },
            SDKRow("a legacy custom token", sdk: invalid, ours: .argumentError) { $0.becomeLegacyCustomToken() },
            SDKRow("in ten minutes", sdk: invalid, ours: .invalidIDToken) { move(&$0, by: 600) },
            SDKRow("two hours old", sdk: .refuses("EXPIRED_ID_TOKEN"), ours: .idTokenExpired) { move(&$0, by: -7200) },
        ]

    private static let header = [
        SDKRow("no kid", sdk: invalid, ours: .invalidIDToken, header: ["kid": nil]),
        SDKRow(
            "another kid", sdk: .accepts, ours: .invalidIDToken, header: ["kid": "\"other\""],
            because: "a key is selected by its id, without trying others"),
        SDKRow("alg HSA", sdk: invalid, ours: .invalidIDToken, header: ["alg": "\"HSA\""]),
        SDKRow("alg none", sdk: invalid, ours: .invalidIDToken, header: ["alg": "\"none\""]),
    ]

    private static let claims = [
        SDKRow("another audience", sdk: invalid, ours: .invalidIDToken, ["aud": "\"invalid-audience\""]),
        SDKRow(
            "an audience in an array", sdk: .accepts, ours: .invalidIDToken, ["aud": #"["proj-test-101"]"#],
            because: "Firebase writes one string; the other SDKs reject a list"),
        SDKRow("another issuer", sdk: invalid, ours: .invalidIDToken, ["iss": "\"https://incorrect.issuer.prefix/p\""]),
        SDKRow("no sub", sdk: invalid, ours: .invalidIDToken, ["sub": nil]),
        SDKRow("an empty sub", sdk: invalid, ours: .invalidIDToken, ["sub": "\"\""]),
        SDKRow(
            "a sub of 129 characters", sdk: invalid, ours: .invalidIDToken,
            ["sub": "\"\(String(repeating: "a", count: 129))\""]),
    ]

    /// All times of a token, moved forward by the number of seconds.
    static func move(_ row: inout SDKCase, by seconds: Int64) {
        row.draft.claims["iat"] = "\(row.now + seconds)"
        row.draft.claims["auth_time"] = "\(row.now + seconds)"
        row.draft.claims["exp"] = "\(row.now + seconds + 3600)"
    }
}

/// Tenants in Java.
enum JavaTenant {
    private static let tenant = #"{"tenant":"TENANT_1"}"#

    static let rows: [SDKRow] = [
        SDKRow("the tenant's token", sdk: .accepts, ours: .ok, ["firebase": tenant]) { $0.tenant = .only("TENANT_1") },
        SDKRow("another tenant", sdk: .refuses("TENANT_ID_MISMATCH"), ours: .tenantMismatch, ["firebase": tenant]) {
            $0.tenant = .only("TENANT_2")
        },
        SDKRow("no tenant in the token", sdk: .refuses("TENANT_ID_MISMATCH"), ours: .tenantMismatch) {
            $0.tenant = .only("TENANT_1")
        },
        SDKRow(
            "no tenant wanted", sdk: .accepts, ours: .tenantMismatch, ["firebase": tenant],
            because: "users of a tenant are accepted only if configured"),
        SDKRow("any tenant wanted", sdk: .accepts, ours: .ok, ["firebase": tenant]) { $0.tenant = .any },
    ]
}

/// The emulator class of Java, which ignores kid, algorithm and signature only. Gatehouse's tokens are unsigned.
enum JavaEmulator {
    private static let invalid = SDKRow.Verdict.refuses("INVALID_ID_TOKEN")

    static let rows: [SDKRow] = [
        SDKRow("a valid token", sdk: .accepts, ours: .ok),
        SDKRow("another kid", sdk: .accepts, ours: .ok, header: ["kid": "\"other\""]),
        SDKRow(
            "alg HSA", sdk: .accepts, ours: .invalidIDToken, header: ["alg": "\"HSA\""],
            because: "only tokens of the emulator are accepted, as in Node.js"),
        SDKRow(
            "a signature", sdk: .accepts, ours: .invalidIDToken,
            because: "only tokens of the emulator are accepted, as in Node.js"
        ) { $0.signature = .forged },
        SDKRow("another audience", sdk: invalid, ours: .invalidIDToken, ["aud": "\"invalid-audience\""]),
        SDKRow("another issuer", sdk: invalid, ours: .invalidIDToken, ["iss": "\"https://other\""]),
        SDKRow("no sub", sdk: invalid, ours: .invalidIDToken, ["sub": nil]),
        SDKRow("an empty sub", sdk: invalid, ours: .invalidIDToken, ["sub": "\"\""]),
        SDKRow("in ten minutes", sdk: invalid, ours: .invalidIDToken) { JavaVerify.move(&$0, by: 600) },
        SDKRow("two hours old", sdk: .refuses("EXPIRED_ID_TOKEN"), ours: .idTokenExpired) {
            JavaVerify.move(&$0, by: -7200)
        },
        SDKRow("another tenant", sdk: .refuses("TENANT_ID_MISMATCH"), ours: .tenantMismatch) {
            $0.tenant = .only("TENANT_1")
        },
        SDKRow("revoked", sdk: .refuses("REVOKED_ID_TOKEN"), ours: .idTokenRevoked, user: .since(2_002_001)),
    ]
}

/// `FirebaseAuthTest` of Java: `iat` a second before and after VALID_SINCE. The sign-in is at the issue time.
enum JavaCheckRevoked {
    private static let now: Int64 = 2_002_000

    static let rows: [SDKRow] = [
        SDKRow(
            "issued a second before", sdk: .refuses("REVOKED_ID_TOKEN"), ours: .idTokenRevoked, user: .since(now + 1)),
        SDKRow("issued in that second", sdk: .accepts, ours: .ok, user: .since(now)),
        SDKRow("issued a second after", sdk: .accepts, ours: .ok, user: .since(now - 1)),
        SDKRow(
            "a cookie issued a second before", sdk: .refuses("REVOKED_SESSION_COOKIE"), ours: .sessionCookieRevoked,
            user: .since(now + 1)
        ) { $0.kind = .sessionCookie },
        SDKRow("disabled", sdk: .refuses("USER_DISABLED"), ours: .userDisabled, user: UserRecord(disabled: true)),
    ]
}
