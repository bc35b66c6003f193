import JOSE
import Testing

@Suite("keys that are unfit")
struct UnfitKeyTests {
    @Test(
        "D-22: an RSA modulus that is too short or too long is skipped",
        arguments: [
            (512, false), (1024, false), (2047, false), (2048, true), (8192, true), (8193, false), (16_384, false),
        ])
    func d22Modulus(bits: Int, isFit: Bool) throws {
        let reason = try Keys.refusal(of: Keys.rsa(bits: bits))
        #expect(reason == (isFit ? nil : "RSA modulus of \(bits) bits, not 2048 to 8192"))
    }

    @Test("D-22: leading zeros do not make a short modulus long")
    func d22Padding() throws {
        let modulus = [UInt8](repeating: 0, count: 192) + [UInt8](repeating: 0xFF, count: 64)
        let jwk = #"{"kty":"RSA","kid":"k","n":"\#(Base64URL.encode(modulus))","e":"AQAB"}"#
        #expect(try Keys.refusal(of: jwk) == "RSA modulus of 512 bits, not 2048 to 8192")
    }

    @Test("D-22: an even modulus is skipped")
    func d22EvenModulus() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 255) + [0xFE]
        let jwk = #"{"kty":"RSA","kid":"k","n":"\#(Base64URL.encode(modulus))","e":"AQAB"}"#
        #expect(try Keys.refusal(of: jwk) == "RSA modulus is even")
    }

    @Test(
        "D-22: an RSA exponent that is 1, even or huge is skipped",
        arguments: [
            ([0], "RSA exponent is even or below 3"), ([1], "RSA exponent is even or below 3"),
            ([2], "RSA exponent is even or below 3"), ([3], nil), ([1, 0, 0], "RSA exponent is even or below 3"),
            ([1, 0, 1], nil), ([0x7F, 0xFF, 0xFF, 0xFF], nil), ([0x80, 0, 0, 1], "RSA exponent of more than 31 bits"),
            ([1, 0, 0, 0, 1], "RSA exponent of more than 31 bits"),
            ([UInt8](repeating: 0xFF, count: 256), "RSA exponent of more than 31 bits"),
        ] as [([UInt8], String?)])
    func d22Exponent(exponent: [UInt8], reason: String?) throws {
        #expect(try Keys.refusal(of: Keys.rsa(bits: 2048, exponent: exponent)) == reason)
    }

    @Test("D-22: a point that is not on its curve is skipped", arguments: ["x", "y"])
    func d22OffCurve(member: String) throws {
        let other = member == "x" ? "y" : "x"
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 31) + [5])
        let jwk = #"{"kty":"EC","crv":"P-256","\#(member)":"\#(zero)","\#(other)":"\#(zero)"}"#
        #expect(try Keys.refusal(of: jwk) == "point is not on P-256")
    }

    @Test("D-22: a point of another curve is skipped")
    func d22OtherCurve() throws {
        let renamed = ECVectors.jwk384.replacing("P-384", with: "P-256")
        #expect(try Keys.refusal(of: renamed) == "coordinates are not 32 bytes long")
        #expect(try Keys.refusal(of: ECVectors.jwk256.replacing("P-256", with: "secp256k1")) != nil)
    }

    @Test("D-22: a coordinate above the field's prime is skipped")
    func d22Unreduced() throws {
        let large = Base64URL.encode([UInt8](repeating: 0xFF, count: 32))
        let jwk = #"{"kty":"EC","crv":"P-256","x":"\#(large)","y":"\#(large)"}"#
        #expect(try Keys.refusal(of: jwk) == "point is not on P-256")
    }

    @Test("D-22: an Ed25519 key of another length is skipped", arguments: [1, 31, 33, 57])
    func d22Length(length: Int) throws {
        let x = Base64URL.encode([UInt8](repeating: 9, count: length))
        #expect(
            try Keys.refusal(of: #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#) == "Ed25519 key is not 32 bytes long")
    }

    @Test("D-22: an Ed25519 key of small order is skipped", arguments: [0x00, 0x80] as [UInt8])
    func d22SmallOrder(sign: UInt8) throws {
        let identity = [1] + [UInt8](repeating: 0, count: 30) + [sign]
        let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(identity))"}"#
        #expect(try Keys.refusal(of: jwk) == "Ed25519 key has small order")
    }

    @Test(
        "D-22: an Ed25519 key with an ordinate above the field's prime is skipped", arguments: [0x7F, 0xFF] as [UInt8])
    func d22UnreducedOrdinate(last: UInt8) throws {
        let above = [0xEF] + [UInt8](repeating: 0xFF, count: 30) + [last]
        let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(above))"}"#
        #expect(try Keys.refusal(of: jwk) == "Ed25519 key is not canonical")
    }

    @Test(
        "D-22: an Ed25519 key that is no point is skipped",
        arguments: [(2, "Ed25519 key is not a point"), (3, nil), (7, "Ed25519 key is not a point"), (9, nil)])
    func d22NoPoint(ordinate: UInt8, reason: String?) throws {
        let x = Base64URL.encode([ordinate] + [UInt8](repeating: 0, count: 31))
        #expect(try Keys.refusal(of: #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#) == reason)
    }

    @Test(
        "a key that its owner should not have published is skipped",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func privateMembers(name: String) throws {
        #expect(try Keys.refusal(of: Keys.rsa(with: #""\#(name)":"AQAB""#)) == #"has the private member "\#(name)""#)
    }

    @Test(
        "other keys that cannot be used are skipped with the reason",
        arguments: [
            (#"{"kty":"oct","k":"AAAA"}"#, #"has the private member "k""#),
            (#"{"kty":"oct"}"#, #""kty" is none of RSA, EC, OKP"#), ("{}", #""kty" is missing"#),
            (#"{"kty":1}"#, #""kty" is not a string"#), (#"{"kty":"RSA","e":"AQAB"}"#, #""n" is missing"#),
            (#"{"kty":"RSA","n":"AQ==","e":"AQAB"}"#, #""n" is not base64url"#),
            (#"{"kty":"RSA","n":"","e":"AQAB"}"#, #""n" is not base64url"#),
            (#"{"kty":"EC","crv":"P-224","x":"AA","y":"AA"}"#, #""crv" is none of P-256, P-384, P-521"#),
            (#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, #""crv" is not Ed25519"#),
            (#"{"kty":"RSA","kid":1}"#, #""kid" is not a string"#), (#"{"kty":"RSA","kid":""}"#, #""kid" is empty"#),
            (#"{"kty":"RSA","alg":"HS256"}"#, #""alg" is not one that is verified"#),
            (#"{"kty":"RSA","alg":"RSA-OAEP"}"#, #""alg" is not one that is verified"#),
            (#"{"kty":"RSA","use":["sig"]}"#, #""use" is not a string"#),
            (#"{"kty":"RSA","key_ops":"verify"}"#, #""key_ops" lacks verify"#), ("null", "not an object"),
        ])
    func skipped(jwk: String, reason: String) throws {
        #expect(try Keys.refusal(of: jwk) == reason)
    }
}
