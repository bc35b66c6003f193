import Testing

@testable import JOSE

struct UnfitKeyTests {
    @Test(arguments: [
        (512, false), (1024, false), (2047, false), (2048, true), (8192, true), (8193, false), (16_384, false),
    ])
    func `D-22: an RSA modulus that is too short or too long is skipped`(bits: Int, isFit: Bool) throws {
        let reason = try Keys.refusal(of: Keys.rsa(bits: bits))
        #expect(reason == (isFit ? nil : "RSA modulus of \(bits) bits, not 2048 to 8192"))
    }

    /// Each row has an accepted sibling in its file.
    @Test(arguments: try SignatureVectorTests.cases(.skip))
    func `D-22: an unusable key of the vectors is skipped with its reason`(row: SignatureCase) throws {
        let set = try Keys.set(row.jwk)
        #expect(set.keys.isEmpty)
        #expect(set.skipped == [SkippedKey(keyID: "k", reason: try #require(row.reason))])
    }

    @Test(
        arguments: [
            ([0], "RSA exponent is even or below 3"), ([1], "RSA exponent is even or below 3"),
            ([2], "RSA exponent is even or below 3"), ([3], nil), ([1, 0, 0], "RSA exponent is even or below 3"),
            ([1, 0, 1], nil), ([0x7F, 0xFF, 0xFF, 0xFF], nil), ([0x80, 0, 0, 1], "RSA exponent of more than 31 bits"),
            ([1, 0, 0, 0, 1], "RSA exponent of more than 31 bits"),
            ([UInt8](repeating: 0xFF, count: 256), "RSA exponent of more than 31 bits"),
        ] as [([UInt8], String?)])
    func `D-22: an RSA exponent that is 1, even or too long is skipped`(exponent: [UInt8], reason: String?) throws {
        #expect(try Keys.refusal(of: Keys.rsa(bits: 2048, exponent: exponent)) == reason)
    }

    @Test(arguments: [(2, "Ed25519 key is not a point"), (3, nil), (7, "Ed25519 key is not a point"), (9, nil)])
    func `D-22: an Ed25519 key that is not a point is skipped`(ordinate: UInt8, reason: String?) throws {
        let x = Base64URL.encode([ordinate] + [UInt8](repeating: 0, count: 31))
        #expect(try Keys.refusal(of: #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#) == reason)
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `a key with a private member is skipped`(name: String) throws {
        #expect(try Keys.refusal(of: Keys.rsa(with: #""\#(name)":"AQAB""#)) == #"has the private member "\#(name)""#)
    }

    @Test(arguments: [
        (#"{"kty":"oct","k":"AAAA"}"#, #"has the private member "k""#),
        (#"{"kty":"oct"}"#, #""kty" is not RSA, EC or OKP"#), ("{}", #""kty" is missing"#),
        (#"{"kty":1}"#, #""kty" is not a string"#), (#"{"kty":"RSA","e":"AQAB"}"#, #""n" is missing"#),
        (#"{"kty":"RSA","n":"AQ==","e":"AQAB"}"#, #""n" is not base64url"#),
        (#"{"kty":"RSA","n":"","e":"AQAB"}"#, #""n" is not base64url"#),
        (#"{"kty":"EC","crv":"P-224","x":"AA","y":"AA"}"#, #""crv" is not P-256, P-384 or P-521"#),
        (#"{"kty":"OKP","crv":"X25519","x":"AA"}"#, #""crv" is not Ed25519"#),
        (#"{"kty":"RSA","kid":1}"#, #""kid" is not a string"#), (#"{"kty":"RSA","kid":""}"#, #""kid" is empty"#),
        (#"{"kty":"RSA","alg":"HS256"}"#, #""alg" is not a supported algorithm"#),
        (#"{"kty":"RSA","alg":"RSA-OAEP"}"#, #""alg" is not a supported algorithm"#),
        (#"{"kty":"RSA","use":["sig"]}"#, #""use" is not a string"#),
        (#"{"kty":"RSA","key_ops":"verify"}"#, #""key_ops" lacks verify"#), ("null", "not an object"),
    ])
    func `an unusable key is skipped with the reason`(jwk: String, reason: String) throws {
        #expect(try Keys.refusal(of: jwk) == reason)
    }
}
