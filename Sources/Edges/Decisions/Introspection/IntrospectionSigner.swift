package import GatewayCore
package import JOSE

/// The signer of introspection responses (RFC 9701), with the gateway's own key.
package struct IntrospectionSigner: Sendable {
    /// The media type of a signed response.
    package static let mediaType = "application/token-introspection+jwt"
    /// The `typ` of the JWT's header. No other signed token has it, so that neither can be mistaken for the other (RFC
    /// 9701 section 8.1).
    static let type = "token-introspection+jwt"

    private let key: SigningKey
    private let header: String
    /// The claims up to the audience's value.
    private let claimsBeginning: [UInt8]

    /// Creates a signer.
    ///
    /// - Parameter issuer: The `iss`.
    package init(key: SigningKey, issuer: String) {
        self.key = key
        header = key.header(type: Self.type)
        var claims = Array("{\"iss\":".utf8)
        JSONWriter.appendString(issuer, to: &claims)
        claimsBeginning = claims + Array(",\"aud\":".utf8)
    }

    /// The `alg` of all responses.
    package var algorithm: String { key.algorithm.rawValue }

    /// Returns the JWT for a response. `nil` if signing fails.
    ///
    /// - Parameters:
    ///   - response: The JSON text of the response. Its members are not claims of the JWT itself, so that the JWT
    ///     cannot be used as an access token (RFC 9701 section 5).
    ///   - client: The identifier of the client, which is the audience.
    package func jwt(of response: [UInt8], for client: String, now: UnixTime) -> [UInt8]? {
        var claims = claimsBeginning
        JSONWriter.appendString(client, to: &claims)
        claims += ",\"iat\":\(now),\"token_introspection\":".utf8
        claims += response
        claims.append(UInt8(ascii: "}"))
        return (try? key.sign(header: header, payload: claims)).map { Array($0.utf8) }
    }
}
