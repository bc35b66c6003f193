import JOSE
import Testing

@Suite struct SigningKeyTests {
    private func publicKey(of key: SigningKey) throws -> PublicKey {
        let set = try KeySet(jwkSet: Array("{\"keys\":[\(key.jwk)]}".utf8))
        return try #require(set.key(id: key.keyID))
    }

    @Test(arguments: Algorithm.allCases)
    func aSignatureVerifiesWithThePublishedKey(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "k1")
        let token = try UnverifiedJWS(key.sign(payload: Array("{\"a\":1}".utf8)))
        #expect(token.algorithm == algorithm)
        #expect(token.keyID == "k1")
        #expect(token.type == "JWT")
        let verified = token.verify(with: try publicKey(of: key), algorithm: algorithm)
        #expect(verified?.payload.root["a"]?.integer == 1)
    }

    @Test func aSignatureDoesNotVerifyWithAnotherKey() throws {
        let token = try UnverifiedJWS(SigningKey.generate(.es256, keyID: "k").sign(payload: Array("{}".utf8)))
        let other = try publicKey(of: SigningKey.generate(.es256, keyID: "k"))
        #expect(token.verify(with: other, algorithm: .es256) == nil)
    }

    @Test(arguments: Algorithm.allCases)
    func thePublishedKeyNamesItsAlgorithmAndNothingPrivate(algorithm: Algorithm) throws {
        let jwk = try JSONDocument(Array(SigningKey.generate(algorithm, keyID: "a\"b").jwk.utf8)).root
        #expect(jwk["alg"]?.string == algorithm.rawValue)
        #expect(jwk["use"]?.string == "sig")
        #expect(jwk["kid"]?.string == "a\"b")
        #expect(Set(jwk.members.map(\.name)).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
    }

    @Test func theHeaderIsTakenAsItIsWhereOneIsGiven() throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        let token = try key.sign(header: #"{"alg":"none","x":[1]}"#, payload: [])
        #expect(token.hasPrefix(Base64URL.encode(Array(#"{"alg":"none","x":[1]}"#.utf8)) + ".."))
    }

    @Test func theTypeCanBeChosenOrLeftOut() throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        #expect(key.header(type: "gatehouse-assertion+jwt").contains(#""typ":"gatehouse-assertion+jwt""#))
        #expect(key.header(type: nil) == #"{"alg":"ES256","kid":"k"}"#)
    }

    @Test(arguments: [(Algorithm.es256, 64, 400), (.es384, 96, 8), (.es512, 132, 8)])
    func anEllipticSignatureIsTwoCoordinatesLong(algorithm: Algorithm, length: Int, times: Int) throws {
        let key = try SigningKey.generate(algorithm, keyID: "k")
        // r or s has a zero byte in front in one of 128 signatures, with P-521 in three of four; the length is the same.
        for index in 0..<times {
            #expect(try key.signature(over: [UInt8(truncatingIfNeeded: index)]).count == length)
        }
    }

    /// RFC 8037 appendix A.
    @Test func theExampleOfRFC8037ComesOutAsPrinted() throws {
        let seed = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
        let key = try SigningKey(pem: SigningVectors.pkcs8(ed25519: seed), algorithm: .edDSA, keyID: "k")
        #expect(key.jwk.contains(#""x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#))
        let token = try key.sign(header: #"{"alg":"EdDSA"}"#, payload: Array("Example of Ed25519 signing".utf8))
        #expect(
            token
                == "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
    }
}
