import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import TextCoding

/// Token introspection (RFC 7662) by any authorization server.
struct RFC7662Introspection: TokenCheck {
    let provider: String
    /// The status that RFC 7662 section 2.3 defines.
    let ownCredentials: Set<Int> = [401]
    private let tokens: Configuration.Provider.OpaqueTokens

    init(provider: String, _ tokens: Configuration.Provider.OpaqueTokens) {
        self.provider = provider
        self.tokens = tokens
    }

    func request(about token: [UInt8]) -> OutboundRequest {
        var request = OutboundRequest(
            method: .post, url: tokens.url,
            fields: [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")])
        FormEncoding.append("token", token, to: &request.body)
        FormEncoding.append("token_type_hint", "access_token".utf8, to: &request.body)
        tokens.clientSecret.withBytes { secret in
            switch tokens.clientAuthentication {
            case .basic:
                // RFC 6749 section 2.3.1: both values are form-encoded before HTTP Basic encodes them.
                let field = BasicCredentials.field(
                    name: PercentEncoding.encoded(tokens.clientID.utf8), secret: PercentEncoding.encoded(secret))
                request.fields.append(("authorization", field))
            case .post:
                FormEncoding.append("client_id", tokens.clientID.utf8, to: &request.body)
                FormEncoding.append("client_secret", secret, to: &request.body)
            }
        }
        return request
    }

    func examine(_ response: JSONValue, latest: UnixTime) throws(Unproven) -> TokenProof {
        let reading = try IntrospectionResponseReader(response, "the answer")
        // RFC 7662 section 2.2 requires the boolean. Without it the token is not known to be active.
        guard reading["active"]?.bool == true else { throw .refused(.inactive) }
        try checkIssuer(reading)
        try checkAudience(reading)
        try checkUse(reading)
        let times = try Times(reading)
        if let notBefore = times.notBefore, notBefore > latest { throw .refused(.notBefore) }
        guard let subject = reading["sub"]?.string else { throw .refused(.subject) }
        let scopes = try reading.text("scope")?.split(separator: " ").map(String.init) ?? []
        return TokenProof(
            subject: subject, claims: times.claims(of: response), authTime: times.authTime, issuedAt: times.issuedAt,
            expiresAt: times.expiresAt, scopes: scopes)
    }
}

extension RFC7662Introspection {
    func isForUs(_ claims: JSONValue) -> Bool {
        do throws(Unproven) {
            let reading = try IntrospectionResponseReader(claims, "the claims")
            try checkIssuer(reading)
            try checkAudience(reading)
            return true
        } catch {
            return false
        }
    }

    private func checkIssuer(_ reading: IntrospectionResponseReader) throws(Unproven) {
        guard let expected = tokens.issuer, let issuer = reading["iss"] else { return }
        guard issuer.equals(expected) else { throw .refused(.issuer) }
    }

    /// Checks that the token was issued for the gateway: by `aud`, or without it by `client_id`.
    private func checkAudience(_ reading: IntrospectionResponseReader) throws(Unproven) {
        let named = try audiences(reading)
        let proof = named.isEmpty ? [reading["client_id"]].compactMap(\.self) : named
        guard proof.contains(where: { value in tokens.audiences.contains { value.equals($0) } }) else {
            throw .refused(.audience)
        }
    }

    private func audiences(_ reading: IntrospectionResponseReader) throws(Unproven) -> [JSONValue] {
        guard let value = reading["aud"] else { return [] }
        let values = value.kind == .array ? Array(value.elements) : [value]
        guard values.allSatisfy({ $0.kind == .string }) else {
            throw .malformed("aud is neither a string nor an array of strings")
        }
        return values
    }

    /// Checks that the token is a bearer access token, which any holder may use.
    private func checkUse(_ reading: IntrospectionResponseReader) throws(Unproven) {
        if let type = try reading.text("token_type"), !type.lowercased().utf8.elementsEqual("bearer".utf8) {
            throw .refused(.tokenType)
        }
        // `token_use` is not defined by RFC 7662. Servers that report refresh tokens as `Bearer` too distinguish them
        // by it.
        if let use = try reading.text("token_use"), !use.utf8.elementsEqual("access_token".utf8),
            !use.utf8.elementsEqual("access".utf8)
        {
            throw .refused(.tokenType)
        }
        // RFC 7800: the token is valid only with proof of possession of a key, which the gateway does not support.
        if reading["cnf"] != nil { throw .refused(.senderConstrained) }
    }

    /// The times in a response.
    private struct Times {
        let expiresAt, issuedAt, notBefore, authTime: UnixTime?

        init(_ reading: IntrospectionResponseReader) throws(Unproven) {
            expiresAt = try reading.time("exp", else: .expired)
            issuedAt = try reading.time("iat", else: .issuedAt)
            notBefore = try reading.time("nbf", else: .notBefore)
            authTime = try reading.time("auth_time", else: .authenticatedInFuture)
        }

        /// Returns all members of the response as claims, with normalized times.
        func claims(of response: JSONValue) -> ObjectText {
            var claims = ObjectText()
            for (name, value) in response.members where value.kind != .null {
                switch Array(name.utf8) {
                case Array("active".utf8): continue
                case Array("exp".utf8): claims.add(name, expiresAt)
                case Array("iat".utf8): claims.add(name, issuedAt)
                case Array("nbf".utf8): claims.add(name, notBefore)
                case Array("auth_time".utf8): claims.add(name, authTime)
                default: claims.add(name, value)
                }
            }
            return claims
        }
    }
}
