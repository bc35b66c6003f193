import Authentication
package import GatewayCore

/// The content of a token and the result of its verification. It omits the signature, and all of an opaque token.
package struct TokenInspection: Sendable {
    /// Header and payload as indented JSON. `nil` if the token is not a compact JWS.
    package let header, payload: String?
    /// All checks and their results.
    package let steps: [ExplanationStep]
    /// The code of the response to a request with this token. `ok` if the token is valid.
    package let code: DecisionCode

    /// Whether the token is valid, judged by the token only.
    package var isValid: Bool { code == .ok }
}

/// An inspected token with its explanation and, if verified, its cache entry.
struct InspectedToken {
    let inspection: TokenInspection
    let entry: VerifiedTokenCache.Entry?
    /// The keys used for verification. `nil` if no keys were looked up.
    var keys: KeyEvidence?
    /// The introspection verdict on an opaque token. `nil` if the provider was not queried.
    var verdict: OpaqueVerdict?
}
