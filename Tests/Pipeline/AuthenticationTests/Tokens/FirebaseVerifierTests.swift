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

    /// Verifies as the authenticator does: the checks before the signature, the key by its id, the rest.
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

    // MARK: - What passes

    @Test func aValidIDTokenNamesItsUser() throws {
        let principal = try verify(TokenDraft.idToken().signed())
        #expect(principal.uid == "user-1")
        #expect(principal.kind == .idToken)
        #expect(principal.signInProvider == "google.com")
        #expect(principal.authTime?.seconds == Self.now - 100)
        #expect(principal.expiresAt.seconds == Self.now + 3500)
        #expect(!principal.hasSecondFactor)
        #expect(principal.claims.root["email"]?.string == "a@example.com")
    }

    @Test func aValidSessionCookieNamesItsUser() throws {
        let principal = try verify(TokenDraft.sessionCookie().signed(), by: TokenDraft.verifier(.sessionCookie))
        #expect(principal.kind == .sessionCookie)
    }

    @Test func aSecondFactorIsNoted() throws {
        let draft = TokenDraft.idToken().with("firebase", #"{"sign_in_second_factor":"phone"}"#)
        #expect(try verify(draft.signed()).hasSecondFactor)
        let empty = TokenDraft.idToken().with("firebase", #"{"sign_in_second_factor":""}"#)
        #expect(try !verify(empty.signed()).hasSecondFactor)
    }

    @Test func anyPublishedKeyVerifiesItsOwn() throws {
        let draft = TokenDraft.idToken().withHeader("kid", "\"key-2\"")
        #expect(try verify(draft.signed(by: TokenDraft.secondKey)).uid == "user-1")
    }

    // MARK: - Before the signature

    @Test(arguments: ["", "invalid-token", "foo", "fo.ob.ar.baz", "foo.bar.baz", "a.b", "..", "not.a.jwt"])
    func d10TextThatIsNoCompactJWSIsRefused(text: String) {
        #expect(refusal(text)?.code == .argumentError)
    }

    @Test(arguments: [nil, "\"\""]) func aTokenWithoutAKeyIDIsRefused(id: String?) {
        #expect(reason(TokenDraft.idToken().withHeader("kid", id)) == .noKeyID)
    }

    @Test(arguments: ["PS256", "RS384", "HS256", "none", "None", "ES256", "XX999"])
    func d01d02d03AnotherAlgorithmIsRefused(name: String) {
        #expect(reason(TokenDraft.idToken().withHeader("alg", "\"\(name)\"")) == .algorithm)
    }

    @Test(arguments: ["\"at+jwt\"", "\"logout+jwt\"", "\"gatehouse-session+jwt\""])
    func e12AnotherTypeIsRefused(type: String) {
        #expect(reason(TokenDraft.idToken().withHeader("typ", type)) == .type)
    }

    @Test func aTokenWithoutATypeIsTaken() {
        #expect(reason(TokenDraft.idToken().withHeader("typ", nil)) == nil)
    }

    @Test(arguments: [
        nil, "\"https://securetoken.google.com/other\"", "\"https://securetoken.google.com/my-app/\"", "\"my-app\"",
        "7",
        "[\"https://securetoken.google.com/my-app\"]",
    ])
    func e04AnotherIssuerIsRefused(issuer: String?) {
        #expect(reason(TokenDraft.idToken().with("iss", issuer)) == .issuer)
    }

    @Test(arguments: [nil, "\"other\"", "[\"my-app\"]", "[]", "\"\"", "null"]) func e01AnotherAudienceIsRefused(
        audience: String?
    ) {
        #expect(reason(TokenDraft.idToken().with("aud", audience)) == .audience)
    }

    @Test(arguments: [nil, "\"\"", "10", "null", "[\"a\"]"]) func e09AMalformedSubjectIsRefused(subject: String?) {
        #expect(reason(TokenDraft.idToken().with("sub", subject)) == .subject)
    }

    @Test(arguments: ["\"a\\u0000b\"", "\"a\\n\"", "\"\\u007f\""]) func e09ASubjectHasNoControlCharacters(
        subject: String
    ) {
        #expect(reason(.idToken().with("sub", subject).with("user_id", nil)) == .subject)
    }

    @Test func e09ASubjectHas128BytesAtMost() {
        func draft(_ count: Int) -> TokenDraft {
            TokenDraft.idToken().with("sub", "\"\(String(repeating: "a", count: count))\"").with("user_id", nil)
        }
        #expect(reason(draft(128)) == nil)
        #expect(reason(draft(129)) == .subject)
    }

    @Test func e10ACustomTokenIsToldWhateverElseIsWrong() {
        let draft = TokenDraft.idToken().with("aud", "\"\(FirebaseVerifier.customTokenAudience)\"")
            .withHeader("kid", nil).with("iss", "\"service@account\"")
        for verifier in [TokenDraft.verifier(), TokenDraft.verifier(.sessionCookie)] {
            #expect(
                refusal(draft.signed(), by: verifier) == VerificationFailure(code: .argumentError, reason: .customToken)
            )
        }
    }

    @Test func e10ALegacyCustomTokenIsTold() {
        let draft = TokenDraft(
            header: ["alg": "\"HS256\"", "typ": "\"JWT\""], claims: ["v": "0", "d": #"{"uid":"a"}"#, "iat": "1"])
        #expect(refusal(draft.signed()) == VerificationFailure(code: .argumentError, reason: .legacyCustomToken))
    }

    @Test func e10ACookieIsNoIDTokenAndTheReverse() {
        #expect(reason(.sessionCookie()) == .issuer)
        let refusal = refusal(TokenDraft.idToken().signed(), by: TokenDraft.verifier(.sessionCookie))
        #expect(refusal == VerificationFailure(code: .invalidSessionCookie, reason: .issuer))
    }

    // MARK: - The signature

    @Test func aForgedSignatureIsRefused() {
        #expect(refusal(TokenDraft.idToken().signed(by: TokenDraft.forgedKey))?.reason == .signature)
    }

    @Test func aSignatureOfAnotherPublishedKeyIsRefused() {
        #expect(refusal(TokenDraft.idToken().signed(by: TokenDraft.secondKey))?.reason == .signature)
    }

    @Test func anUnknownKeyIsRefused() {
        #expect(reason(TokenDraft.idToken().withHeader("kid", "\"foo\"")) == .signature)
    }

    @Test func aChangedPayloadIsRefused() {
        let one = TokenDraft.idToken().signed().split(separator: ".")
        let other = TokenDraft.idToken().with("sub", "\"admin\"").with("user_id", "\"admin\"").signed().split(
            separator: ".")
        #expect(refusal("\(one[0]).\(other[1]).\(one[2])")?.reason == .signature)
    }

    @Test func aBadSignatureIsToldBeforeAnExpiry() {
        let draft = TokenDraft.idToken().with("exp", "1")
        #expect(refusal(draft.signed(by: TokenDraft.forgedKey))?.code == .invalidIDToken)
        #expect(refusal(draft.signed())?.code == .idTokenExpired)
    }

    @Test func claimsAreCheckedBeforeTheSignature() {
        let draft = TokenDraft.idToken().with("aud", "\"other\"")
        #expect(refusal(draft.signed(by: TokenDraft.forgedKey))?.reason == .audience)
    }

    // MARK: - Time

    @Test func aTokenEndsAtItsExpiry() {
        #expect(reason(TokenDraft.idToken().with("exp", "\(Self.now + 1)")) == nil)
        #expect(reason(TokenDraft.idToken().with("exp", "\(Self.now)")) == .expired)
        #expect(reason(TokenDraft.idToken().with("exp", "\(Self.now - 1)")) == .expired)
    }

    @Test func theSkewNeverProlongsATokensLife() {
        #expect(reason(TokenDraft.idToken().with("exp", "\(Self.now)"), by: TokenDraft.verifier(skew: 60)) == .expired)
    }

    @Test func anExpiredCookieHasItsOwnCode() {
        let refusal = refusal(
            TokenDraft.sessionCookie().with("exp", "1").signed(), by: TokenDraft.verifier(.sessionCookie))
        #expect(refusal?.code == .sessionCookieExpired)
    }

    @Test(arguments: [nil, "\"1800000000\"", "1800000000.5", "null", "1e10"]) func anExpiryThatIsNoIntegerIsRefused(
        value: String?
    ) {
        #expect(reason(TokenDraft.idToken().with("exp", value)) == .expiryMissing)
    }

    @Test func e08TheFutureBeginsBeyondTheSkew() {
        for claim in ["iat", "nbf", "auth_time"] {
            #expect(reason(TokenDraft.idToken().with(claim, "\(Self.now + 5)")) == nil, "\(claim)")
            #expect(reason(TokenDraft.idToken().with(claim, "\(Self.now + 6)")) != nil, "\(claim)")
        }
    }

    @Test func e08TheReasonNamesTheClaim() {
        #expect(reason(TokenDraft.idToken().with("iat", "\(Self.now + 6)")) == .issuedInFuture)
        #expect(reason(TokenDraft.idToken().with("nbf", "\(Self.now + 6)")) == .notBefore)
        #expect(reason(TokenDraft.idToken().with("auth_time", "\(Self.now + 6)")) == .authenticatedInFuture)
    }

    @Test func e08ATokenFromLongAgoIsTaken() {
        #expect(reason(TokenDraft.idToken().with("iat", "1").with("auth_time", "1")) == nil)
    }

    @Test(arguments: [nil, "\"1\"", "1.5", "null", "true"]) func timesThatAreNoIntegersAreRefused(value: String?) {
        #expect(reason(TokenDraft.idToken().with("iat", value)) == .issuedAt)
        #expect(reason(TokenDraft.idToken().with("auth_time", value)) == .authenticationTime)
    }

    @Test func aNotBeforeThatIsNoIntegerIsRefused() {
        #expect(reason(TokenDraft.idToken().with("nbf", "\"1\"")) == .notBefore)
    }

    @Test func aSignInBefore1970IsRefused() {
        #expect(reason(TokenDraft.idToken().with("auth_time", "-1")) != nil)
    }

    @Test func theLargestTimesDoNotOverflow() {
        #expect(reason(TokenDraft.idToken().with("iat", "\(Int64.max)")) == .issuedInFuture)
        #expect(reason(TokenDraft.idToken().with("exp", "\(Int64.max)")) == nil)
        #expect(reason(TokenDraft.idToken().with("exp", "\(Int64.min)")) == .expired)
    }

    // MARK: - Tenant, user, the firebase member

    @Test func e11ATenantsTokenCountsOnlyWhereItIsAskedFor() {
        let draft = TokenDraft.idToken().with("firebase", #"{"tenant":"a"}"#)
        #expect(refusal(draft.signed()) == VerificationFailure(code: .tenantMismatch, reason: .tenant))
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .only("a"))) == nil)
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .only("b"))) == .tenant)
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .any)) == nil)
    }

    @Test func e11ATokenWithoutATenantIsNotOfOne() {
        #expect(reason(.idToken(), by: TokenDraft.verifier(tenant: .only("a"))) == .tenant)
        #expect(reason(.idToken(), by: TokenDraft.verifier(tenant: .any)) == nil)
    }

    @Test func `a tenant is a part of the name where tokens of several count`() throws {
        let hasher = try SHA256Hasher.required()
        func user(_ tenant: String?, _ policy: FirebaseVerifier.Tenant) throws -> UserKey {
            let member = tenant.map { "{\"tenant\":\"\($0)\"}" } ?? "{}"
            let draft = TokenDraft.idToken().with("firebase", member)
            let token = try UnverifiedJWS(
                draft.withHeader("alg", "\"none\"").withHeader("kid", nil).unsigned)
            return try TokenDraft.verifier(tenant: policy, emulator: true)
                .verify(token, key: nil, now: ManualClock.start, hasher: hasher).user
        }
        #expect(try user("a", .any) == UserKey(uid: "user-1", tenant: "a"))
        #expect(try user("b", .any) != user("a", .any))
        #expect(try user(nil, .any) == UserKey(uid: "user-1", tenant: nil))
        #expect(try user("a", .only("a")) == UserKey(uid: "user-1", tenant: nil))
        #expect(try user(nil, .none) == UserKey(uid: "user-1", tenant: nil))
    }

    @Test(arguments: ["", "a.b", "a:b", "a\\u001fb", "a b", String(repeating: "a", count: 129)])
    func `a claim that is no tenant's id is refused`(text: String) {
        let draft = TokenDraft.idToken().with("firebase", "{\"tenant\":\"\(text)\"}")
        #expect(reason(draft, by: TokenDraft.verifier(tenant: .any)) == .tenant)
    }

    @Test func tenantsAreComparedByTheirBytes() {
        let kelvin = TokenDraft.idToken().with("firebase", #"{"tenant":"\u212a"}"#)
        #expect(reason(kelvin, by: TokenDraft.verifier(tenant: .only("K"))) == .tenant)
    }

    @Test(arguments: [
        "7", "[]", "null", #"{"tenant":7}"#, #"{"sign_in_provider":[]}"#, #"{"sign_in_second_factor":true}"#,
    ])
    func aMalformedFirebaseMemberIsRefused(value: String) {
        #expect(
            reason(TokenDraft.idToken().with("firebase", value), by: TokenDraft.verifier(tenant: .any))
                == .firebaseMember)
    }

    @Test func aUserIDThatDiffersIsRefused() {
        #expect(reason(TokenDraft.idToken().with("user_id", "\"admin\"")) == .userID)
        #expect(reason(TokenDraft.idToken().with("user_id", nil)) == nil)
    }

    // MARK: - The emulator

    @Test func d20AnUnsignedTokenIsRefused() {
        let draft = TokenDraft.idToken().withHeader("alg", "\"none\"")
        #expect(refusal(draft.unsigned)?.reason == .algorithm)
        #expect(refusal(draft.withHeader("kid", nil).unsigned)?.reason == .noKeyID)
    }

    @Test func theEmulatorsTokenIsTakenUnsigned() {
        let draft = TokenDraft.idToken().withHeader("alg", "\"none\"").withHeader("kid", nil)
        #expect(refusal(draft.unsigned, by: TokenDraft.verifier(emulator: true)) == nil)
    }

    @Test func theEmulatorsGatewayRefusesSignedTokens() {
        #expect(reason(.idToken(), by: TokenDraft.verifier(emulator: true)) == .notUnsigned)
    }

    @Test func theEmulatorsTokenIsOtherwiseCheckedTheSame() {
        let draft = TokenDraft.idToken().withHeader("alg", "\"none\"").withHeader("kid", nil)
        let verifier = TokenDraft.verifier(emulator: true)
        #expect(refusal(draft.with("exp", "1").unsigned, by: verifier)?.reason == .expired)
        #expect(refusal(draft.with("aud", "\"other\"").unsigned, by: verifier)?.reason == .audience)
        #expect(refusal(draft.with("iss", "\"other\"").unsigned, by: verifier)?.reason == .issuer)
        #expect(refusal(draft.with("sub", nil).unsigned, by: verifier)?.reason == .subject)
        #expect(refusal(draft.with("firebase", #"{"tenant":"a"}"#).unsigned, by: verifier)?.reason == .tenant)
    }
}
