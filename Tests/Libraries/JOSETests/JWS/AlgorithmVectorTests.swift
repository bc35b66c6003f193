import JOSE
import Testing

@Suite("verification, algorithm by algorithm")
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

    @Test("a right signature verifies", arguments: vectors)
    func verifies(algorithm: Algorithm, jwk: String, token: String) throws {
        let verified = try UnverifiedJWS(token).verify(with: try Keys.key(jwk), algorithm: algorithm)
        #expect(verified?.payload.root["sub"]?.string == "someone")
        #expect(verified?.header.root["kid"]?.string == "k")
    }

    @Test("it verifies by no other algorithm", arguments: vectors)
    func otherAlgorithms(algorithm: Algorithm, jwk: String, token: String) throws {
        let key = try Keys.key(jwk)
        for other in Algorithm.allCases where other != algorithm {
            #expect(try UnverifiedJWS(token).verify(with: key, algorithm: other) == nil)
        }
    }

    @Test("one changed bit anywhere in the signature spoils it", arguments: vectors)
    func changedSignature(algorithm: Algorithm, jwk: String, token: String) throws {
        let key = try Keys.key(jwk)
        for place in [0, 1, 31, 32, 63] {
            let changed = try Tokens.changingSignature(of: token) { $0[place] ^= 0x10 }
            #expect(try UnverifiedJWS(changed).verify(with: key, algorithm: algorithm) == nil)
        }
    }

    @Test("a signature that is longer or shorter is refused", arguments: vectors)
    func otherLengths(algorithm: Algorithm, jwk: String, token: String) throws {
        let key = try Keys.key(jwk)
        let changes: [(inout [UInt8]) -> Void] = [
            { $0.append(0) }, { $0.insert(0, at: 0) }, { $0.removeLast() }, { $0.removeFirst() }, { $0 += $0 },
            { $0 = [0] }, { $0 = [UInt8](repeating: 0, count: $0.count) },
            { $0 = [UInt8](repeating: 0xFF, count: $0.count) },
        ]
        for change in changes {
            let changed = try Tokens.changingSignature(of: token, change)
            #expect(try UnverifiedJWS(changed).verify(with: key, algorithm: algorithm) == nil)
        }
    }

    @Test("another payload under the same signature is refused", arguments: vectors)
    func changedPayload(algorithm: Algorithm, jwk: String, token: String) throws {
        var parts = token.split(separator: ".").map(String.init)
        parts[1] = Base64URL.encode([UInt8](#"{"sub":"another","n":1}"#.utf8))
        let changed = try UnverifiedJWS(parts.joined(separator: "."))
        #expect(changed.verify(with: try Keys.key(jwk), algorithm: algorithm) == nil)
    }

    @Test("a key verifies again after a failure, and with another algorithm in between")
    func contextsAreReusable() throws {
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

    @Test("many threads may verify with one key at once")
    func concurrency() async throws {
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
