extension MintRequest {
    /// The result of a mint request.
    enum Minted {
        case firebase(FirebaseToken)
        case provider(ProviderToken)
        /// A token that becomes valid when it is added to the provider.
        case opaque(OpaqueToken)
    }

    /// Creates the requested token. `base` is the URL of the development provider.
    func minted(project: String, base: String, now: Int64) throws(Problem) -> Minted {
        guard event != nil || eventsAsText == nil else { throw Problem(text: "\"events_as_text\" goes with \"event\"") }
        if let event { return .provider(try eventToken(event, base: base, now: now)) }
        guard let provider else { return .firebase(try firebaseToken(project: project, now: now)) }
        guard kind != .session else { throw Problem(text: "only Firebase has session cookies") }
        if let opaque = opaqueToken(of: provider, now: now) { return .opaque(opaque) }
        guard let provider = IdentityProvider(id: provider) else {
            throw Problem(text: "there is no provider \"\(provider)\"")
        }
        return .provider(changed(providerToken(of: provider, base: base, now: now), now: now))
    }

    private func firebaseToken(project: String, now: Int64) throws(Problem) -> FirebaseToken {
        guard audience == nil, issuer == nil, nonce == nil, kind != .access else {
            throw Problem(text: "only with a \"provider\": \"audience\", \"issuer\", \"nonce\" and the kind \"access\"")
        }
        let token =
            kind == .session
            ? FirebaseToken.sessionCookie(for: user, project: project, now: now)
            : FirebaseToken.idToken(for: user, project: project, now: now)
        return changed(token, now: now)
    }

    private func providerToken(of provider: IdentityProvider, base: String, now: Int64) -> ProviderToken {
        let issuer = localIssuer(of: provider, base: base)
        guard kind == .access else {
            return .idToken(of: provider, for: user, audience: audience, issuer: issuer, nonce: nonce, now: now)
        }
        guard provider != .microsoft else { return .microsoftAccessTokenV2(for: user, audience: audience, now: now) }
        return .accessToken(of: provider, for: user, audience: audience, issuer: issuer, now: now)
    }

    /// Returns `nil` if the token's default is correct.
    private func localIssuer(of provider: IdentityProvider, base: String) -> String? {
        if issuer == nil, case .oidc = provider { return provider.issuer(base: base) }
        return issuer
    }

    private func eventToken(_ event: String, base: String, now: Int64) throws(Problem) -> ProviderToken {
        guard kind == nil, nonce == nil, authTime == nil, let provider = provider.flatMap(IdentityProvider.init(id:))
        else {
            throw Problem(
                text: "an \"event\" is of a \"provider\" that issues ID tokens, without a kind, nonce and sign-in")
        }
        var token: ProviderToken
        if event == "logout" {
            token = .logoutToken(
                of: provider, for: user, audience: audience, issuer: localIssuer(of: provider, base: base), now: now)
        } else {
            guard provider == .apple, issuer == nil else { throw Problem(text: "only apple.com sends \"\(event)\"") }
            token = .appleNotification(
                event, about: user, audience: audience, eventsAsText: eventsAsText ?? true, now: now)
        }
        return changed(token, now: now)
    }

    private func opaqueToken(of provider: String, now: Int64) -> OpaqueToken? {
        var token: OpaqueToken
        switch provider {
        case "github.com": token = .gitHub(for: user, clientID: audience, now: now)
        case "facebook.com" where kind == .access: token = .facebook(for: user, appID: audience, now: now)
        case _ where provider.hasPrefix("oauth."): token = .introspected(for: user, clientID: audience, now: now)
        default: return nil
        }
        if token.kind == .introspected, let expiresIn { token.response["exp"] = .integer(now + expiresIn) }
        token.response.merge(claims)
        return token
    }

    private func changed<Token: DraftToken>(_ token: Token, now: Int64) -> Token {
        var token = token
        if let authTime { token = token.signedIn(at: authTime) }
        if let expiresIn { token = token.expiring(at: now + expiresIn) }
        return token.merging(claims)
    }
}
