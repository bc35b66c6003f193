import Authentication
import Authorization
import GatewayCore
import Revocation

@testable import CoreFixtures

/// firebase-admin for Node.js: `test/unit/auth/token-verifier.spec.ts`.
enum NodeVerifyJWT {
    static let rows: [SDKRow] = credentials + header + claims + time + signature + custom

    private static let argument = SDKRow.Verdict.refuses("auth/argument-error")

    private static let credentials = [
        SDKRow("no token", sdk: .refuses("First argument to verifyIdToken() must be"), ours: .missingCredential) {
            $0.isSent = false
        },
        SDKRow("an empty string", sdk: argument, ours: .argumentError) { $0.edit = { _ in "" } },
        SDKRow("garbage", sdk: argument, ours: .argumentError) { $0.edit = { _ in "invalid-token" } },
        SDKRow("a valid token", sdk: .accepts, ours: .ok),
    ]

    private static let header = [
        SDKRow("no kid", sdk: argument, ours: .invalidIDToken) {
            $0.draft.header = ["alg": "\"RS256\"", "foo": "\"bar\""]
        },
        SDKRow("neither kid nor alg", sdk: argument, ours: .argumentError) { $0.draft.header = ["foo": "\"bar\""] },
        SDKRow("alg PS256", sdk: argument, ours: .invalidIDToken, header: ["alg": "\"PS256\""]),
        SDKRow("alg RS384", sdk: argument, ours: .invalidIDToken, header: ["alg": "\"RS384\""]),
        SDKRow("an unknown kid", sdk: argument, ours: .invalidIDToken, header: ["kid": "\"wrongkid\""]),
        SDKRow("unsigned, with a kid", sdk: argument, ours: .invalidIDToken, header: ["alg": "\"none\""]) {
            $0.signature = .absent
        },
        SDKRow("unsigned, without a kid", sdk: argument, ours: .invalidIDToken) {
            $0.draft.header = ["alg": "\"none\""]
            $0.signature = .absent
        },
        SDKRow("unsigned, for the emulator", sdk: .accepts, ours: .ok) { $0.emulate() },
    ]

