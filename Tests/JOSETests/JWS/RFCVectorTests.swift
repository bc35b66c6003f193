import Testing

@testable import JOSE

@Suite("the examples of the RFCs")
struct RFCVectorTests {
    @Test("RFC 7515 appendix A.2 (RS256) and A.3 (ES256) verify")
    func jws() throws {
        let rsa = try UnverifiedJWS(RFCVectors.rs256).verify(with: try Keys.key(RFCVectors.rsaJWK), algorithm: .rs256)
        #expect(rsa?.payload.root["iss"]?.string == "joe")
        let ec = try UnverifiedJWS(RFCVectors.es256).verify(with: try Keys.key(RFCVectors.p256JWK), algorithm: .es256)
        #expect(ec?.payload.root["exp"]?.integer == 1_300_819_380)
    }

    @Test("RFC 8037 appendix A.4 (EdDSA) verifies, and is no token since its payload is no JSON")
    func edDSA() throws {
        let parts = RFCVectors.edDSA.split(separator: ".")
        let message = [UInt8]("\(parts[0]).\(parts[1])".utf8)
        let signature = try #require(Base64URL.decode(String(parts[2])))
        #expect(try Keys.key(RFCVectors.ed25519JWK).isValid(signature: signature, of: message, by: .edDSA))
        #expect(Tokens.refusal(of: RFCVectors.edDSA) == .invalidPayloadJSON)
    }

    @Test("RFC 7517 appendix A.1 has one key that is for signatures")
    func jwkSet() throws {
        let set = try KeySet(jwkSet: [UInt8](RFCVectors.jwkSet.utf8))
        #expect(set.keys.map(\.keyID) == ["2011-04-29"])
        #expect(set.keys.first?.algorithms == [.rs256])
        #expect(set.skipped == [SkippedKey(keyID: "1", reason: #""use" is not sig"#)])
    }

    @Test("the thumbprints are those of RFC 7638 section 3.1 and RFC 8037 appendix A.3")
    func thumbprints() throws {
        let rsa = try #require(KeySet(jwkSet: [UInt8](RFCVectors.jwkSet.utf8)).key(id: "2011-04-29"))
        #expect(Base64URL.encode(rsa.thumbprint) == RFCVectors.rsaThumbprint)
        #expect(Base64URL.encode(try Keys.key(RFCVectors.ed25519JWK).thumbprint) == RFCVectors.ed25519Thumbprint)
    }
}
