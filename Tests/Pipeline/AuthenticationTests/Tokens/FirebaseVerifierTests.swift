import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct FirebaseVerifierTests {
    typealias Reason = VerificationFailure.Reason

    private static let now = ManualClock.start

    /// Verifies like the authenticator: the checks before the signature, the lookup of the key by its ID, the other
    /// checks.
    private func verify(_ token: String, by verifier: FirebaseVerifier = TokenDraft.verifier()) throws -> Principal {
        let unverified = try Array(token.utf8).withUnsafeBytes { try UnverifiedJWS($0) }
        let id = try verifier.checkBeforeSignature(unverified)
        return try verifier.verify(
            unverified, key: TokenDraft.keys.key(id: id), now: Self.now, hasher: try SHA256Hasher.required())
    }

    private func refusal(_ token: String, by verifier: FirebaseVerifier = TokenDraft.verifier()) -> VerificationFailure?
    {
        do {
            _ = try verify(token, by: verifier)
            return nil
        } catch {
            return error as? VerificationFailure ?? VerificationFailure(code: .argumentError, reason: .notCompactJWS)
        }
    }

    private func reason(_ draft: TokenDraft, by verifier: FirebaseVerifier = TokenDraft.verifier()) -> Reason? {
        refusal(draft.signed(), by: verifier)?.reason
    }

    // MARK: - Accepted tokens

    @Test func `a valid ID token names its user`() throws {
        let principal = try verify(TokenDraft.idToken().signed())
        #expect(principal.uid == "user-1")
        #expect(principal.kind == .idToken)
        #expect(principal.signInProvider == "google.com")
        #expect(principal.authTime?.seconds == Self.now - 100)
        #expect(principal.expiresAt.seconds == Self.now + 3500)
        #expect(!principal.hasSecondFactor)
        #expect(principal.claims.root["email"]?.string == "a@example.com")
        let cookie = try verify(TokenDraft.sessionCookie().signed(), by: TokenDraft.verifier(.sessionCookie))
        #expect(cookie.kind == .sessionCookie)
    }

    @Test(arguments: [("phone", true), ("", false)])
    func `a second factor is recorded`(factor: String, isUsed: Bool) throws {
        let draft = TokenDraft.idToken().with("firebase", #"{"sign_in_second_factor":"\#(factor)"}"#)
        #expect(try verify(draft.signed()).hasSecondFactor == isUsed)
    }

    @Test func `every published key verifies its own signatures`() throws {
        let draft = TokenDraft.idToken().withHeader("kid", "\"key-2\"")
        #expect(try verify(draft.signed(by: TokenDraft.secondKey)).uid == "user-1")
    }

    @Test(
        arguments: [
            ("exp", "\(now + 1)"), ("exp", "\(Int64.max)"), ("iat", "\(now + 5)"), ("nbf", "\(now + 5)"),
            ("auth_time", "\(now + 5)"), ("user_id", nil),
        ] as [(String, String?)])
    func `E-08: a claim within its bounds is accepted`(name: String, value: String?) {
        #expect(reason(TokenDraft.idToken().with(name, value)) == nil)
    }

    @Test func `E-08: a token issued long ago without a type is accepted`() {
        let draft = TokenDraft.idToken().with("iat", "1").with("auth_time", "1").withHeader("typ", nil)
        #expect(reason(draft) == nil)
    }

    // MARK: - Flaws

    private static let algorithms = ["PS256", "RS384", "HS256", "none", "None", "ES256", "XX999"]
    private static let issuers = [
        nil, "\"https://securetoken.google.com/other\"", "\"https://securetoken.google.com/my-app/\"", "\"my-app\"",
        "7", "[\"https://securetoken.google.com/my-app\"]",
    ]
    private static let members = [
        "7", "[]", "null", #"{"tenant":7}"#, #"{"sign_in_provider":[]}"#, #"{"sign_in_second_factor":true}"#,
    ]

    static let flaws =
        ([
            TokenFlaw.header("kid", [nil, "\"\""], .noKeyID), TokenFlaw.header("kid", ["\"foo\""], .signature),
            TokenFlaw.header("alg", algorithms.map { "\"\($0)\"" }, .algorithm, "D-01 D-02 D-03 "),
            TokenFlaw.header("typ", ["\"at+jwt\"", "\"logout+jwt\"", "\"gatehouse-session+jwt\""], .type, "E-12 "),
            TokenFlaw.claim("iss", issuers, .issuer, "E-04 "),
            TokenFlaw.claim("aud", [nil, "\"other\"", "[\"my-app\"]", "[]", "\"\"", "null"], .audience, "E-01 "),
            TokenFlaw.claim("sub", [nil, "\"\"", "10", "null", "[\"a\"]"], .subject, "E-09 "),
            TokenFlaw.claim("user_id", ["\"admin\""], .userID), TokenFlaw.claim("firebase", members, .firebaseMember),
            TokenFlaw.claim("exp", [nil, "\"1800000000\"", "1800000000.5", "null", "1e10"], .expiryMissing),
            TokenFlaw.claim("exp", ["\(now)", "\(now - 1)", "\(Int64.min)"], .expired, code: .idTokenExpired),
            TokenFlaw.claim("iat", [nil, "\"1\"", "1.5", "null", "true"], .issuedAt),
            TokenFlaw.claim("iat", ["\(now + 6)", "\(Int64.max)"], .issuedInFuture, "E-08 "),
            TokenFlaw.claim("nbf", ["\(now + 6)", "\"1\""], .notBefore, "E-08 "),
            TokenFlaw.claim("auth_time", [nil, "\"1\"", "1.5", "null", "true"], .authenticationTime),
            TokenFlaw.claim("auth_time", ["\(now + 6)", "-1"], .authenticatedInFuture, "E-08 "),
        ] as [[TokenFlaw]]).flatMap { $0 }

    @Test(arguments: flaws)
    func `D-01, D-02, D-03, E-01, E-04, E-08, E-09, E-12: each flaw has its own reason`(_ flaw: TokenFlaw) {
        #expect(refusal(flaw.change(.idToken()).signed()) == flaw.failure)
    }

    @Test(arguments: ["", "invalid-token", "foo", "fo.ob.ar.baz", "foo.bar.baz", "a.b", "..", "not.a.jwt"])
    func `D-10: text that is not a compact JWS is rejected`(text: String) {
        #expect(refusal(text)?.code == .argumentError)
    }

    @Test(arguments: ["a\\u0000b", "a\\n", "\\u007f", String(repeating: "a", count: 129)])
    func `E-09: a subject has at most 128 bytes and no control characters`(subject: String) {
        func reason(_ subject: String) -> Reason? {
            self.reason(.idToken().with("sub", "\"\(subject)\"").with("user_id", nil))
        }
        #expect(reason(subject) == .subject)
        #expect(reason(String(repeating: "a", count: 128)) == nil)
    }

    @Test(arguments: [CredentialKind.idToken, .sessionCookie])
    func `E-10: a custom token is reported as one, whatever its other flaws`(kind: CredentialKind) {
        let draft = TokenDraft.idToken().with("aud", "\"\(FirebaseVerifier.customTokenAudience)\"")
            .withHeader("kid", nil).with("iss", "\"service@account\"")
        let refusal = refusal(draft.signed(), by: TokenDraft.verifier(kind))
        #expect(refusal == VerificationFailure(code: .argumentError, reason: .customToken))
    }

    @Test func `E-10: a legacy custom token is reported as one`() {
        let draft = TokenDraft(
            header: ["alg": "\"HS256\"", "typ": "\"JWT\""], claims: ["v": "0", "d": #"{"uid":"a"}"#, "iat": "1"])
        #expect(refusal(draft.signed()) == VerificationFailure(code: .argumentError, reason: .legacyCustomToken))
    }

    @Test func `E-10: a cookie is not an ID token, and an ID token is not a cookie`() {
        #expect(reason(.sessionCookie()) == .issuer)
        let refusal = refusal(TokenDraft.idToken().signed(), by: TokenDraft.verifier(.sessionCookie))
        #expect(refusal == VerificationFailure(code: .invalidSessionCookie, reason: .issuer))
    }

    // MARK: - Signature and expiry

    @Test func `a signature of another key or of another payload is rejected`() {
        #expect(refusal(TokenDraft.idToken().signed(by: TokenDraft.forgedKey))?.reason == .signature)
        #expect(refusal(TokenDraft.idToken().signed(by: TokenDraft.secondKey))?.reason == .signature)
        let one = TokenDraft.idToken().signed().split(separator: ".")
        let admin = TokenDraft.idToken().with("sub", "\"admin\"").with("user_id", "\"admin\"")
        let other = admin.signed().split(separator: ".")
        #expect(refusal("\(one[0]).\(other[1]).\(one[2])")?.reason == .signature)
    }

    @Test func `claims are checked before the signature, and the signature before the expiry`() {
        let draft = TokenDraft.idToken().with("exp", "1")
        #expect(refusal(draft.with("aud", "\"other\"").signed(by: TokenDraft.forgedKey))?.reason == .audience)
        #expect(refusal(draft.signed(by: TokenDraft.forgedKey))?.reason == .signature)
        #expect(refusal(draft.signed())?.code == .idTokenExpired)
    }

    @Test func `the skew never extends the lifetime of a token`() {
        #expect(reason(TokenDraft.idToken().with("exp", "\(Self.now)"), by: TokenDraft.verifier(skew: 60)) == .expired)
    }

    @Test func `an expired cookie has its own code`() {
        let cookie = TokenDraft.sessionCookie().with("exp", "1").signed()
        #expect(refusal(cookie, by: TokenDraft.verifier(.sessionCookie))?.code == .sessionCookieExpired)
    }

    // MARK: - Tenants

    @Test func `E-11: a token of a tenant is accepted only if its tenant is configured`() {
        let draft = TokenDraft.idToken().with("firebase", #"{"tenant":"a"}"#)
        #expect(refusal(draft.signed()) == VerificationFailure(code: .tenantMismatch, reason: .tenant))
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .only("a"))) == nil)
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .only("b"))) == .tenant)
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .any)) == nil)
        #expect(reason(.idToken(), by: TokenDraft.verifier(tenant: .only("a"))) == .tenant)
        #expect(reason(.idToken(), by: TokenDraft.verifier(tenant: .any)) == nil)
    }

    @Test func `a tenant is a part of the name if tokens of several tenants are accepted`() throws {
        func user(_ tenant: String?, _ policy: FirebaseVerifier.Tenant) throws -> UserKey {
            let member = tenant.map { "{\"tenant\":\"\($0)\"}" } ?? "{}"
            let draft = TokenDraft.idToken().with("firebase", member)
            return try verify(draft.signed(), by: TokenDraft.verifier(tenant: policy)).user
        }
        #expect(try user("a", .any) == UserKey(uid: "user-1", tenant: "a"))
        #expect(try user("b", .any) != user("a", .any))
        #expect(try user(nil, .any) == UserKey(uid: "user-1", tenant: nil))
        #expect(try user("a", .only("a")) == UserKey(uid: "user-1", tenant: nil))
        #expect(try user(nil, .none) == UserKey(uid: "user-1", tenant: nil))
    }

    @Test(arguments: ["", "a.b", "a:b", "a\\u001fb", "a b", String(repeating: "a", count: 129)])
    func `a claim that is not a tenant's id is rejected`(text: String) {
        let draft = TokenDraft.idToken().with("firebase", "{\"tenant\":\"\(text)\"}")
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .any)) == .tenant)
    }

    @Test func `tenants are compared by their bytes`() {
        let kelvin = TokenDraft.idToken().with("firebase", #"{"tenant":"\u212a"}"#)
        #expect(reason(kelvin, by: TokenDraft.verifier(tenant: .only("K"))) == .tenant)
    }

    // MARK: - The emulator

    @Test func `D-20: an unsigned token is rejected`() {
        let draft = TokenDraft.idToken().withHeader("alg", "\"none\"")
        #expect(refusal(draft.unsigned)?.reason == .algorithm)
        #expect(refusal(draft.withHeader("kid", nil).unsigned)?.reason == .noKeyID)
    }

    @Test(
        arguments: [
            ("email", nil, nil), ("exp", "1", .expired), ("aud", "\"other\"", .audience), ("iss", "\"other\"", .issuer),
            ("sub", nil, .subject), ("firebase", #"{"tenant":"a"}"#, .tenant),
        ] as [(String, String?, Reason?)])
    func `for the emulator only unsigned tokens are accepted, with the same checks`(
        claim: String, value: String?, expected: Reason?
    ) {
        let draft = TokenDraft.idToken().with(claim, value).withHeader("alg", "\"none\"").withHeader("kid", nil)
        #expect(refusal(draft.unsigned, by: TokenDraft.verifier(emulator: true))?.reason == expected)
        #expect(reason(.idToken(), by: TokenDraft.verifier(emulator: true)) == .notUnsigned)
    }
}
