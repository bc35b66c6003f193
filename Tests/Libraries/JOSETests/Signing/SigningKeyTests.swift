import JOSE
import Testing

/// Keys that are generated once, because RSA keys cost a tenth of a second.
enum SampleKey {
    private static let all: [Algorithm: Result<SigningKey, any Error>] = Dictionary(
        uniqueKeysWithValues: Algorithm.allCases.map { algorithm in
            (algorithm, Result { try SigningKey.generate(algorithm, keyID: "k") })
        })

    /// A key with the ID `k`.
    static func of(_ algorithm: Algorithm) throws -> SigningKey { try #require(all[algorithm]).get() }
}

struct SigningKeyTests {
    private func publicKey(of key: SigningKey) throws -> PublicKey {
        let set = try KeySet(jwkSet: Array("{\"keys\":[\(key.jwk)]}".utf8))
        return try #require(set.key(id: key.keyID))
    }

    @Test(arguments: Algorithm.allCases)
    func `a signature verifies with the published key`(algorithm: Algorithm) throws {
        let key = try SampleKey.of(algorithm)
        let token = try UnverifiedJWS(key.sign(payload: Array("{\"a\":1}".utf8)))
        #expect(token.algorithm == algorithm)
        #expect(token.keyID == "k")
        #expect(token.type == "JWT")
        let verified = token.verify(with: try publicKey(of: key), algorithm: algorithm)
        #expect(verified?.payload.root["a"]?.integer == 1)
    }

    @Test func `a signature does not verify with another key`() throws {
        let token = try UnverifiedJWS(SigningKey.generate(.es256, keyID: "k").sign(payload: Array("{}".utf8)))
        let other = try publicKey(of: SigningKey.generate(.es256, keyID: "k"))
        #expect(token.verify(with: other, algorithm: .es256) == nil)
    }

    @Test(arguments: Algorithm.allCases)
    func `the published key has its algorithm and no private member`(algorithm: Algorithm) throws {
        let key = try SigningKey(pem: SampleKey.of(algorithm).pem(), algorithm: algorithm, keyID: "a\"b")
        let jwk = try JSONDocument(Array(key.jwk.utf8)).root
        #expect(jwk["alg"]?.string == algorithm.rawValue)
        #expect(jwk["use"]?.string == "sig")
        #expect(jwk["kid"]?.string == "a\"b")
        #expect(Set(jwk.members.map(\.name)).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
    }

    @Test func `a given header is signed unchanged`() throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        let token = try key.sign(header: #"{"alg":"none","x":[1]}"#, payload: [])
        #expect(token.hasPrefix(Base64URL.encode(Array(#"{"alg":"none","x":[1]}"#.utf8)) + ".."))
    }

    @Test func `the type of a header is optional`() throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        #expect(key.header(type: "gatehouse-assertion+jwt").contains(#""typ":"gatehouse-assertion+jwt""#))
        #expect(key.header(type: nil) == #"{"alg":"ES256","kid":"k"}"#)
    }

    @Test(arguments: [(Algorithm.es256, 64, 400), (.es384, 96, 8), (.es512, 132, 8)])
    func `an elliptic signature is two coordinates long`(algorithm: Algorithm, length: Int, times: Int) throws {
        let key = try SigningKey.generate(algorithm, keyID: "k")
        // r or s begins with a zero byte in one of 128 signatures, and with P-521 in three of four.
        for index in 0..<times {
            #expect(try key.signature(over: [UInt8(truncatingIfNeeded: index)]).count == length)
        }
    }

    @Test func `the signature of RFC 8037 appendix A is reproduced`() throws {
        let seed = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
        let key = try SigningKey(pem: SigningVectors.pkcs8(ed25519: seed), algorithm: .edDSA, keyID: "k")
        #expect(key.jwk.contains(#""x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#))
        let token = try key.sign(header: #"{"alg":"EdDSA"}"#, payload: Array("Example of Ed25519 signing".utf8))
        #expect(
            token
                == "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
    }

    @Test(arguments: [Algorithm.rs256, .es256, .es384, .es512, .edDSA])
    func `the thumbprint equals the thumbprint of the published key`(algorithm: Algorithm) throws {
        let key = try SampleKey.of(algorithm)
        #expect(try key.thumbprint == publicKey(of: key).thumbprint)
        #expect(key.thumbprint?.count == 32)
    }

    @Test func `the thumbprint is the default key ID`() throws {
        let key = try SigningKey(pem: Array(SigningVectors.sec1.utf8), algorithm: .es256)
        #expect(key.keyID == key.thumbprint.map { Base64URL.encode($0) })
        #expect(try UnverifiedJWS(key.sign(payload: Array("{}".utf8))).keyID == key.keyID)
    }
}
