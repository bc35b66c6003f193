import JOSE
import Testing

struct AlgorithmVectorTests {
    static let vectors: [(Algorithm, String, String)] = [
        (.rs256, RSAVectors.jwk, RSAVectors.rs256), (.rs384, RSAVectors.jwk, RSAVectors.rs384),
        (.rs512, RSAVectors.jwk, RSAVectors.rs512), (.ps256, RSAVectors.jwk, RSAVectors.ps256),
        (.ps384, RSAVectors.jwk, RSAVectors.ps384), (.ps512, RSAVectors.jwk, RSAVectors.ps512),
        (.rs256, RSAVectors.jwk, RSAVectors.rs256WithLeadingZero), (.es256, ECVectors.jwk256, ECVectors.es256),
        (.es384, ECVectors.jwk384, ECVectors.es384), (.es512, ECVectors.jwk512, ECVectors.es512),
        (.es256, ECVectors.jwk256, ECVectors.es256WithShortNumber),
        (.es384, ECVectors.jwk384, ECVectors.es384WithShortNumber),
        (.es512, ECVectors.jwk512, ECVectors.es512WithShortNumber),
        (.edDSA, Ed25519Vectors.jwk, Ed25519Vectors.edDSA),
    ]

    @Test(arguments: vectors)
    func `a valid signature verifies`(algorithm: Algorithm, jwk: String, token: String) throws {
        let verified = try UnverifiedJWS(token).verify(with: try Keys.key(jwk), algorithm: algorithm)
        #expect(verified?.payload.root["sub"]?.string == "someone")
        #expect(verified?.header.root["kid"]?.string == "k")
    }

    @Test(arguments: vectors)
    func `a changed, longer or shorter signature is invalid`(algorithm: Algorithm, jwk: String, token: String) throws {
        let key = try Keys.key(jwk)
        let changes: [(inout [UInt8]) -> Void] = [
            { $0.append(0) }, { $0.insert(0, at: 0) }, { $0.removeLast() }, { $0.removeFirst() }, { $0 += $0 },
            { $0 = [0] }, { $0 = [UInt8](repeating: 0, count: $0.count) },
            { $0 = [UInt8](repeating: 0xFF, count: $0.count) }, { $0[0] ^= 0x10 }, { $0[1] ^= 0x10 },
            { $0[31] ^= 0x10 }, { $0[32] ^= 0x10 }, { $0[63] ^= 0x10 },
        ]
        for change in changes {
            let changed = try Tokens.changingSignature(of: token, change)
            #expect(try UnverifiedJWS(changed).verify(with: key, algorithm: algorithm) == nil)
        }
    }

    @Test(arguments: [
        (Algorithm.ps256, RSAVectors.jwk, RSAVectors.ps256WithSaltOf20),
        (.ps256, RSAVectors.jwk, RSAVectors.ps256WithoutSalt),
        (.ps256, RSAVectors.jwk, RSAVectors.ps256WithLongestSalt),
        (.ps256, RSAVectors.jwk, RSAVectors.ps256WithSHA1Mask), (.rs256, RSAVectors.jwk, RSAVectors.rs256WithSHA1),
        (.rs256, RSAVectors.jwk, RSAVectors.rs256WithLeadingZeroDropped),
        (.es256, ECVectors.jwk256, ECVectors.es256AsDER), (.es384, ECVectors.jwk384, ECVectors.es384AsDER),
        (.es512, ECVectors.jwk512, ECVectors.es512AsDER), (.rs256, RFC7515.rsaJWK, RSAVectors.rs256),
        (.es256, RFC7515.p256JWK, ECVectors.es256),
    ])
    func `a signature of another form or key is invalid`(algorithm: Algorithm, jwk: String, token: String) throws {
        #expect(try UnverifiedJWS(token).verify(with: try Keys.key(jwk), algorithm: algorithm) == nil)
    }

    @Test(arguments: vectors)
    func `another payload with the same signature is invalid`(algorithm: Algorithm, jwk: String, token: String) throws {
        var parts = token.split(separator: ".").map(String.init)
        parts[1] = Base64URL.encode([UInt8](#"{"sub":"another","n":1}"#.utf8))
        let changed = try UnverifiedJWS(parts.joined(separator: "."))
        #expect(changed.verify(with: try Keys.key(jwk), algorithm: algorithm) == nil)
    }

    @Test func `a key verifies again after a failure and after another algorithm`() throws {
        let key = try Keys.key(RSAVectors.jwk)
        let good = try UnverifiedJWS(RSAVectors.rs256)
        let bad = try UnverifiedJWS(Tokens.changingSignature(of: RSAVectors.rs256) { $0[9] ^= 1 })
        let other = try UnverifiedJWS(RSAVectors.ps384)
        for _ in 0..<3 {
            #expect(good.verify(with: key, algorithm: .rs256) != nil)
            #expect(bad.verify(with: key, algorithm: .rs256) == nil)
            #expect(other.verify(with: key, algorithm: .ps384) != nil)
        }
    }

    @Test func `many threads verify with one key at once`() async throws {
        let key = try Keys.key(ECVectors.jwk256)
        let good = try UnverifiedJWS(ECVectors.es256)
        let bad = try UnverifiedJWS(Tokens.changingSignature(of: ECVectors.es256) { $0[9] ^= 1 })
        let wrong = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    (0..<20).count { _ in
                        good.verify(with: key, algorithm: .es256) == nil
                            || bad.verify(with: key, algorithm: .es256) != nil
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
