package import GatewayConfiguration

extension Configuration.Provider {
    /// How the provider is asked about opaque tokens; nil where none of its count.
    package var tokenCheck: (any TokenCheck)? {
        guard let opaqueTokens else { return nil }
        return switch kind {
        case .github: GitHubTokenCheck(provider: id, opaqueTokens)
        case .facebook: FacebookTokenCheck(provider: id, opaqueTokens)
        default: RFC7662Introspection(provider: id, opaqueTokens)
        }
    }
}
