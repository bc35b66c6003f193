import Testing

@testable import JOSE

struct RFC7517Tests {
    private func set(_ text: String) throws -> KeySet {
        try KeySet(jwkSet: [UInt8](text.utf8))
    }

    @Test func `the key of section 3 is found by its kid and verifies RFC 7515 A.3`() throws {
        let key = try Keys.set(RFC7517.p256JWK).key(id: "Public key used in JWS spec Appendix A.3 example")
        #expect(try UnverifiedJWS(RFC7515.es256).verify(with: try #require(key), algorithm: .es256) != nil)
    }

    @Test func `A.1 has one key for signatures`() throws {
        let set = try set(RFC7517.publicKeys)
        #expect(set.keys.map(\.keyID) == ["2011-04-29"])
        #expect(set.keys.first?.algorithms == [.rs256])
        #expect(set.skipped == [SkippedKey(keyID: "1", reason: #""use" is not sig"#)])
    }

    @Test func `the private keys of A.2 are skipped`() throws {
        let set = try set(RFC7517.privateKeys)
        #expect(set.keys.isEmpty)
        #expect(
            set.skipped == [
                SkippedKey(keyID: "1", reason: #""use" is not sig"#),
                SkippedKey(keyID: "2011-04-29", reason: #"has the private member "d""#),
            ])
    }

    @Test func `the secrets of A.3 are skipped`() throws {
        let set = try set(RFC7517.symmetricKeys)
        let reason = #"has the private member "k""#
        #expect(set.keys.isEmpty)
        #expect(
            set.skipped == [
                SkippedKey(keyID: nil, reason: reason),
                SkippedKey(keyID: "HMAC key used in JWS A.1 example", reason: reason),
            ])
    }

    @Test func `the certificate of the key of appendix B is ignored`() throws {
        let plain = try Keys.key(RFC7517.certifiedJWK)
        for certificate in [RFC7517.certificate, "AAAA", "no certificate"] {
            let jwk = RFC7517.certifiedJWK.dropLast() + #","x5c":["\#(certificate)"]}"#
            #expect(try Keys.key(String(jwk)).thumbprint == plain.thumbprint)
        }
    }

    @Test func `a map with the certificate of appendix B has the same key while the certificate is valid`() throws {
        let pem = "-----BEGIN CERTIFICATE-----\\n\(RFC7517.certificate)\\n-----END CERTIFICATE-----\\n"
        let map = [UInt8](#"{"1b94c":"\#(pem)"}"#.utf8)
        let key = try KeySet(x509Map: map, now: 1_400_000_000).key(id: "1b94c")
        #expect(try key?.thumbprint == Keys.key(RFC7517.certifiedJWK).thumbprint)
        #expect(try KeySet(x509Map: map, now: 1_600_000_000).skipped.map(\.reason) == ["certificate has expired"])
        #expect(try KeySet(x509Map: map, now: 1_300_000_000).skipped.map(\.reason) == ["certificate is not yet valid"])
    }

    @Test func `the private key of C.1 is for encryption`() throws {
        #expect(try Keys.refusal(of: RFC7517.privateJWK) == #""use" is not sig"#)
    }

    @Test func `the second key of A.1 has the thumbprint of RFC 7638 section 3.1`() throws {
        let key = try #require(try set(RFC7517.publicKeys).key(id: "2011-04-29"))
        #expect(Base64URL.encode(key.thumbprint) == RFC7517.rsaThumbprint)
    }
}
