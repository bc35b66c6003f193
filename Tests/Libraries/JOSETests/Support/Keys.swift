import Testing

@testable import JOSE

/// Key sets and keys from JSON texts.
enum Keys {
    /// The set of these JWKs.
    static func set(_ jwks: String...) throws -> KeySet {
        try KeySet(jwkSet: [UInt8](#"{"keys":[\#(jwks.joined(separator: ","))]}"#.utf8))
    }

    /// The one key of a JWK that is fit for use.
    static func key(_ jwk: String) throws -> PublicKey {
        try #require(try set(jwk).keys.first)
    }

    /// Why a JWK is skipped; nil when it is not.
    static func refusal(of jwk: String) throws -> String? {
        let set = try set(jwk)
        return set.keys.isEmpty ? set.skipped.first?.reason : nil
    }

    /// An RSA JWK with a modulus of `bits` bits, all set, which no check but libcrypto's own arithmetic would mind.
    static func rsa(bits: Int, exponent: [UInt8] = [1, 0, 1], more: String = "") -> String {
        let modulus = [UInt8(0xFF) >> UInt8((8 - bits % 8) % 8)] + [UInt8](repeating: 0xFF, count: (bits + 7) / 8 - 1)
        let numbers = #""n":"\#(Base64URL.encode(modulus))","e":"\#(Base64URL.encode(exponent))""#
        return #"{"kty":"RSA","kid":"k",\#(numbers)\#(more)}"#
    }

    /// `RSAVectors.jwk` with more members.
    static func rsa(with more: String) -> String {
        RSAVectors.jwk.dropLast() + "," + more + "}"
    }
}
