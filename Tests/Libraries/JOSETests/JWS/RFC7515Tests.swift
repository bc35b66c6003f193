import Testing

@testable import JOSE

@Suite("the examples of RFC 7515")
struct RFC7515Tests {
    @Test("A.2 (RS256) and A.3 (ES256) verify")
    func verified() throws {
        let rsa = try UnverifiedJWS(RFC7515.rs256).verify(with: try Keys.key(RFC7515.rsaJWK), algorithm: .rs256)
        #expect(rsa?.payload.root["iss"]?.string == "joe")
        let ec = try UnverifiedJWS(RFC7515.es256).verify(with: try Keys.key(RFC7515.p256JWK), algorithm: .es256)
        #expect(ec?.payload.root["exp"]?.integer == 1_300_819_380)
    }

    @Test("A.4 (ES512) is a right signature, and no token since its payload is no JSON")
    func plainText() throws {
        #expect(try Tokens.isSigned(RFC7515.es512, with: RFC7515.p521JWK, .es512))
        #expect(Tokens.refusal(of: RFC7515.es512) == .invalidPayloadJSON)
    }

    @Test(
        "A.1 (HS256) and A.5 (none) can be looked at, and no key verifies them",
        arguments: [
            RFC7515.hs256, RFC7515.unsecured,
        ])
    func neverVerified(token: String) throws {
        let token = try UnverifiedJWS(token)
        #expect(token.payload.root["iss"]?.string == "joe")
        #expect(token.algorithm == nil)
        for key in try Keys.set(RFC7515.rsaJWK, RFC7515.p256JWK, RFC7515.p521JWK).keys {
            for algorithm in Algorithm.allCases { #expect(token.verify(with: key, algorithm: algorithm) == nil) }
        }
    }

    @Test("A.5 has an empty signature")
    func unsecured() throws {
        #expect(try UnverifiedJWS(RFC7515.unsecured).hasEmptySignature)
    }

    @Test("A.6 and A.7 are JSON, which is not read", arguments: [RFC7515.general, RFC7515.flattened])
    func json(text: String) {
        #expect(Tokens.refusal(of: text) == .wrongPartCount)
    }

    @Test("appendix E is refused for its critical header, and RFC 7797's for the same")
    func critical() {
        #expect(Tokens.refusal(of: RFC7515.critical) == .criticalExtension)
        #expect(Tokens.refusal(of: RFC7515.unencoded) == .criticalExtension)
    }
}
