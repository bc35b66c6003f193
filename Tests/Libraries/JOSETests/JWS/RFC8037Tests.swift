import Testing

@testable import JOSE

struct RFC8037Tests {
    @Test func `the key of A.2 is accepted and has the thumbprint of A.3`() throws {
        let key = try Keys.key(RFC8037.publicJWK)
        #expect(key.kind == .ed25519)
        #expect(key.algorithms == [.edDSA])
        #expect(Base64URL.encode(key.thumbprint) == RFC8037.thumbprint)
    }

    @Test func `A.4 and A.5 have a valid signature and a payload that is not JSON`() throws {
        #expect(try Tokens.isSigned(RFC8037.edDSA, with: RFC8037.publicJWK, .edDSA))
        #expect(Tokens.refusal(of: RFC8037.edDSA) == .invalidPayloadJSON)
    }

    @Test func `the private key of A.1 and the key agreement keys of A.6 and A.7 are skipped`() throws {
        #expect(try Keys.refusal(of: RFC8037.privateJWK) == #"has the private member "d""#)
        #expect(try Keys.refusal(of: RFC8037.x25519JWK) == #""crv" is not Ed25519"#)
        #expect(try Keys.refusal(of: RFC8037.x448JWK) == #""crv" is not Ed25519"#)
    }

    @Test(arguments: ["Ed25519", "Ed448", "EdDsa"])
    func `the names of RFC 9864 and other spellings are unknown algorithms`(name: String) throws {
        #expect(try UnverifiedJWS(Tokens.make(header: #"{"alg":"\#(name)"}"#)).algorithm == nil)
        let jwk = RFC8037.publicJWK.dropLast() + #","alg":"\#(name)"}"#
        #expect(try Keys.refusal(of: String(jwk)) == #""alg" is not a supported algorithm"#)
    }
}
