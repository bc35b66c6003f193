import DevelopmentIdentity
import Testing

/// A token that is not valid, and what its bearer is told.
struct RefusedToken: Sendable, CustomTestStringConvertible {
    let what: String
    let code: String
    /// Makes the token of a scenario.
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

    /// A token that is signed properly and says something else than it should.
    static func saying(
        _ what: String, _ code: String = "auth/invalid-id-token",
        _ change: @escaping @Sendable (FirebaseToken) -> FirebaseToken
    ) -> Self {
        Self(what, code) { try $0.token(.ada, change) }
    }

    /// A token that is spoilt after it was signed.
    static func tampered(_ how: Tampering) -> Self {
        Self("tampered: \(how)") { how.applied(to: try $0.token()) }
    }
}

@Suite(.sharedScenario) struct RefusedTokenTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    static let claims: [RefusedToken] = [
        .saying("E-11 another project's audience") { $0.setting("aud", to: "other-project") },
        .saying("E-11 another project's issuer") {
            $0.setting("iss", to: "https://securetoken.google.com/other-project")
        },
        .saying("E-01 no audience") { $0.removing("aud") },
        .saying("E-03 a list for audience") { $0.setting("aud", to: ["demo-gatehouse"]) },
        .saying("E-04 no issuer") { $0.removing("iss") },
        .saying("F-24 an issuer with a slash") {
            $0.setting("iss", to: "https://securetoken.google.com/demo-gatehouse/")
        },
        .saying("expired", "auth/id-token-expired") { $0.expiring(at: unixNow() - 1) },
        .saying("expired by a fraction of the skew", "auth/id-token-expired") { $0.expiring(at: unixNow()) },
        .saying("exp as text") { $0.setting("exp", to: "9999999999") },
        .saying("G-11 no exp") { $0.removing("exp") },
        .saying("E-08 issued in the future") { $0.issued(at: unixNow() + 60) },
        .saying("E-11 signed in in the future") { $0.signedIn(at: unixNow() + 60) },
        .saying("no auth_time") { $0.removing("auth_time") },
        .saying("auth_time with a fraction") { $0.setting("auth_time", to: 1.5) },
        .saying("E-09 no subject") { $0.removing("sub") },
        .saying("E-09 an empty subject") { $0.setting("sub", to: "") },
        .saying("E-09 a number for subject") { $0.setting("sub", to: 7) },
        .saying("E-09 a subject of 129 characters") {
            $0.setting("sub", to: .string(String(repeating: "s", count: 129)))
        },
        .saying("E-11 a foreign tenant", "auth/tenant-id-mismatch") { $0.inTenant("corp-abc12") },
    ]

    static let headers: [RefusedToken] = [
        .tampered(.signatureBit), .tampered(.signatureTruncated), .tampered(.signatureRemoved), .tampered(.payload),
        .tampered(.header),
        .init("D-20 alg none, unsigned") { $0.provider.idToken(for: .ada).unsigned() },
        .saying("D-02 alg None") { $0.settingHeader("alg", to: "None") },
        .saying("D-02 an empty alg", "auth/argument-error") { $0.settingHeader("alg", to: "") },
        .saying("D-02 a number for alg", "auth/argument-error") { $0.settingHeader("alg", to: 1) },
        .saying("D-02 no alg", "auth/argument-error") { $0.removingHeader("alg") },
        .saying("D-03 an unknown alg") { $0.settingHeader("alg", to: "XX999") },
        .saying("D-04 another algorithm of the key") { $0.settingHeader("alg", to: "RS512") },
        .init("D-01 HS256 by the public keys") { scenario in
            let published = try RawClient.exchange(
                scenario.provider.port, .get(DevelopmentProvider.Endpoint.idTokenJWKSet.rawValue))
            let keyID = try #require(keyIdentifier(of: scenario.token()))
            let token = scenario.provider.idToken(for: .ada).settingHeader("kid", to: .string(keyID))
            return try token.signed(secret: published.body)
        },
        .saying("D-06 crit", "auth/argument-error") { $0.settingHeader("crit", to: ["exp"]) },
        .saying("D-06 b64", "auth/argument-error") { $0.settingHeader("b64", to: false) },
        .saying("an unknown kid") { $0.settingHeader("kid", to: "0123456789abcdef") },
        .saying("no kid") { $0.removingHeader("kid") },
        .saying("D-14 a number for kid", "auth/argument-error") { $0.settingHeader("kid", to: 7) },
        .saying("E-12 another type") { $0.settingHeader("typ", to: "logout+jwt") },
    ]

    static let others: [RefusedToken] = [
        .init("E-10 a custom token", "auth/argument-error") {
            try $0.provider.sign(.customToken(for: .robot, now: unixNow()))
        },
        .init("E-10 a legacy custom token", "auth/argument-error") { _ in
            try FirebaseToken.legacyCustomToken(for: .robot, now: unixNow()).signed(secret: Array("secret".utf8))
        },
        .init("E-10 a session cookie in the header") { try $0.cookie() },
        .init("text that is no token", "auth/argument-error") { _ in "hello" },
        .init("D-09 a great many dots", "auth/argument-error") { _ in String(repeating: ".", count: 20_000) },
        .init("D-10 two parts", "auth/argument-error") {
            try $0.token().split(separator: ".").dropLast().joined(separator: ".")
        },
        .init("D-10 four parts", "auth/argument-error") { try $0.token() + ".x" },
        .init("D-10 more than 16 KiB", "auth/argument-error") {
            try $0.token { $0.setting("name", to: .string(String(repeating: "n", count: 13_000))) }
        },
        .init("D-15 an encrypted token", "auth/argument-error") { _ in
            "eyJhbGciOiJQQkVTMi1IUzI1NitBMTI4S1ciLCJwMmMiOjEwMDAwMDAwMDAsImVuYyI6IkExMjhHQ00ifQ.AA.AA.AA.AA"
        },
        .saying("D-13 claims nested deeply", "auth/argument-error") {
            $0.setting("deep", to: .raw(String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)))
        },
        .saying("a claim twice", "auth/argument-error") {
            var token = $0
            token.claims.append("sub", "mallory")
            return token
        },
        .init("D-11 padding", "auth/argument-error") { try $0.token() + "=" },
    ]

    @Test(arguments: claims + headers + others)
    func aTokenThatIsNotValidIsRefused(_ token: RefusedToken) throws {
        let before = scenario.echo.requestCount
        let response = try scenario.send(.bearer(token.make(scenario), "/me/refused"))
        expectDenial(response, 401, token.code)
        #expect(scenario.echo.requestCount == before)
    }

    @Test(arguments: claims.prefix(3) + headers.prefix(3))
    func c10AnOptionalRouteRefusesItToo(_ token: RefusedToken) throws {
        expectDenial(try scenario.send(.bearer(token.make(scenario), "/optional/refused")), 401, token.code)
    }

    @Test func aPublicRouteDoesNotLookAtIt() throws {
        let report = try scenario.passes(.bearer(Tampering.payload.applied(to: scenario.token()), "/public/refused"))
        #expect(report["X-Auth-Uid"] == nil)
    }

    @Test func anIDTokenInTheCookieIsRefused() throws {
        expectDenial(try scenario.send(.cookie(scenario.token(), "/me/refused")), 401, "auth/invalid-session-cookie")
    }

    @Test func anExpiredSessionCookieIsToldAsSuch() throws {
        let cookie = try scenario.cookie { $0.expiring(at: unixNow() - 1) }
        expectDenial(try scenario.send(.cookie(cookie, "/me/refused")), 401, "auth/session-cookie-expired")
    }

    @Test func aBadSignatureIsToldBeforeAnExpiry() throws {
        let token = Tampering.signatureBit.applied(to: try scenario.token { $0.expiring(at: unixNow() - 10) })
        expectDenial(try scenario.send(.bearer(token, "/me/refused")), 401, "auth/invalid-id-token")
    }

    @Test func timesWithinTheSkewPass() throws {
        let soon = unixNow() + 3
        let token = try scenario.token { $0.issued(at: soon).signedIn(at: soon) }
        _ = try scenario.passes(.bearer(token, "/me/skew"))
    }
}
