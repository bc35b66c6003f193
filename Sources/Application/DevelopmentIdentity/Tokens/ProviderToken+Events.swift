// What a provider's server tells of a user
extension ProviderToken {
    /// A notification as Apple's server sends it, signed like an ID token, about something that happened at `now`; good for a day.
    ///
    /// POST it as `{"payload": TOKEN}`.
    ///
    /// - Parameters:
    ///   - type: `consent-revoked`, `account-delete` (Apple's documents also have `account-deleted`), `email-enabled` or `email-disabled`.
    ///   - audience: by default ``IdentityProvider/demoAudience``.
    ///   - eventTime: in milliseconds since 1970; by default the beginning of the second `now`.
    ///   - eventsAsText: whether `events` is the text of the object, as Apple sends it, or the object itself.
    ///   - id: `jti`; by default another one for each token.
    public static func appleNotification(
        _ type: String, about user: DevelopmentUser, audience: String? = nil, eventTime: Int64? = nil,
        eventsAsText: Bool = true, id: String? = nil, now: Int64
    ) -> ProviderToken {
        var event: JSONObject = [
            "type": .string(type), "sub": .string(user.subject(at: IdentityProvider.apple.id)),
            "event_time": .integer(eventTime ?? now * 1000),
        ]
        if type.hasPrefix("email-"), let email = user.email {
            event["email"] = .string(email)
            event["is_private_email"] = email.hasSuffix("@privaterelay.appleid.com") ? "true" : "false"
        }
        var claims = Issuance(.apple, to: user, for: audience, by: nil, now: now).eventClaims(lifetime: 86_400, id: id)
        claims["events"] = eventsAsText ? .string(event.text) : .object(event)
        var token = ProviderToken(of: .apple, claims: claims)
        token.removedHeader = ["typ"]
        return token
    }

    /// A logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4): the user's session at the provider ended at `now`; good for two
    /// minutes.
    ///
    /// POST it as the form `logout_token=TOKEN`. Microsoft's has `oid` and `tid` besides.
    ///
    /// - Parameters:
    ///   - audience: by default ``IdentityProvider/demoAudience``.
    ///   - issuer: by default ``IdentityProvider/issuer``.
    ///   - session: `sid`; by default there is none.
    ///   - id: `jti`; by default another one for each token.
    public static func logoutToken(
        of provider: IdentityProvider, for user: DevelopmentUser, audience: String? = nil, issuer: String? = nil,
        session: String? = nil, id: String? = nil, now: Int64
    ) -> ProviderToken {
        let issuance = Issuance(provider, to: user, for: audience, by: issuer, now: now)
        var claims = issuance.eventClaims(lifetime: 120, id: id)
        claims["sub"] = .string(user.subject(at: provider.id))
        claims["sid"] = session.map(JSON.string)
        if provider == .microsoft { claims.merge(issuance.microsoftNames) }
        claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
        var token = ProviderToken(of: provider, claims: claims)
        token.header["typ"] = "logout+jwt"
        return token
    }
}

extension Issuance {
    /// What every event has: no `sub`, which only some have.
    fileprivate func eventClaims(lifetime: Int64, id: String?) -> JSONObject {
        var claims = common(lifetime: lifetime)
        claims["sub"] = nil
        claims["jti"] = .string(id ?? Self.freshID())
        return claims
    }

    fileprivate var microsoftNames: JSONObject {
        [
            "sub": .string(pairwise), "oid": .string(user.microsoftObjectID), "tid": .string(user.microsoftTenant),
        ]
    }

    /// Two tokens of the same user and second are two events.
    private static func freshID() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
