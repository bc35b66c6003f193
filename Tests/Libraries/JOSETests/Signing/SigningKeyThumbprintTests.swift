import JOSE
import Testing

@Suite struct SigningKeyThumbprintTests {
    @Test(arguments: [Algorithm.rs256, .es256, .es384, .es512, .edDSA])
    func isThatOfThePublishedKey(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "k")
        let set = try KeySet(jwkSet: Array("{\"keys\":[\(key.jwk)]}".utf8))
        #expect(key.thumbprint == set.key(id: "k")?.thumbprint)
        #expect(key.thumbprint?.count == 32)
    }

    @Test func namesAKeyThatIsReadWithoutAName() throws {
        let key = try SigningKey(pem: Array(SigningVectors.sec1.utf8), algorithm: .es256)
        #expect(key.keyID == key.thumbprint.map { Base64URL.encode($0) })
        #expect(try UnverifiedJWS(key.sign(payload: Array("{}".utf8))).keyID == key.keyID)
    }
}
