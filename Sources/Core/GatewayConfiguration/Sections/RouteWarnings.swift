import GatewayCore

extension Configuration.Route {
    /// Tells which of the credentials that the route seems to take it cannot take.
    func warnOfProviders(_ mapping: MappingReader, _ identity: Configuration.Identity) {
        let place = mapping.value("providers") == nil ? location : mapping.location(of: "providers")
        warnOfStrangers(mapping, identity)
        warnOfAmbiguity(mapping.context, at: place, identity)
        if !scopes.isEmpty, !identity.providers.contains(where: { $0.opaqueTokens != nil }) {
            mapping.context.warn(
                mapping.location(of: "scopes"), "no token has scopes, so nobody passes",
                "add a provider of access tokens to identity.providers, or remove it")
        }
    }

    /// An opaque token says of itself nothing, not even whom to ask about it.
    private func warnOfAmbiguity(
        _ context: LoadingContext, at place: SourceLocation, _ identity: Configuration.Identity
    ) {
        let opaque = identity.providers.filter { $0.opaqueTokens != nil }.map(\.id)
        let named = providers.isEmpty ? opaque : opaque.filter(providers.contains)
        guard named.count > 1 else { return }
        context.warn(
            place, "opaque tokens are refused here: they may be of \(named.joined(separator: " or "))",
            "name one of them in providers, beside any others")
    }

    private func warnOfStrangers(_ mapping: MappingReader, _ identity: Configuration.Identity) {
        let configured = identity.providers.map(\.id)
        for id in providers where !configured.contains(id) {
            guard identity.firebase == nil || !Configuration.Firebase.maySignIn(id) else { continue }
            let known = configured + (identity.firebase == nil ? [] : Configuration.Firebase.signInProviders)
            let meant = Configuration.Provider.suggestion(for: id, among: known)
            mapping.context.warn(
                mapping.location(of: "providers"), "nobody signs in with \(Quoted(id))",
                meant.map { "did you mean '\($0)'?" } ?? "remove it, or add it to identity.providers")
        }
    }
}

extension Configuration.Firebase {
    /// What `firebase.sign_in_provider` says, apart from `oidc.NAME` and `saml.NAME`.
    static let signInProviders = [
        "anonymous", "apple.com", "custom", "facebook.com", "gc.apple.com", "github.com", "google.com", "linkedin.com",
        "microsoft.com", "password", "phone", "playgames.google.com", "twitter.com", "yahoo.com",
    ]

    /// Whether Firebase may say that somebody signed in with that provider.
    static func maySignIn(_ id: String) -> Bool {
        signInProviders.contains(id) || id.hasPrefix("oidc.") || id.hasPrefix("saml.")
    }
}
