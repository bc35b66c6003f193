import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

/// The rows in which the Admin SDKs differ, and Google's recipe: the strictest rule applies.
@Suite struct AppCheckVerifierTests {
    private static let now = ManualClock.start
    private static let number = AppCheckSample.projectNumber

    private func verify(_ token: String) throws -> AppCheckProof {
        let unverified = try Array(token.utf8).withUnsafeBytes { try UnverifiedJWS($0) }
        let verifier = AppCheckSample.verifier()
        let id = try verifier.checkBeforeSignature(unverified)
        let key = try #require(TokenDraft.keys.key(id: id))
        return try verifier.verify(unverified, key: key, now: Self.now)
    }

    private func failure(_ draft: TokenDraft, by key: SigningKey = TokenDraft.key) -> AppCheckFailure? {
        do {
            _ = try verify(draft.signed(by: key))
            return nil
        } catch {
            return error as? AppCheckFailure ?? .notCompactJWS
        }
    }

    @Test func `a valid token proves its app until it expires`() throws {
        let proof = try verify(AppCheckSample.token)
        #expect(proof.app.id == AppCheckSample.webID)
        #expect(proof.app.name == "web")
        #expect(proof.expiresAt.seconds == Self.now + 3500)
    }

    @Test(
        arguments: [
            ("aud", "[\"projects/\(number)\"]"), ("aud", "[\"projects/my-app\"]"),
            ("aud", "[\"projects/other\",\"projects/my-app\"]"), ("sub", "\"\(AppCheckSample.iosID)\""),
            ("exp", "\(now + 1)"), ("iat", "\(now + 5)"), ("nbf", "\(now + 5)"), ("jti", "\"a\""),
            ("provider", "\"debug\""), ("app_id", "\"other\""),
        ])
    func `a token with another valid claim is accepted`(name: String, value: String) {
        #expect(failure(AppCheckSample.draft().with(name, value)) == nil)
    }

    static let headers: [(String, String?, AppCheckFailure)] =
        ["\"PS256\"", "\"RS384\"", "\"HS256\"", "\"none\"", "\"ES256\""].map { ("alg", $0, .algorithm) }
        + [nil, "\"jwt\"", "\"JOSE\"", "\"at+jwt\""].map { ("typ", $0, .type) }
        + [nil, "\"\""].map { ("kid", $0, .noKeyID) }

    @Test(arguments: headers)
    func `a token with another header is refused`(name: String, value: String?, reason: AppCheckFailure) {
        #expect(failure(AppCheckSample.draft().withHeader(name, value)) == reason)
    }

    static let claims: [(String, String?, AppCheckFailure)] =
        [
            nil, "7", "\"https://firebaseappcheck.googleapis.com/\"",
            "\"https://firebaseappcheck.googleapis.com/999999999999\"",
            "\"https://firebaseappcheck.googleapis.com/my-app\"",
            "\"https://firebaseappcheck.googleapis.com/\(number)/\"",
            "\"https://firebaseappcheck.googleapis.com/\(number)0\"",
            "\"https://securetoken.google.com/my-app\"", "[\"https://firebaseappcheck.googleapis.com/\(number)\"]",
        ].map { ("iss", $0, .issuer) }
        + [
            nil, "\"projects/\(number)\"", "\"projects/my-app\"", "[]", "7", "null", "{}", "[\"my-app\"]",
            "[\"\(number)\"]", "[\"projects/other\"]", "[\"projects/my-app\",7]", "[[\"projects/my-app\"]]",
            "[\"projects/my-app/\"]", "[\"Projects/my-app\"]",
        ].map { ("aud", $0, .audience) }
        + [nil, "\"\"", "7", "null", "\"1:123456789012:web:other\"", "\"web\"", "[\"\(AppCheckSample.webID)\"]"]
        .map { ("sub", $0, .app) }
        + [nil, "\"\(now + 100)\"", "\(now + 100).5", "null", "1e400"].map { ("exp", $0, .expiryMissing) }
        + ["\(now)", "0", "-1", "\(now - 1)"].map { ("exp", $0, .expired) }
        + [nil, "\(now + 6)", "\"1\"", "-1", "null"].map { ("iat", $0, .issuedAt) }
        + ["\(now + 6)", "\"1\"", "null"].map { ("nbf", $0, .notBefore) }

    @Test(arguments: claims)
    func `a token with another claim is refused`(name: String, value: String?, reason: AppCheckFailure) {
        #expect(failure(AppCheckSample.draft().with(name, value)) == reason)
    }

    @Test func `a signature of another key is refused`() {
        #expect(failure(AppCheckSample.draft(), by: TokenDraft.forgedKey) == .signature)
    }

    @Test func `the expiry has its own code`() {
        for reason in AppCheckFailure.allCases {
            #expect(reason.code == (reason == .expired ? .appTokenExpired : .invalidAppToken))
        }
    }
}
