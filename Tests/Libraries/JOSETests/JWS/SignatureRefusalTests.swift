import JOSE
import Testing

@Suite("signatures that are almost right")
struct SignatureRefusalTests {
    @Test(
        "a PSS signature whose salt or mask differs from RFC 7518 section 3.5 is refused",
        arguments: [
            RSAVectors.ps256WithSaltOf20, RSAVectors.ps256WithoutSalt, RSAVectors.ps256WithLongestSalt,
            RSAVectors.ps256WithSHA1Mask,
        ])
    func pss(token: String) throws {
        let key = try Keys.key(RSAVectors.jwk)
        #expect(try UnverifiedJWS(token).verify(with: key, algorithm: .ps256) == nil)
    }

    @Test("the digest is the algorithm's, not the one that the signature names")
    func digest() throws {
        let key = try Keys.key(RSAVectors.jwk)
        #expect(try UnverifiedJWS(RSAVectors.rs256WithSHA1).verify(with: key, algorithm: .rs256) == nil)
    }

    @Test("an RSA signature is as long as the modulus, leading zeros included")
    func leadingZero() throws {
        let key = try Keys.key(RSAVectors.jwk)
        #expect(try UnverifiedJWS(RSAVectors.rs256WithLeadingZero).verify(with: key, algorithm: .rs256) != nil)
        #expect(try UnverifiedJWS(RSAVectors.rs256WithLeadingZeroDropped).verify(with: key, algorithm: .rs256) == nil)
    }

    @Test(
        "an ECDSA signature in DER is refused",
        arguments: [
            (Algorithm.es256, ECVectors.jwk256, ECVectors.es256AsDER),
            (.es384, ECVectors.jwk384, ECVectors.es384AsDER), (.es512, ECVectors.jwk512, ECVectors.es512AsDER),
        ])
    func der(algorithm: Algorithm, jwk: String, token: String) throws {
        #expect(try UnverifiedJWS(token).verify(with: try Keys.key(jwk), algorithm: algorithm) == nil)
    }

    @Test("an ECDSA signature with r or s zero is refused")
    func zeros() throws {
        let key = try Keys.key(ECVectors.jwk256)
        for range in [0..<32, 32..<64, 0..<64] {
            let token = try Tokens.changingSignature(of: ECVectors.es256) { signature in
                for place in range { signature[place] = 0 }
            }
            #expect(try UnverifiedJWS(token).verify(with: key, algorithm: .es256) == nil)
        }
    }

    @Test("another key of the same kind does not verify")
    func otherKey() throws {
        let other = try Keys.key(RFC7515.rsaJWK)
        #expect(try UnverifiedJWS(RSAVectors.rs256).verify(with: other, algorithm: .rs256) == nil)
        let point = try Keys.key(RFC7515.p256JWK)
        #expect(try UnverifiedJWS(ECVectors.es256).verify(with: point, algorithm: .es256) == nil)
    }
}
