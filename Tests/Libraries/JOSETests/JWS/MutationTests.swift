import JOSE
import Testing

@testable import SystemFixtures

struct MutationTests {
    @Test(arguments: [
        (Algorithm.rs256, RSAVectors.jwk, RSAVectors.rs256), (.es256, ECVectors.jwk256, ECVectors.es256),
        (.edDSA, Ed25519Vectors.jwk, Ed25519Vectors.edDSA),
    ])
    func `a token with one changed byte does not verify`(algorithm: Algorithm, jwk: String, token: String) throws {
        let key = try Keys.key(jwk)
        let original = [UInt8](token.utf8)
        for place in original.indices {
            for byte in [original[place] ^ 1, original[place] ^ 4, UInt8(ascii: "."), UInt8(ascii: "A"), 0x80]
            where byte != original[place] {
                var changed = original
                changed[place] = byte
                #expect((try? UnverifiedJWS(changed))?.verify(with: key, algorithm: algorithm) == nil, "at \(place)")
            }
        }
    }

    @Test func `no prefix, suffix or extension of a token verifies`() throws {
        let key = try Keys.key(ECVectors.jwk256)
        let token = [UInt8](ECVectors.es256.utf8)
        let candidates = token.indices.flatMap { [Array(token[..<$0]), Array(token[($0 + 1)...])] }
        for changed in candidates + [token + [0x41], [0x20] + token, token + [0x0A]] {
            #expect((try? UnverifiedJWS(changed))?.verify(with: key, algorithm: .es256) == nil)
        }
    }

    @Test func `random bytes are rejected`() {
        var generator = SeededRandom(seed: 3)
        let alphabet = [UInt8]("eyJhbGciOiJ.-_=+/ \u{0}".utf8)
        for _ in 0..<Thoroughness.rounds(1000, full: 5000) {
            let length = Int.random(in: 0..<80, using: &generator)
            let token = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            #expect((try? UnverifiedJWS(token)) == nil)
        }
    }
}
