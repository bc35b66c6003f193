import JOSE
import Testing

struct X509MapTests {
    /// 15 June 2025, within the validity period of `CertificateVectors.valid`.
    private static let now: Int64 = 1_749_945_600

    private func document(_ entries: KeyValuePairs<String, String>) -> [UInt8] {
        var output = [UInt8]("{".utf8)
        for (name, value) in entries {
            JSONWriter.appendName(name, to: &output)
            JSONWriter.appendString(value, to: &output)
        }
        return output + [UInt8("}".utf8.first ?? 0)]
    }

    private func reason(of pem: String, at now: Int64 = now) throws -> String? {
        let set = try KeySet(x509Map: document(["k": pem]), now: now)
        return set.keys.isEmpty ? set.skipped.first?.reason : nil
    }

    @Test func `the key of a certificate verifies like the same JWK`() throws {
        let set = try KeySet(x509Map: document(["k": CertificateVectors.valid]), now: Self.now)
        let key = try #require(set.key(id: "k"))
        #expect(try UnverifiedJWS(RSAVectors.rs256).verify(with: key, algorithm: .rs256) != nil)
        #expect(try key.thumbprint == Keys.key(RSAVectors.jwk).thumbprint)
        #expect(set.skipped.isEmpty)
    }

    @Test func `F-22: a byte order mark is ignored`() throws {
        let bytes = [0xEF, 0xBB, 0xBF] + document(["k": CertificateVectors.valid])
        #expect(try KeySet(x509Map: bytes, now: Self.now).keys.count == 1)
        #expect(try KeySet(detecting: bytes, now: Self.now).keys.count == 1)
    }

    @Test func `F-22: a certificate outside its validity period is skipped`() throws {
        #expect(try reason(of: CertificateVectors.expired) == "certificate has expired")
        #expect(try reason(of: CertificateVectors.notYetValid) == "certificate is not yet valid")
        #expect(try reason(of: CertificateVectors.valid, at: 1_704_067_199) == "certificate is not yet valid")
        #expect(try reason(of: CertificateVectors.valid, at: 1_704_067_201) == nil)
        #expect(try reason(of: CertificateVectors.valid, at: 2_019_686_399) == nil)
        #expect(try reason(of: CertificateVectors.valid, at: 2_019_686_401) == "certificate has expired")
    }

    @Test func `F-22: a key that is weak or not RSA is skipped`() throws {
        #expect(try reason(of: CertificateVectors.ec) == "certificate key is not RSA")
        #expect(try reason(of: CertificateVectors.weak) == "RSA modulus of 1024 bits, not 2048 to 8192")
    }

    @Test(
        arguments: [
            "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nnot base64!\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00000000000000000000000000000000\n\nAAAA\n-----END CERTIFICATE-----\n",
            CertificateVectors.truncated,
        ])
    func `a malformed or truncated certificate is skipped`(pem: String) throws {
        #expect(try reason(of: pem) == "certificate cannot be read")
    }

    @Test func `an unusable entry affects no other entry`() throws {
        let bytes = document([
            "a": "text", "b": CertificateVectors.expired, "k": CertificateVectors.valid, "": CertificateVectors.valid,
        ])
        let set = try KeySet(detecting: bytes, now: Self.now)
        #expect(set.keys.map(\.keyID) == ["k"])
        #expect(set.skipped.map(\.reason) == ["not a PEM certificate", "certificate has expired", #""kid" is empty"#])
    }

    @Test func `the form of a document is detected by its content`() throws {
        let jwks = [UInt8](#"{"keys":[\#(ECVectors.jwk256)]}"#.utf8)
        #expect(try KeySet(detecting: jwks, now: Self.now).keys.first?.kind == .ec(.p256))
        let map = document(["k": CertificateVectors.valid])
        #expect(try KeySet(detecting: map, now: Self.now).keys.first?.kind == .rsa(bits: 2048))
    }

    @Test func `a certificate may be named keys`() throws {
        let set = try KeySet(detecting: document(["keys": CertificateVectors.valid]), now: Self.now)
        #expect(set.key(id: "keys") != nil)
    }

    @Test(
        arguments: [
            (#"{"error":{"code":404,"message":"no"}}"#, .errorDocument), (#"{"error":"x"}"#, .errorDocument),
            ("{}", .notKeySet), ("[]", .notKeySet), (#"{"a":"b"}"#, .notKeySet), (#"{"keys":"none"}"#, .notKeySet),
            (#""-----BEGIN CERTIFICATE-----""#, .notKeySet), ("<html>", .invalidJSON), ("", .invalidJSON),
        ] as [(String, KeySetError.Code)])
    func `a document without keys and certificates is an error`(text: String, code: KeySetError.Code) {
        let error = #expect(throws: KeySetError.self) { try KeySet(detecting: [UInt8](text.utf8), now: Self.now) }
        #expect(error?.code == code)
    }
}
