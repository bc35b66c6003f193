import Testing

@testable import JOSE

@Suite("JWK sets")
struct JWKSetTests {
    private func refusal(of text: String) -> KeySetError.Code? {
        do {
            _ = try KeySet(jwkSet: [UInt8](text.utf8))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a set's keys are found by kid")
    func lookup() throws {
        let ec = ECVectors.jwk256.replacing(#""kid":"k""#, with: #""kid":"other""#)
        let set = try Keys.set(RSAVectors.jwk, ec)
        #expect(set.key(id: "k")?.kind == .rsa(bits: 2048))
        #expect(set.key(id: "other")?.kind == .ec(.p256))
        #expect(set.key(id: "K") == nil)
        #expect(set.key(id: "") == nil)
        #expect(set.skipped.isEmpty)
    }

    @Test("a kid is its bytes, not what is canonically equivalent")
    func exactKeyID() throws {
        let set = try Keys.set(RSAVectors.jwk.replacing(#""kid":"k""#, with: "\"kid\":\"\u{E9}\""))
        #expect(set.key(id: "\u{E9}") != nil)
        #expect(set.key(id: "e\u{301}") == nil)
    }

    @Test("a key keeps the issuer that its publisher names beside it")
    func issuers() throws {
        func key(_ issuer: String) throws -> PublicKey {
            try Keys.key(RSAVectors.jwk.replacing(#""kid":"k""#, with: #""kid":"k","issuer":\#(issuer)"#))
        }
        #expect(try key(#""https://id.example/{tenantid}""#).issuer == "https://id.example/{tenantid}")
        #expect(try key("7").issuer == nil)
        #expect(try Keys.key(RSAVectors.jwk).issuer == nil)
    }

    @Test("a key without alg verifies all that suits it")
    func algorithms() throws {
        #expect(try Keys.key(RSAVectors.jwk).algorithms == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        #expect(try Keys.key(ECVectors.jwk256).algorithms == [.es256])
        #expect(try Keys.key(ECVectors.jwk384).algorithms == [.es384])
        #expect(try Keys.key(ECVectors.jwk512).algorithms == [.es512])
        #expect(try Keys.key(Ed25519Vectors.jwk).algorithms == [.edDSA])
        #expect(try Keys.key(Keys.rsa(with: #""alg":"RS512""#)).algorithms == [.rs512])
    }

    @Test("members that are unknown do not matter, and use and key_ops may be given")
    func tolerated() throws {
        let more = #""use":"sig","key_ops":["sign","verify"],"x5c":["x"],"x5t":1,"ext":true"#
        #expect(try Keys.refusal(of: Keys.rsa(with: more)) == nil)
    }

    @Test("a key without kid is kept, though nothing finds it by kid")
    func withoutKeyID() throws {
        let set = try Keys.set(RFC7515.rsaJWK, RFC7515.p256JWK)
        #expect(set.keys.count == 2)
        #expect(set.keys.allSatisfy { $0.keyID == nil })
    }

    @Test("the first of two keys with one kid counts")
    func duplicateKeyID() throws {
        let set = try Keys.set(RSAVectors.jwk, ECVectors.jwk256)
        #expect(set.keys.count == 1)
        #expect(set.key(id: "k")?.kind == .rsa(bits: 2048))
        #expect(set.skipped == [SkippedKey(keyID: "k", reason: #"another key has the same "kid""#)])
    }

    @Test("an unfit key takes nothing from the others, nor its kid from one that is fit")
    func mixed() throws {
        let set = try Keys.set("7", Keys.rsa(bits: 1024), RSAVectors.jwk, "{}")
        #expect(set.keys.map(\.keyID) == ["k"])
        #expect(set.skipped.map(\.keyID) == [nil, "k", nil])
        #expect(set.skipped.map(\.reason).first == "not an object")
    }

    @Test(
        "a document that is no key set is an error",
        arguments: [
            ("", .invalidJSON), ("<html></html>", .invalidJSON), (#"{"keys":[}"#, .invalidJSON), ("{}", .notKeySet),
            ("[]", .notKeySet), ("null", .notKeySet), (#"{"keys":{}}"#, .notKeySet), (#"{"keys":null}"#, .notKeySet),
            (#"{"error":{"code":503}}"#, .errorDocument), (#"{"keys":[],"keys":[]}"#, .invalidJSON),
        ] as [(String, KeySetError.Code)])
    func refused(text: String, code: KeySetError.Code) {
        #expect(refusal(of: text) == code)
    }

    @Test("a document above 1 MiB and one of too many keys are errors")
    func bounds() {
        #expect(refusal(of: #"{"keys":[],"x":"\#(String(repeating: "x", count: 1 << 20))"}"#) == .invalidJSON)
        let many = [String](repeating: "1", count: KeySet.maximumKeys + 1).joined(separator: ",")
        #expect(refusal(of: #"{"keys":[\#(many)]}"#) == .tooManyKeys)
    }

    @Test("an empty list is an empty set")
    func empty() throws {
        #expect(try Keys.set().keys.isEmpty)
        #expect(KeySet().key(id: "k") == nil)
    }

    @Test("a byte order mark is ignored")
    func byteOrderMark() throws {
        let set = try KeySet(jwkSet: [0xEF, 0xBB, 0xBF] + [UInt8](#"{"keys":[\#(RSAVectors.jwk)]}"#.utf8))
        #expect(set.keys.count == 1)
    }

    @Test("leading zeros of an RSA number change neither the key nor its thumbprint")
    func leadingZeros() throws {
        let padded = RSAVectors.jwk.replacing(#""e":"AQAB""#, with: #""e":"AAEAAQ""#)
        #expect(try Keys.key(padded).thumbprint == Keys.key(RSAVectors.jwk).thumbprint)
        #expect(try UnverifiedJWS(RSAVectors.rs256).verify(with: Keys.key(padded), algorithm: .rs256) != nil)
    }
}
