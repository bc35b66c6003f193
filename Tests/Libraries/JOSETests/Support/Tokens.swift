import Testing

@testable import JOSE

/// Compact serializations, valid or not.
enum Tokens {
    /// Returns a token of three parts with these texts as header and payload.
    static func make(
        header: String = #"{"alg":"RS256","kid":"k"}"#, payload: String = #"{"sub":"someone"}"#,
        signature: [UInt8] = [UInt8](repeating: 7, count: 256)
    ) -> String {
        [[UInt8](header.utf8), [UInt8](payload.utf8), signature].map { Base64URL.encode($0) }.joined(separator: ".")
    }

    /// Returns the token with the key ID and payload of the vectors, for a signature in base64url.
    static func signed(_ algorithm: String, _ signature: String) -> String {
        make(header: #"{"alg":"\#(algorithm)","kid":"k"}"#, payload: #"{"sub":"someone","n":1}"#, signature: [])
            + signature
    }

    /// Returns the error of `UnverifiedJWS`. `nil` if it reads the token.
    static func refusal(of token: String, maximumSize: Int = 16_384) -> JWSError.Code? {
        do {
            _ = try UnverifiedJWS(token, maximumSize: maximumSize)
            return nil
        } catch {
            return error.code
        }
    }

    /// Returns whether the last part of `token` is a signature of the other parts, which are not decoded.
    static func isSigned(_ token: String, with jwk: String, _ algorithm: Algorithm) throws -> Bool {
        let (input, signature) = try split(token)
        return try Keys.key(jwk).isValid(signature: signature, of: [UInt8](input.utf8), by: algorithm)
    }

    /// Returns `token` with its signature changed.
    static func changingSignature(of token: String, _ change: (inout [UInt8]) -> Void) throws -> String {
        let parts = try split(token)
        var signature = parts.signature
        change(&signature)
        return "\(parts.input).\(Base64URL.encode(signature))"
    }

    private static func split(_ token: String) throws -> (input: Substring, signature: [UInt8]) {
        let cut = try #require(token.lastIndex(of: "."))
        return (token[..<cut], try #require(Base64URL.decode(String(token[token.index(after: cut)...]))))
    }
}
