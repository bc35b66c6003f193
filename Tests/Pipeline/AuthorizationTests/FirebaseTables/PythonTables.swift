import Authentication
import Authorization
import GatewayCore
import Revocation

@testable import CoreFixtures

/// firebase-admin for Python: `tests/test_token_gen.py`. Rows begin with its fixture and the `auth_time` of Firebase.
enum PythonVerify {
    static let now = ManualClock.start
    private static let invalid = SDKRow.Verdict.refuses("InvalidIdTokenError")

    static let rows: [SDKRow] =
        tokens + [
            SDKRow("no kid", sdk: invalid, ours: .invalidIDToken, header: ["kid": nil]),
            SDKRow("another kid", sdk: invalid, ours: .invalidIDToken, header: ["kid": "\"foo\""]),
            SDKRow("an empty kid", sdk: invalid, ours: .invalidIDToken, header: ["kid": "\"\""]),
            SDKRow("another audience", sdk: invalid, ours: .invalidIDToken, ["aud": "\"bad-audience\""]),
            SDKRow("an audience in an array", sdk: invalid, ours: .invalidIDToken, ["aud": #"["mock-project-id"]"#]),
            SDKRow(
                "another issuer", sdk: invalid, ours: .invalidIDToken,
                ["iss": "\"https://securetoken.google.com/wrong-issuer\""]),
            SDKRow("an empty sub", sdk: invalid, ours: .invalidIDToken, ["sub": "\"\""]),
            SDKRow("a number for sub", sdk: invalid, ours: .invalidIDToken, ["sub": "10"]),
            SDKRow(
                "a sub of 129 characters", sdk: invalid, ours: .invalidIDToken,
                ["sub": "\"\(String(repeating: "a", count: 129))\""]),
            SDKRow("iat in the future", sdk: invalid, ours: .invalidIDToken, ["iat": "\(now + 1000)"]),
            SDKRow("no exp", sdk: invalid, ours: .invalidIDToken, ["exp": nil]),
            SDKRow("garbage", sdk: invalid, ours: .argumentError) { $0.edit = { _ in "foobar" } },
            SDKRow("an empty string", sdk: .refuses("ValueError"), ours: .argumentError) { $0.edit = { _ in "" } },
            SDKRow("no token", sdk: .refuses("ValueError"), ours: .missingCredential) { $0.isSent = false },
            SDKRow("a custom token", sdk: invalid, ours: .argumentError) { $0.becomeCustomToken() },
            SDKRow(
                "a custom token with a kid", sdk: invalid, ours: .argumentError, header: ["kid": "\"\(SDKCase.keyID)\""]
            ) { $0.becomeCustomToken() },
            SDKRow("the certificates cannot be fetched", sdk: .refuses("CertificateFetchError"), ours: .keysUnavailable)
            { $0.keys = .unavailable },
        ]

    private static let tokens = [
        SDKRow("a valid token", sdk: .accepts, ours: .ok),
        SDKRow(
            "the fixture as it is: without auth_time", sdk: .accepts, ours: .invalidIDToken, ["auth_time": nil],
            because: "revocation and recent sign-in depend on it"),
        SDKRow(
            "auth_time tomorrow", sdk: .accepts, ours: .invalidIDToken, ["auth_time": "\(now + 97_200)"],
            because: "a sign-in in the future would stay recent"),
        SDKRow(
            "a tenant's token", sdk: .accepts, ours: .tenantMismatch,
            ["firebase": #"{"sign_in_provider":"provider","tenant":"test-tenant"}"#],
            because: "users of a tenant are accepted only if configured"),
        SDKRow(
            "a tenant's token, its tenant configured", sdk: .accepts, ours: .ok,
            ["firebase": #"{"sign_in_provider":"provider","tenant":"test-tenant"}"#]
        ) { $0.tenant = .only("test-tenant") },
        SDKRow(
            "128 characters of two bytes", sdk: .accepts, ours: .invalidIDToken,
            ["sub": "\"\(String(repeating: "\u{E9}", count: 128))\""],
            because: "Go counts bytes, which is the strictest"),
    ]
}

/// Expiries in Python: the SDK's skew extends the lifetime of a token, and Gatehouse's does not.
enum PythonExpiry {
    private static let now = ManualClock.start
    private static let why = "the skew never extends the lifetime of a token"

    static let rows: [SDKRow] = [
        SDKRow(
            "expired an hour ago", sdk: .refuses("ExpiredIdTokenError"), ours: .idTokenExpired,
            ["iat": "\(now - 10_000)", "exp": "\(now - 3600)"]),
        SDKRow(
            "now equal to exp", sdk: .accepts, ours: .idTokenExpired, ["exp": "\(now)"],
            because: "RFC 7519: on exp a token must not be accepted"),
        expiredShort(skew: 0, sdk: .refuses("ExpiredIdTokenError")),
        expiredShort(skew: 20, sdk: .refuses("ExpiredIdTokenError")),
        expiredShort(skew: 60, sdk: .accepts),
        SDKRow(
            "an expired cookie, skew 29", sdk: .refuses("ExpiredSessionCookieError"), ours: .sessionCookieExpired,
            ["exp": "\(now - 30)"]
        ) {
            $0.bake()
            $0.skew = 29
        },
        SDKRow(
            "an expired cookie, skew 59", sdk: .accepts, ours: .sessionCookieExpired, ["exp": "\(now - 30)"],
            because: why
        ) {
            $0.bake()
            $0.skew = 59
        },
    ]

    private static func expiredShort(skew: Int64, sdk: SDKRow.Verdict) -> SDKRow {
        SDKRow(
            "expired half a minute ago, skew \(skew)", sdk: sdk, ours: .idTokenExpired, ["exp": "\(now - 30)"],
            because: sdk.passes ? why : nil
        ) { $0.skew = skew }
    }
}

/// Session cookies in Python, except for the rows that they share with ID tokens.
enum PythonSessionCookie {
    static let rows: [SDKRow] = [
        SDKRow("a valid cookie", sdk: .accepts, ours: .ok) { $0.bake() },
        SDKRow("an ID token as a cookie", sdk: .refuses("InvalidSessionCookieError"), ours: .invalidSessionCookie) {
            $0.kind = .sessionCookie
        },
        SDKRow("a cookie as an ID token", sdk: .refuses("InvalidIdTokenError"), ours: .invalidIDToken) {
            $0.bake()
            $0.kind = .idToken
        },
        SDKRow("a custom token", sdk: .refuses("InvalidSessionCookieError"), ours: .argumentError) {
            $0.becomeCustomToken()
            $0.kind = .sessionCookie
        },
    ]
}

/// `check_revoked` in Python, which compares `iat`. Gatehouse compares `auth_time`, which is never later.
enum PythonCheckRevoked {
    private static let now = PythonVerify.now

    static let rows: [SDKRow] = [
        SDKRow("revoked", sdk: .refuses("RevokedIdTokenError"), ours: .idTokenRevoked, user: .since(now + 100)),
        SDKRow("revoked, not checked", sdk: .accepts, ours: .ok, user: .since(now + 100)) { $0.revocation = .off },
        SDKRow("disabled", sdk: .refuses("UserDisabledError"), ours: .userDisabled, user: UserRecord(disabled: true)),
        SDKRow("disabled, not checked", sdk: .accepts, ours: .ok, user: UserRecord(disabled: true)) {
            $0.revocation = .off
        },
        SDKRow(
            "disabled and revoked", sdk: .refuses("UserDisabledError"), ours: .userDisabled,
            user: .since(now + 100, disabled: true)),
        SDKRow(
            "a revoked cookie", sdk: .refuses("RevokedSessionCookieError"), ours: .sessionCookieRevoked,
            user: .since(now + 100)
        ) { $0.bake() },
        SDKRow(
            "refreshed after the revocation", sdk: .accepts, ours: .idTokenRevoked, ["iat": "\(now - 10)"],
            user: .since(now - 50), because: "the sign-in is revoked, and a refresh is not a sign-in"),
        SDKRow(
            "a cookie made of a revoked sign-in", sdk: .accepts, ours: .sessionCookieRevoked, ["iat": "\(now - 10)"],
            user: .since(now - 50), because: "iat is the time of the cookie, auth_time the time of the sign-in"
        ) { $0.bake() },
        SDKRow(
            "another tenant, and revoked", sdk: .refuses("TenantIdMismatchError"), ours: .tenantMismatch,
            user: .since(now + 100)
        ) { $0.tenant = .only("test-tenant") },
    ]
}

/// The same tokens with FIREBASE_AUTH_EMULATOR_HOST. Python then checks neither signature nor time. Gatehouse's tokens
/// are unsigned.
enum PythonEmulator {
    private static let now = PythonVerify.now
    private static let invalid = SDKRow.Verdict.refuses("InvalidIdTokenError")
    private static let times = "tokens of the emulator have times too, and the other SDKs check them"

    static let rows: [SDKRow] = [
        SDKRow("a valid token", sdk: .accepts, ours: .ok),
        SDKRow(
            "a signed token", sdk: .accepts, ours: .invalidIDToken,
            because: "only tokens of the emulator are accepted, as in Node.js"
        ) {
            $0.draft.header = ["alg": "\"RS256\"", "kid": "\"\(SDKCase.keyID)\""]
            $0.signature = .right
        },
        SDKRow("another kid", sdk: .accepts, ours: .ok, header: ["kid": "\"foo\""]),
        SDKRow("another audience", sdk: invalid, ours: .invalidIDToken, ["aud": "\"bad-audience\""]),
        SDKRow("another issuer", sdk: invalid, ours: .invalidIDToken, ["iss": "\"other\""]),
        SDKRow("an empty sub", sdk: invalid, ours: .invalidIDToken, ["sub": "\"\""]),
        SDKRow("a number for sub", sdk: invalid, ours: .invalidIDToken, ["sub": "10"]),
        SDKRow(
            "a sub of 129 characters", sdk: invalid, ours: .invalidIDToken,
            ["sub": "\"\(String(repeating: "a", count: 129))\""]),
        SDKRow("iat in the future", sdk: .accepts, ours: .invalidIDToken, ["iat": "\(now + 1000)"], because: times),
        SDKRow("expired", sdk: .accepts, ours: .idTokenExpired, ["exp": "\(now - 3600)"], because: times),
        SDKRow("garbage", sdk: invalid, ours: .argumentError) { $0.edit = { _ in "foobar" } },
        SDKRow("a custom token", sdk: invalid, ours: .argumentError, ["aud": SDKCase.customTokenAudience]),
        SDKRow("the certificates cannot be fetched", sdk: .accepts, ours: .ok) { $0.keys = .unavailable },
    ]
}