    private static let claims = [
        SDKRow("another audience", sdk: argument, ours: .invalidIDToken, ["aud": "\"incorrectAudience\""]),
        SDKRow("another issuer", sdk: argument, ours: .invalidIDToken, ["iss": "\"incorrectIssuer\""]),
        SDKRow("no sub", sdk: argument, ours: .invalidIDToken, ["sub": nil]),
        SDKRow("an empty sub", sdk: argument, ours: .invalidIDToken, ["sub": "\"\""]),
        SDKRow(
            "a sub of 128 characters", sdk: .accepts, ours: .ok, ["sub": "\"\(String(repeating: "a", count: 128))\""]),
        SDKRow(
            "a sub of 129 characters", sdk: argument, ours: .invalidIDToken,
            ["sub": "\"\(String(repeating: "a", count: 129))\""]),
        SDKRow(
            "a sub of 128 characters and 256 bytes", sdk: .accepts, ours: .invalidIDToken,
            ["sub": "\"\(String(repeating: "\u{E9}", count: 128))\""],
            because: "Go counts bytes, which is the strictest"),
        SDKRow("an audience in an array", sdk: argument, ours: .invalidIDToken, ["aud": #"["project_id"]"#]),
        SDKRow(
            "a blocking function's token", sdk: argument, ours: .invalidIDToken,
            [
                "aud": "\"https://us-central1-project_id.cloudfunctions.net/beforeSignIn\"",
                "event_type": "\"beforeSignIn\"",
            ]),
    ]

    private static let time = [
        SDKRow("an hour old", sdk: .refuses("auth/id-token-expired"), ours: .idTokenExpired) { $0.now = 3602 },
        SDKRow("now equal to exp", sdk: .refuses("auth/id-token-expired"), ours: .idTokenExpired) { $0.now = 3601 },
        SDKRow("a second before exp", sdk: .accepts, ours: .ok) { $0.now = 3600 },
        SDKRow("a cookie, an hour old", sdk: .refuses("auth/session-cookie-expired"), ours: .sessionCookieExpired) {
            $0.bake()
            $0.now = 3602
        },
        SDKRow("nbf in the future", sdk: argument, ours: .invalidIDToken, ["nbf": "3000"]),
        SDKRow(
            "no exp", sdk: .accepts, ours: .invalidIDToken, ["exp": nil],
            because: "a token without an expiry outlives every revocation"),
        SDKRow(
            "iat in the future", sdk: .accepts, ours: .invalidIDToken, ["iat": "1000"],
            because: "its issue time is in the future; the other SDKs reject it"),
        SDKRow(
            "no auth_time", sdk: .accepts, ours: .invalidIDToken, ["auth_time": nil],
            because: "revocation and recent sign-in depend on it"),
    ]

    private static let signature = [
        SDKRow("a forged signature", sdk: argument, ours: .invalidIDToken) { $0.signature = .forged },
        SDKRow("the keys cannot be fetched", sdk: argument, ours: .keysUnavailable) { $0.keys = .unavailable },
        SDKRow(
            "an empty kid", sdk: .accepts, ours: .invalidIDToken, header: ["kid": "\"\""],
            because: "a key is selected by its id, without trying others"),
        SDKRow("signed, for the emulator", sdk: argument, ours: .invalidIDToken) { $0.emulator = true },
        SDKRow("expired, for the emulator", sdk: .refuses("auth/id-token-expired"), ours: .idTokenExpired) {
            $0.emulate()
            $0.now = 3602
        },
    ]

    private static let custom = [
        SDKRow("a custom token", sdk: argument, ours: .argumentError) { $0.becomeCustomToken() },
        SDKRow("a custom token as a cookie", sdk: argument, ours: .argumentError) {
            $0.becomeCustomToken()
            $0.kind = .sessionCookie
        },
        SDKRow("a legacy custom token", sdk: argument, ours: .argumentError) { $0.becomeLegacyCustomToken() },
        SDKRow("a legacy custom token as a cookie", sdk: argument, ours: .argumentError) {
            $0.becomeLegacyCustomToken()
            $0.kind = .sessionCookie
        },
    ]
}

/// firebase-admin for Node.js: `test/unit/auth/auth.spec.ts`, verifyIdToken and verifySessionCookie, which behave
/// alike. `auth_time` is 1.
enum NodeVerifyIDToken {
    static let rows: [SDKRow] = revocation + tenants

    private static let revoked = SDKRow.Verdict.refuses("auth/id-token-revoked")
    private static let disabled = SDKRow.Verdict.refuses("auth/user-disabled")
    private static let mismatch = SDKRow.Verdict.refuses("auth/mismatching-tenant-id")

    private static let revocation = [
        SDKRow("disabled", sdk: disabled, ours: .userDisabled, user: UserRecord(disabled: true)),
        SDKRow("disabled and revoked", sdk: disabled, ours: .userDisabled, user: .since(2, disabled: true)),
        SDKRow("signed in when revoked", sdk: .accepts, ours: .ok, user: .since(1)),
        SDKRow("signed in a second before revoked", sdk: revoked, ours: .idTokenRevoked, user: .since(2)),
        SDKRow(
            "a cookie signed in a second before revoked", sdk: .refuses("auth/session-cookie-revoked"),
            ours: .sessionCookieRevoked, user: .since(2)
        ) { $0.bake() },
        SDKRow("revoked, not checked", sdk: .accepts, ours: .ok, user: .since(2, disabled: true)) {
            $0.revocation = .off
        },
        SDKRow("a user who was never revoked", sdk: .accepts, ours: .ok, user: UserRecord()),
        SDKRow(
            "refreshed after the revocation", sdk: revoked, ours: .idTokenRevoked,
            ["iat": "90"], user: .since(50)
        ) { $0.now = 100 },
        SDKRow(
            "no auth_time, revoked", sdk: .accepts, ours: .invalidIDToken, ["auth_time": nil], user: .since(2),
            because: "without auth_time the SDK's comparison is always false, and no token is revoked"),
        SDKRow("users cannot be looked up", sdk: .refuses("the failure of getUser"), ours: .storeUnavailable) {
            $0.storeIsLoaded = false
        },
        SDKRow(
            "an invalid token of a disabled user", sdk: .refuses("auth/argument-error"), ours: .invalidIDToken,
            user: UserRecord(disabled: true)
        ) { $0.signature = .forged },
        SDKRow("revoked, in the emulator", sdk: revoked, ours: .idTokenRevoked, user: .since(2)) { $0.emulate() },
        SDKRow(
            "a user who does not exist", sdk: .refuses("auth/user-not-found"), ours: .ok,
            because: "the store has revocations, not users; a deleted account must be disabled here too"),
    ]

    private static let tenants = [
        SDKRow("the tenant's token", sdk: .accepts, ours: .ok, ["firebase": #"{"tenant":"tenantId"}"#]) {
            $0.tenant = .only("tenantId")
        },
        SDKRow("no tenant claim", sdk: mismatch, ours: .tenantMismatch) {
            $0.tenant = .only("tenantId")
        },
        SDKRow(
            "another tenant", sdk: mismatch, ours: .tenantMismatch,
            ["firebase": #"{"tenant":"otherTenant"}"#]
        ) { $0.tenant = .only("tenantId") },
        SDKRow(
            "another tenant, and revoked", sdk: revoked, ours: .tenantMismatch,
            ["firebase": #"{"tenant":"otherTenant"}"#], user: .since(2)
        ) { $0.tenant = .only("tenantId") },
    ]
}
