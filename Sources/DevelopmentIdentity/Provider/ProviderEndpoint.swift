extension DevelopmentProvider {
    /// What the provider serves, by its path at Google.
    public enum Endpoint: String, Sendable, CaseIterable {
        /// The ID tokens' keys as JWK Set.
        case idTokenJWKSet = "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        /// The ID tokens' keys as X.509 map.
        case idTokenX509 = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
        /// The session cookies' keys as X.509 map.
        case sessionX509 = "/identitytoolkit/v3/relyingparty/publicKeys"
        /// The session cookies' keys as JWK Set.
        case sessionJWKSet = "/v1/sessionCookiePublicKeys"
        /// Minting: POST a JSON object, get a token.
        case mint = "/mint"
    }
}
