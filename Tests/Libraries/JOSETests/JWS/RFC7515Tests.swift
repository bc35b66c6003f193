import Testing

@testable import JOSE

struct RFC7515Tests {
    @Test func `A.2 (RS256) and A.3 (ES256) verify`() throws {
        let rsa = try UnverifiedJWS(RFC7515.rs256).verify(with: try Keys.key(RFC7515.rsaJWK), algorithm: .rs256)
        #expect(rsa?.payload.root["iss"]?.string == "joe")
        let ec = try UnverifiedJWS(RFC7515.es256).verify(with: try Keys.key(RFC7515.p256JWK), algorithm: .es256)
        #expect(ec?.payload.root["exp"]?.integer == 1_300_819_380)
    }

    @Test func `A.4 (ES512) has a valid signature and a payload that is not JSON`() throws {
        #expect(try Tokens.isSigned(RFC7515.es512, with: RFC7515.p521JWK, .es512))
        #expect(Tokens.refusal(of: RFC7515.es512) == .invalidPayloadJSON)
    }

    @Test(arguments: [RFC7515.hs256, RFC7515.unsecured])
    func `A.1 (HS256) and A.5 (none) are readable, and no key verifies them`(text: String) throws {
        let token = try UnverifiedJWS(text)
        #expect(token.hasEmptySignature == (text == RFC7515.unsecured))
        #expect(token.payload.root["iss"]?.string == "joe")
        #expect(token.algorithm == nil)
        for key in try Keys.set(RFC7515.rsaJWK, RFC7515.p256JWK, RFC7515.p521JWK).keys {
            for algorithm in Algorithm.allCases { #expect(token.verify(with: key, algorithm: algorithm) == nil) }
        }
    }

    @Test(arguments: [RFC7515.general, RFC7515.flattened])
    func `the JSON serializations A.6 and A.7 are rejected`(text: String) {
        #expect(Tokens.refusal(of: text) == .wrongPartCount)
    }

    @Test func `appendix E and the example of RFC 7797 are rejected for their critical headers`() {
        #expect(Tokens.refusal(of: RFC7515.critical) == .criticalExtension)
        #expect(Tokens.refusal(of: RFC7515.unencoded) == .criticalExtension)
    }
}
