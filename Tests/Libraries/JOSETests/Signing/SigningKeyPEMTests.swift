import JOSE
import Testing

struct SigningKeyPEMTests {
    @Test(arguments: [Algorithm.rs256, .ps256, .es256, .es384, .es512, .edDSA])
    func `a key round-trips as PEM`(algorithm: Algorithm) throws {
        let key = try SampleKey.of(algorithm)
        let again = try SigningKey(pem: key.pem(), algorithm: algorithm, keyID: "k")
        #expect(again.jwk == key.jwk)
    }

    @Test func `an elliptic key in the form of SEC 1 is read`() throws {
        let key = try SigningKey(pem: Array(SigningVectors.sec1.utf8), algorithm: .es256, keyID: "k")
        #expect(String(decoding: key.pem(), as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    }

    @Test(arguments: [SigningVectors.encrypted, SigningVectors.encryptedOldForm])
    func `an encrypted key is rejected without a password prompt`(pem: String) {
        #expect(code { try SigningKey(pem: Array(pem.utf8), algorithm: .es256, keyID: "k") } == .unreadable)
    }

    @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func `text that is not a key is rejected`(pem: String) {
        #expect(code { try SigningKey(pem: Array(pem.utf8), algorithm: .es256, keyID: "k") } == .unreadable)
    }

    @Test func `text above the size limit is rejected`() {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 65_537)
        #expect(code { try SigningKey(pem: text, algorithm: .es256, keyID: "k") } == .unreadable)
    }

    @Test(arguments: [Algorithm.rs256, .ps512, .es384, .es512, .edDSA])
    func `a key of another type or curve is rejected`(algorithm: Algorithm) {
        let pem = Array(SigningVectors.sec1.utf8)
        #expect(code { try SigningKey(pem: pem, algorithm: algorithm, keyID: "k") } == .unfit)
    }

    @Test func `an RSA key of 1024 bits is rejected`() {
        let pem = Array(SigningVectors.rsa1024.utf8)
        #expect(code { try SigningKey(pem: pem, algorithm: .rs256, keyID: "k") } == .unfit)
    }

    private func code(_ make: () throws -> SigningKey) -> SigningKeyError.Code? {
        do {
            _ = try make()
            return nil
        } catch {
            return (error as? SigningKeyError)?.code
        }
    }
}
