import GatewayCore
import Testing

@testable import Authentication
@testable import CoreFixtures

/// What may be wrong with any provider's token.
struct ProviderFlaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: VerificationFailure.Reason
    let code: DecisionCode
    let change: @Sendable (TokenDraft) -> TokenDraft

    init(
        _ description: String, _ reason: VerificationFailure.Reason, _ code: DecisionCode = .invalidIDToken,
        _ change: @escaping @Sendable (TokenDraft) -> TokenDraft
    ) {
        testDescription = description
        self.reason = reason
        self.code = code
        self.change = change
    }

    /// The claim with each of these values, which are JSON text.
    private static func claim(
        _ name: String, _ values: [String?], _ reason: VerificationFailure.Reason, _ cases: String = ""
    ) -> [ProviderFlaw] {
        values.map { value in
            ProviderFlaw("\(cases)\(name): \(value ?? "missing")", reason) { $0.with(name, value) }
        }
    }

    private static func header(
        _ name: String, _ values: [String?], _ reason: VerificationFailure.Reason, _ cases: String = ""
    ) -> [ProviderFlaw] {
        values.map { value in
            ProviderFlaw("\(cases)\(name): \(value ?? "missing")", reason) { $0.withHeader(name, value) }
        }
    }

    static let all = [headers, claims, times].flatMap { $0.flatMap { $0 } }

    private static let algorithms = ["HS256", "none", "None", "PS256", "RS384", "ES384", "EdDSA", "XX1"]
    private static let types = ["at+jwt", "logout+jwt", "secevent+jwt", "jwt", "JWS", ""]

    static let headers: [[ProviderFlaw]] = [
        header("kid", [nil, "\"\""], .noKeyID),
        header("kid", ["\"another\"", "\"KEY-1\""], .unknownKey),
        header("alg", algorithms.map { "\"\($0)\"" }, .providerAlgorithm, "D-01 "),
        header("typ", types.map { "\"\($0)\"" }, .type, "E-12 "),
    ]

    static let claims: [[ProviderFlaw]] = [
        claim("iss", [nil, "null", "7", "[]", "\"\"", "\"https://id.evil.example\""], .issuer, "E-04 "),
        claim("aud", [nil, "null", "7", "{}", "[]", "\"\"", "\"client-2\"", "\"CLIENT-1\""], .audience, "E-01 "),
        claim("azp", ["null", "7", "\"\"", "\"client-2\"", "[\"client-1\"]"], .authorizedParty, "E-20 "),
        claim("events", ["{}", "null", "{\"http://schemas.openid.net/event/backchannel-logout\":{}}"], .eventToken),
        [
            ProviderFlaw("E-10 a custom token", .customToken, .argumentError) {
                $0.with("aud", "\"\(FirebaseVerifier.customTokenAudience)\"")
            },
            ProviderFlaw("E-10 a legacy custom token", .legacyCustomToken, .argumentError) {
                $0.withHeader("alg", "\"HS256\"").with("v", "0").with("d", #"{"uid":"user-1"}"#)
            },
        ],
    ]

    private static let future = "\(ManualClock.start + 6)"
    private static let noIntegers = [nil, "null", "\"9999999999\"", "9999999999.5", "1e10", "99999999999999999999"]

    private static let beforeAll = ["-1", "-9223372036854775807", "-9223372036854775808"]

    static let times: [[ProviderFlaw]] = [
        claim("exp", noIntegers, .expiryMissing),
        [Int64](-1...0).map(expired),
        claim("iat", noIntegers, .issuedAt, "E-08 "),
        claim("iat", beforeAll, .issuedAt, "E-08 "),
        claim("iat", [future, "\(Int64.max)"], .issuedInFuture, "E-08 "),
        claim("nbf", noIntegers.compactMap { $0 } + beforeAll + [future], .notBefore, "E-08 "),
        claim("auth_time", noIntegers.compactMap { $0 } + ["true"], .authenticationTime),
        claim("auth_time", beforeAll + [future], .authenticatedInFuture),
    ]

    private static func expired(at offset: Int64) -> ProviderFlaw {
        ProviderFlaw("E-08 exp: now \(offset)", .expired, .idTokenExpired) {
            $0.with("exp", "\(ManualClock.start + offset)")
        }
    }
}
