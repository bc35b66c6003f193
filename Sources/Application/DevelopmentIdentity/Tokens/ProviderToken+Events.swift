// Events of providers' servers about users
extension ProviderToken {
    /// Creates a notification of Apple's server about an event at `now`, signed like an ID token and valid for a day.
    ///
    /// POST it as `{"payload": TOKEN}`.
    ///
    /// - Parameters:
    ///   - type: `consent-revoked`, `account-delete` (also `account-deleted` in Apple's documents), `email-enabled` or
    ///     `email-disabled`.
    ///   - audience: Default: ``IdentityProvider/demoAudience``.
    ///   - eventTime: Milliseconds since 1970. Default: the start of the second `now`.
    ///   - eventsAsText: Whether `events` is the JSON text of the object, as Apple sends it, or the object itself.
    ///   - id: `jti`. Default: a unique one.
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

    /// Creates a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4) for a session that ended at `now`,
    /// valid for two minutes.
    ///
    /// POST it as the form `logout_token=TOKEN`. Microsoft's also has `oid` and `tid`.
    ///
    /// - Parameters:
    ///   - audience: Default: ``IdentityProvider/demoAudience``.
    ///   - issuer: Default: ``IdentityProvider/issuer``.
    ///   - session: `sid`. Default: absent.
    ///   - id: `jti`. Default: a unique one.
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
    /// Returns the claims of every event, without `sub`, which only some events have.
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

    /// Returns a unique ID, so that two tokens for the same user and second are different events.
    private static func freshID() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
