/// A token in the making: its claims and what its header should say, both open to any change.
///
/// It starts as what Firebase would issue; `setting`, `removing` and their kin return changed copies. `signed(by:)` and
/// `unsigned()` turn it into a compact JWS.
public struct FirebaseToken: DraftToken {
    /// What a token is for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `iss` https://securetoken.google.com/PROJECT.
        case idToken = "id"
        /// `iss` https://session.firebase.google.com/PROJECT.
        case sessionCookie = "session"
        /// What a service account signs for the client to exchange; no `kid`.
        case customToken = "custom"
        /// The form before 2016, signed with a shared secret; no `kid`.
        case legacyCustomToken = "legacy-custom"
    }

    /// What the token is for.
    public let kind: Kind
    /// The payload.
    public var claims: JSONObject
    /// Members that the header gets besides, or instead of, those that the key gives it.
    public var header = JSONObject()
    /// Members that the header does not get.
    public var removedHeader: Set<String> = []
    /// Whether the header has the signing key's `kid`: not in custom tokens.
    public var namesKey: Bool { kind == .idToken || kind == .sessionCookie }

    /// A token of any claims.
    public init(kind: Kind, claims: JSONObject) {
        self.kind = kind
        self.claims = claims
    }
}

extension FirebaseToken {
    /// A copy of that tenant.
    public func inTenant(_ tenant: String) -> FirebaseToken { setting("firebase", "tenant", to: .string(tenant)) }

    /// A copy that says which second factor was used, such as `phone` or `totp`.
    public func withSecondFactor(_ factor: String) -> FirebaseToken {
        setting("firebase", "sign_in_second_factor", to: .string(factor))
            .setting("firebase", "second_factor_identifier", to: "factor-1")
    }
}

extension FirebaseToken {
    /// The project of the demo.
    public static let demoProject = "demo-gatehouse"
    /// The service account that demo custom tokens come from.
    public static let serviceAccount = "gatehouse@demo-gatehouse.iam.gserviceaccount.example"
    /// `aud` of a custom token.
    public static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// An ID token as Firebase issues it: signed in and issued at `now`, good for an hour.
    public static func idToken(
        for user: DevelopmentUser, project: String = demoProject, now: Int64
    ) -> FirebaseToken {
        FirebaseToken(
            kind: .idToken,
            claims: user.claims(
                issuer: "https://securetoken.google.com/\(project)", audience: project, now: now, lifetime: 3600))
    }

    /// A session cookie as Firebase makes it from an ID token: good for five days.
    public static func sessionCookie(
        for user: DevelopmentUser, project: String = demoProject, now: Int64
    ) -> FirebaseToken {
        FirebaseToken(
            kind: .sessionCookie,
            claims: user.claims(
                issuer: "https://session.firebase.google.com/\(project)", audience: project, now: now, lifetime: 432_000
            ))
    }

    /// A custom token as a service account makes it: good for an hour, developer claims under `claims`.
    public static func customToken(for user: DevelopmentUser, now: Int64) -> FirebaseToken {
        var claims: JSONObject = [
            "iss": .string(serviceAccount), "sub": .string(serviceAccount), "aud": .string(customTokenAudience),
            "iat": .integer(now), "exp": .integer(now + 3600), "uid": .string(user.uid),
        ]
        if !user.customClaims.members.isEmpty { claims["claims"] = .object(user.customClaims) }
        if let tenant = user.tenant { claims["tenant_id"] = .string(tenant) }
        return FirebaseToken(kind: .customToken, claims: claims)
    }

    /// A custom token of the form before 2016: `{"v":0,"d":{"uid":...},"iat":...}`.
    public static func legacyCustomToken(for user: DevelopmentUser, now: Int64) -> FirebaseToken {
        FirebaseToken(
            kind: .legacyCustomToken,
            claims: ["v": 0, "d": ["uid": .string(user.uid)], "iat": .integer(now)])
    }
}

extension DevelopmentUser {
    /// The claims of an ID token in the order in which Firebase writes them: the profile first, then custom claims, which
    /// may override it, then what nobody can override.
    fileprivate func claims(issuer: String, audience: String, now: Int64, lifetime: Int64) -> JSONObject {
        var claims = JSONObject()
        claims["name"] = name.map(JSON.string)
        claims["picture"] = picture.map(JSON.string)
        claims.merge(customClaims)
        claims.merge([
            "iss": .string(issuer), "aud": .string(audience), "auth_time": .integer(now), "user_id": .string(uid),
            "sub": .string(uid), "iat": .integer(now), "exp": .integer(now + lifetime),
        ])
        claims["email"] = email.map(JSON.string)
        if email != nil { claims["email_verified"] = .bool(isEmailVerified) }
        claims["phone_number"] = phoneNumber.map(JSON.string)
        claims["firebase"] = .object(firebaseClaim)
        return claims
    }

    private var firebaseClaim: JSONObject {
        var identities = identities
        if let email { identities["email"] = [.string(email)] }
        if let phoneNumber { identities["phone"] = [.string(phoneNumber)] }
        var claim: JSONObject = ["identities": .object(identities), "sign_in_provider": .string(signInProvider)]
        claim["sign_in_second_factor"] = secondFactor.map(JSON.string)
        if secondFactor != nil { claim["second_factor_identifier"] = "factor-1" }
        claim["tenant"] = tenant.map(JSON.string)
        return claim
    }
}
