import Testing

@testable import JOSE

@Suite("the examples of RFC 8037")
struct RFC8037Tests {
    @Test("the key of A.2 is taken, with the thumbprint of A.3")
    func key() throws {
        let key = try Keys.key(RFC8037.publicJWK)
        #expect(key.kind == .ed25519)
        #expect(key.algorithms == [.edDSA])
        #expect(Base64URL.encode(key.thumbprint) == RFC8037.thumbprint)
    }

    @Test("A.4 and A.5 are a right signature, and no token since the payload is no JSON")
    func signature() throws {
        #expect(try Tokens.isSigned(RFC8037.edDSA, with: RFC8037.publicJWK, .edDSA))
        #expect(Tokens.refusal(of: RFC8037.edDSA) == .invalidPayloadJSON)
    }

    @Test("the private key of A.1 is skipped, and so are the points of A.6 and A.7, which sign nothing")
    func skipped() throws {
        #expect(try Keys.refusal(of: RFC8037.privateJWK) == #"has the private member "d""#)
        #expect(try Keys.refusal(of: RFC8037.x25519JWK) == #""crv" is not Ed25519"#)
        #expect(try Keys.refusal(of: RFC8037.x448JWK) == #""crv" is not Ed25519"#)
    }

    @Test(
        "the names that RFC 9864 gives the curves, and other spellings, are none of ours",
        arguments: ["Ed25519", "Ed448", "EdDsa"])
    func otherNames(name: String) throws {
        #expect(try UnverifiedJWS(Tokens.make(header: #"{"alg":"\#(name)"}"#)).algorithm == nil)
        let jwk = RFC8037.publicJWK.dropLast() + #","alg":"\#(name)"}"#
        #expect(try Keys.refusal(of: String(jwk)) == #""alg" is not one that is verified"#)
    }
}
