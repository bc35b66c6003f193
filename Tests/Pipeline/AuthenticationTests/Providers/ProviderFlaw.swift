import GatewayCore
import Testing

@testable import Authentication
@testable import CoreFixtures

/// The flaws that the verifier of every provider rejects.
enum ProviderFlaw {
    private static let algorithms = ["HS256", "none", "None", "PS256", "RS384", "ES384", "EdDSA", "XX1"]
    private static let types = ["at+jwt", "logout+jwt", "secevent+jwt", "jwt", "JWS", ""]
    private static let audiences = [nil, "null", "7", "{}", "[]", "\"\"", "\"client-2\"", "\"CLIENT-1\""]
    private static let events = ["{}", "null", "{\"http://schemas.openid.net/event/backchannel-logout\":{}}"]
    private static let future = "\(ManualClock.start + 6)"
    private static let past: [String?] = ["\(ManualClock.start - 1)", "\(ManualClock.start)"]
    private static let noIntegers: [String?] = [
        "null", "\"9999999999\"", "9999999999.5", "1e10", "99999999999999999999",
    ]
    private static let beforeAll: [String?] = ["-1", "-9223372036854775807", "-9223372036854775808"]

    static let all = groups.flatMap { $0 }

    private static let groups: [[TokenFlaw]] = [
        TokenFlaw.header("kid", [nil, "\"\""], .noKeyID),
        TokenFlaw.header("kid", ["\"another\"", "\"KEY-1\""], .unknownKey),
        TokenFlaw.header("alg", algorithms.map { "\"\($0)\"" }, .providerAlgorithm, "D-01 "),
        TokenFlaw.header("typ", types.map { "\"\($0)\"" }, .type, "E-12 "),
        TokenFlaw.claim("iss", [nil, "null", "7", "[]", "\"\"", "\"https://id.evil.example\""], .issuer, "E-04 "),
        TokenFlaw.claim("aud", audiences, .audience, "E-01 "),
        TokenFlaw.claim("azp", ["null", "7", "\"\"", "\"client-2\"", "[\"client-1\"]"], .authorizedParty, "E-20 "),
        TokenFlaw.claim("events", events, .eventToken), TokenFlaw.claim("exp", [nil] + noIntegers, .expiryMissing),
        TokenFlaw.claim("exp", past, .expired, "E-08 ", code: .idTokenExpired),
        TokenFlaw.claim("iat", [nil] + noIntegers + beforeAll, .issuedAt, "E-08 "),
        TokenFlaw.claim("iat", [future, "\(Int64.max)"], .issuedInFuture, "E-08 "),
        TokenFlaw.claim("nbf", noIntegers + beforeAll + [future], .notBefore, "E-08 "),
        TokenFlaw.claim("auth_time", noIntegers + ["true"], .authenticationTime),
        TokenFlaw.claim("auth_time", beforeAll + [future], .authenticatedInFuture),
        [
            TokenFlaw("E-10 a custom token", .customToken, .argumentError) {
                $0.with("aud", "\"\(FirebaseVerifier.customTokenAudience)\"")
            },
            TokenFlaw("E-10 a legacy custom token", .legacyCustomToken, .argumentError) {
                $0.withHeader("alg", "\"HS256\"").with("v", "0").with("d", #"{"uid":"user-1"}"#)
            },
        ],
    ]
}
