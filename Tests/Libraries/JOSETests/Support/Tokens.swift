import Testing

@testable import JOSE

/// Compact serializations put together by hand, whatever is wrong with them.
enum Tokens {
    /// A token of three parts whose header and payload are these JSON texts, or any other text.
    static func make(
        header: String = #"{"alg":"RS256","kid":"k"}"#, payload: String = #"{"sub":"someone"}"#,
        signature: [UInt8] = [UInt8](repeating: 7, count: 256)
    ) -> String {
        [[UInt8](header.utf8), [UInt8](payload.utf8), signature].map { Base64URL.encode($0) }.joined(separator: ".")
    }

    /// What `UnverifiedJWS` says against a token; nil when it says nothing.
    static func refusal(of token: String, maximumSize: Int = 16_384) -> JWSError.Code? {
        do {
            _ = try UnverifiedJWS(token, maximumSize: maximumSize)
            return nil
        } catch {
            return error.code
        }
    }

    /// Whether the last part of `token`, of which only the parts are looked at, is a signature of the others.
    static func isSigned(_ token: String, with jwk: String, _ algorithm: Algorithm) throws -> Bool {
        let cut = try #require(token.lastIndex(of: "."))
        let signature = try #require(Base64URL.decode(String(token[token.index(after: cut)...])))
        return try Keys.key(jwk).isValid(signature: signature, of: [UInt8](token[..<cut].utf8), by: algorithm)
    }

    /// `token` with its signature put through `change`.
    static func changingSignature(of token: String, _ change: (inout [UInt8]) -> Void) throws -> String {
        let cut = try #require(token.lastIndex(of: "."))
        var signature = try #require(Base64URL.decode(String(token[token.index(after: cut)...])))
        change(&signature)
        return token[...cut] + Base64URL.encode(signature)
    }
}
