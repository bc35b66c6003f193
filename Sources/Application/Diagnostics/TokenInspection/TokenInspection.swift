import Authentication
package import GatewayCore

/// What a token says and what the gateway makes of it. Holds everything of the token but its signature, and nothing of an opaque one.
package struct TokenInspection: Sendable {
    /// The header and the payload as indented JSON; nil for what is no compact JWS, such as an opaque token.
    package let header, payload: String?
    /// Every check and its answer.
    package let steps: [ExplanationStep]
    /// What a request with this token would be answered: `ok` when the token is valid.
    package let code: DecisionCode

    /// Whether the token is valid, as far as the token alone decides.
    package var isValid: Bool { code == .ok }
}

/// A token with its account and, where it was verified, what the request path would know of it.
struct InspectedToken {
    let inspection: TokenInspection
    let entry: VerifiedTokenCache.Entry?
    /// The keys that it was verified by; `nil` if none were looked for.
    var keys: KeyEvidence?
    /// What its provider said of an opaque token; `nil` if the provider was not queried.
    var verdict: OpaqueVerdict?
}
