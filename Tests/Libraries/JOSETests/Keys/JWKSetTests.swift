import Testing

@testable import JOSE

struct JWKSetTests {
    private func refusal(of text: String) -> KeySetError.Code? {
        do {
            _ = try KeySet(jwkSet: [UInt8](text.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `the keys of a set are found by kid`() throws {
        let ec = ECVectors.jwk256.replacing(#""kid":"k""#, with: #""kid":"other""#)
        let set = try Keys.set(RSAVectors.jwk, ec)
        #expect(set.key(id: "k")?.kind == .rsa(bits: 2048))
        #expect(set.key(id: "other")?.kind == .ec(.p256))
        #expect(set.key(id: "K") == nil)
        #expect(set.key(id: "") == nil)
        #expect(set.skipped.isEmpty)
    }

    @Test func `a kid is compared by bytes, not by canonical equivalence`() throws {
        let set = try Keys.set(RSAVectors.jwk.replacing(#""kid":"k""#, with: "\"kid\":\"\u{E9}\""))
        #expect(set.key(id: "\u{E9}") != nil)
        #expect(set.key(id: "e\u{301}") == nil)
    }

    @Test func `a key keeps the issuer that its publisher adds`() throws {
        func key(_ issuer: String) throws -> PublicKey {
            try Keys.key(RSAVectors.jwk.replacing(#""kid":"k""#, with: #""kid":"k","issuer":\#(issuer)"#))
        }
        #expect(try key(#""https://id.example/{tenantid}""#).issuer == "https://id.example/{tenantid}")
        #expect(try key("7").issuer == nil)
        #expect(try Keys.key(RSAVectors.jwk).issuer == nil)
    }

    @Test func `a key without alg verifies all algorithms of its type`() throws {
        #expect(try Keys.key(RSAVectors.jwk).algorithms == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        #expect(try Keys.key(ECVectors.jwk256).algorithms == [.es256])
        #expect(try Keys.key(ECVectors.jwk384).algorithms == [.es384])
        #expect(try Keys.key(ECVectors.jwk512).algorithms == [.es512])
        #expect(try Keys.key(Ed25519Vectors.jwk).algorithms == [.edDSA])
        #expect(try Keys.key(Keys.rsa(with: #""alg":"RS512""#)).algorithms == [.rs512])
    }

    @Test func `unknown members are ignored, and use and key_ops are allowed`() throws {
        let more = #""use":"sig","key_ops":["sign","verify"],"x5c":["x"],"x5t":1,"ext":true"#
        #expect(try Keys.refusal(of: Keys.rsa(with: more)) == nil)
    }

    @Test func `a key without kid is kept`() throws {
        let set = try Keys.set(RFC7515.rsaJWK, RFC7515.p256JWK)
        #expect(set.keys.count == 2)
        #expect(set.keys.allSatisfy { $0.keyID == nil })
    }

    @Test func `the first of two keys with one kid is used`() throws {
        let set = try Keys.set(RSAVectors.jwk, ECVectors.jwk256)
        #expect(set.keys.count == 1)
        #expect(set.key(id: "k")?.kind == .rsa(bits: 2048))
        #expect(set.skipped == [SkippedKey(keyID: "k", reason: #"another key has the same "kid""#)])
    }

    @Test func `an unusable key affects no other key and reserves no kid`() throws {
        let set = try Keys.set("7", Keys.rsa(bits: 1024), RSAVectors.jwk, "{}")
        #expect(set.keys.map(\.keyID) == ["k"])
        #expect(set.skipped.map(\.keyID) == [nil, "k", nil])
        #expect(set.skipped.map(\.reason).first == "not an object")
    }

    @Test(
        arguments: [
            ("", .invalidJSON), ("<html></html>", .invalidJSON), (#"{"keys":[}"#, .invalidJSON), ("{}", .notKeySet),
            ("[]", .notKeySet), ("null", .notKeySet), (#"{"keys":{}}"#, .notKeySet), (#"{"keys":null}"#, .notKeySet),
            (#"{"error":{"code":503}}"#, .errorDocument), (#"{"keys":[],"keys":[]}"#, .invalidJSON),
        ] as [(String, KeySetError.Code)])
    func `a document that is not a key set is an error`(text: String, code: KeySetError.Code) {
        #expect(refusal(of: text) == code)
    }

    @Test func `a document above 1 MiB and a set with too many keys are errors`() {
        #expect(refusal(of: #"{"keys":[],"x":"\#(String(repeating: "x", count: 1 << 20))"}"#) == .invalidJSON)
        let many = [String](repeating: "1", count: KeySet.maximumKeys + 1).joined(separator: ",")
        #expect(refusal(of: #"{"keys":[\#(many)]}"#) == .tooManyKeys)
    }

    @Test func `an empty list is an empty set`() throws {
        #expect(try Keys.set().keys.isEmpty)
        #expect(KeySet().key(id: "k") == nil)
    }

    @Test func `a byte order mark is ignored`() throws {
        let set = try KeySet(jwkSet: [0xEF, 0xBB, 0xBF] + [UInt8](#"{"keys":[\#(RSAVectors.jwk)]}"#.utf8))
        #expect(set.keys.count == 1)
    }

    @Test func `leading zeros of an RSA number change neither the key nor its thumbprint`() throws {
        let padded = RSAVectors.jwk.replacing(#""e":"AQAB""#, with: #""e":"AAEAAQ""#)
        #expect(try Keys.key(padded).thumbprint == Keys.key(RSAVectors.jwk).thumbprint)
        #expect(try UnverifiedJWS(RSAVectors.rs256).verify(with: Keys.key(padded), algorithm: .rs256) != nil)
    }
}
