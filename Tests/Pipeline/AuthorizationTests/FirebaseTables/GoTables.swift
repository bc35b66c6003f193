import Authentication
import GatewayCore
import Revocation

@testable import CoreFixtures

/// firebase-admin for Go: `auth/auth_test.go`. Its fixed skew is 300 s. Gatehouse's is the maximum of 60 s.
enum GoVerify {
    private static let now = ManualClock.start
    private static let invalid = SDKRow.Verdict.refuses("ID_TOKEN_INVALID")

    static let rows: [SDKRow] =
        skew + claims + texts + [
            SDKRow("a forged signature", sdk: invalid, ours: .invalidIDToken) { $0.signature = .forged },
            SDKRow("alg HS256", sdk: invalid, ours: .invalidIDToken, header: ["alg": "\"HS256\""]),
            SDKRow("an empty kid", sdk: invalid, ours: .invalidIDToken, header: ["kid": "\"\""]),
            SDKRow("another kid", sdk: invalid, ours: .invalidIDToken, header: ["kid": "\"foo\""]),
            SDKRow("unsigned", sdk: invalid, ours: .invalidIDToken, header: ["alg": "\"none\""]) {
                $0.signature = .absent
            },
            SDKRow("a custom token", sdk: invalid, ours: .argumentError) { $0.becomeCustomToken() },
            SDKRow(
                "the certificates cannot be fetched", sdk: .refuses("CERTIFICATE_FETCH_FAILED"), ours: .keysUnavailable
            ) { $0.keys = .unavailable },
            SDKRow("unsigned, for the emulator", sdk: .accepts, ours: .ok) { $0.emulate() },
            SDKRow(
                "expired, for the emulator", sdk: .refuses("ID_TOKEN_EXPIRED"), ours: .idTokenExpired,
                ["exp": "\(now - 301)"]
            ) { $0.emulate() },
        ]

    private static let skew = [
        SDKRow("a valid token", sdk: .accepts, ours: .ok),
        SDKRow(
            "iat in 299 s", sdk: .accepts, ours: .invalidIDToken, ["iat": "\(now + 299)"],
            because: "more than a minute is not clock skew"),
        SDKRow("iat in 60 s", sdk: .accepts, ours: .ok, ["iat": "\(now + 60)"]),
        SDKRow("iat in 301 s", sdk: invalid, ours: .invalidIDToken, ["iat": "\(now + 301)"]),
        SDKRow(
            "expired 299 s ago", sdk: .accepts, ours: .idTokenExpired, ["exp": "\(now - 299)"],
            because: "the skew never extends the lifetime of a token"),
        SDKRow("expired 301 s ago", sdk: .refuses("ID_TOKEN_EXPIRED"), ours: .idTokenExpired, ["exp": "\(now - 301)"]),
        SDKRow("no exp", sdk: .refuses("ID_TOKEN_EXPIRED"), ours: .invalidIDToken, ["exp": nil]),
    ]

    private static let claims = [
        SDKRow(
            "a tenant's token", sdk: .accepts, ours: .ok,
            ["firebase": #"{"tenant":"tenantID","sign_in_provider":"custom"}"#]
        ) { $0.tenant = .any },
        SDKRow(
            "another tenant", sdk: .refuses("TENANT_ID_MISMATCH"), ours: .tenantMismatch,
            ["firebase": #"{"tenant":"otherTenant"}"#]
        ) { $0.tenant = .only("tenantID") },
        SDKRow("another audience", sdk: invalid, ours: .invalidIDToken, ["aud": "\"bad-audience\""]),
        SDKRow("another issuer", sdk: invalid, ours: .invalidIDToken, ["iss": "\"bad-issuer\""]),
        SDKRow("an empty sub", sdk: invalid, ours: .invalidIDToken, ["sub": "\"\""]),
        SDKRow("a number for sub", sdk: invalid, ours: .invalidIDToken, ["sub": "10"]),
        SDKRow(
            "a sub of 129 bytes", sdk: invalid, ours: .invalidIDToken,
            ["sub": "\"\(String(repeating: "a", count: 129))\""]),
        SDKRow(
            "a sub of 65 characters and 130 bytes", sdk: invalid, ours: .invalidIDToken,
            ["sub": "\"\(String(repeating: "\u{E9}", count: 65))\""]),
    ]

    private static let texts =
        ["", "foo", "fo.ob.ar.baz", "foo.bar.baz"].map { text in
            SDKRow("the text \"\(text)\"", sdk: invalid, ours: .argumentError) { $0.edit = { _ in text } }
        } + [
            SDKRow("colons for dots", sdk: invalid, ours: .argumentError) {
                $0.edit = { $0.replacing(".", with: ":") }
            },
            SDKRow("padding", sdk: invalid, ours: .argumentError) { $0.edit = { $0 + "==" } },
        ]
}

/// VerifyIDTokenAndCheckRevoked and VerifySessionCookieAndCheckRevoked of Go: users are valid since 1494364393.
enum GoCheckRevoked {
    private static let validSince: Int64 = 1_494_364_393

    static let rows: [SDKRow] = [
        SDKRow("issued and signed in since", sdk: .accepts, ours: .ok, user: .since(validSince)),
        SDKRow("of 1970", sdk: .refuses("ID_TOKEN_REVOKED"), ours: .idTokenRevoked) { old(&$0) },
        SDKRow(
            "of 1970, disabled", sdk: .refuses("USER_DISABLED"), ours: .userDisabled,
            user: .since(validSince, disabled: true)
        ) { old(&$0) },
        SDKRow("a cookie of 1970", sdk: .refuses("SESSION_COOKIE_REVOKED"), ours: .sessionCookieRevoked) {
            old(&$0)
            $0.bake()
        },
        SDKRow(
            "a cookie of 1970, disabled", sdk: .refuses("USER_DISABLED"), ours: .userDisabled,
            user: .since(validSince, disabled: true)
        ) {
            old(&$0)
            $0.bake()
        },
        SDKRow("an invalid token", sdk: .refuses("ID_TOKEN_INVALID"), ours: .argumentError) {
            old(&$0)
            $0.edit = { _ in "" }
        },
        SDKRow(
            "a user who does not exist", sdk: .refuses("USER_NOT_FOUND"), ours: .ok,
            because: "the store has revocations, not users; a deleted account must be disabled here too"),
        SDKRow(
            "an expired cookie", sdk: .refuses("SESSION_COOKIE_EXPIRED"), ours: .sessionCookieExpired,
            ["exp": "\(ManualClock.start - 301)"]
        ) { $0.bake() },
        SDKRow("an ID token as a cookie", sdk: .refuses("SESSION_COOKIE_INVALID"), ours: .invalidSessionCookie) {
            $0.kind = .sessionCookie
            $0.draft.claims["iss"] = "\"https://securetoken.google.com/\($0.project)\""
        },
    ]

    private static func old(_ row: inout SDKCase) {
        row.draft.claims["iat"] = "1970"
        row.draft.claims["auth_time"] = "1970"
        row.user = UserRecord(validSince: UnixTime(clamping: validSince))
    }
}
