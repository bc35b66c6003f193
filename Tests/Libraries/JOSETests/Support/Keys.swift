import Testing

@testable import JOSE

/// Key sets and keys from JSON texts.
enum Keys {
    /// Returns the set of these JWKs.
    static func set(_ jwks: String...) throws -> KeySet {
        try KeySet(jwkSet: [UInt8](#"{"keys":[\#(jwks.joined(separator: ","))]}"#.utf8))
    }

    /// Returns the key of a usable JWK.
    static func key(_ jwk: String) throws -> PublicKey {
        try #require(try set(jwk).keys.first)
    }

    /// Returns the reason why a JWK is skipped. `nil` if it is not skipped.
    static func refusal(of jwk: String) throws -> String? {
        let set = try set(jwk)
        return set.keys.isEmpty ? set.skipped.first?.reason : nil
    }

    /// Returns an RSA JWK with a modulus of `bits` bits, all set.
    static func rsa(bits: Int, exponent: [UInt8] = [1, 0, 1]) -> String {
        let modulus = [UInt8(0xFF) >> UInt8((8 - bits % 8) % 8)] + [UInt8](repeating: 0xFF, count: (bits + 7) / 8 - 1)
        let numbers = #""n":"\#(Base64URL.encode(modulus))","e":"\#(Base64URL.encode(exponent))""#
        return #"{"kty":"RSA","kid":"k",\#(numbers)}"#
    }

    /// Returns `RSAVectors.jwk` with additional members.
    static func rsa(with more: String) -> String {
        RSAVectors.jwk.dropLast() + "," + more + "}"
    }
}
