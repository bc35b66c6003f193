import JOSE
import Testing

struct SigningKeyCertificateTests {
    private let key: SigningKey
    private let noon: Int64 = 1_700_000_000

    init() throws {
        key = try SampleKey.of(.rs256)
    }

    private func map(from: Int64, to: Int64) throws -> [UInt8] {
        let pem = try key.certificatePEM(commonName: "test", notBefore: from, notAfter: to)
        let escaped = String(decoding: pem, as: UTF8.self).split(separator: "\n").joined(separator: "\\n")
        return Array("{\"k\":\"\(escaped)\\n\"}".utf8)
    }

    @Test func `a certificate contains the key`() throws {
        let set = try KeySet(x509Map: map(from: noon - 60, to: noon + 60), now: noon)
        let token = try UnverifiedJWS(key.sign(payload: Array("{}".utf8)))
        let published = try #require(set.key(id: "k"))
        #expect(token.verify(with: published, algorithm: .rs256) != nil)
    }

    @Test(arguments: [(-120, -60, "has expired"), (60, 120, "not yet valid")])
    func `the validity period is the configured one`(from: Int64, to: Int64, reason: String) throws {
        let set = try KeySet(x509Map: map(from: noon + from, to: noon + to), now: noon)
        #expect(set.keys.isEmpty)
        #expect(set.skipped.first?.reason.contains(reason) == true)
    }

    @Test(arguments: [Algorithm.es256, .es512, .edDSA])
    func `a certificate can be made for every type of key`(algorithm: Algorithm) throws {
        let key = try SampleKey.of(algorithm)
        let pem = try key.certificatePEM(commonName: "test", notBefore: noon, notAfter: noon + 1)
        #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    }

    @Test(arguments: ["", String(repeating: "a", count: 65)]) func `an invalid common name is rejected`(name: String) {
        #expect(throws: SigningKeyError.self) {
            try key.certificatePEM(commonName: name, notBefore: noon, notAfter: noon + 1)
        }
    }
}
