/// An unsigned Firebase token with modifiable claims and header.
///
/// It starts with the content that Firebase would issue. Functions such as `setting` and `removing` return modified
/// copies. `signed(by:)` and `unsigned()` create a compact JWS.
public struct FirebaseToken: DraftToken {
    /// The kind of token.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// `iss` https://securetoken.google.com/PROJECT.
        case idToken = "id"
        /// `iss` https://session.firebase.google.com/PROJECT.
        case sessionCookie = "session"
        /// A token that a service account signs for the client to exchange; no `kid`.
        case customToken = "custom"
        /// The format before 2016, signed with a shared secret; no `kid`.
        case legacyCustomToken = "legacy-custom"
    }

    /// The kind of token.
    public let kind: Kind
    /// The payload.
    public var claims: JSONObject
    /// Additional members of the header, which override the key's.
    public var header = JSONObject()
    /// Members that are omitted from the header.
    public var removedHeader: Set<String> = []
    /// Whether the header contains the signing key's `kid`. `false` for custom tokens.
    public var namesKey: Bool { kind == .idToken || kind == .sessionCookie }

    /// Creates a token with any claims.
    public init(kind: Kind, claims: JSONObject) {
        self.kind = kind
        self.claims = claims
    }
}

extension FirebaseToken {
    /// Returns a copy with a tenant.
    public func inTenant(_ tenant: String) -> FirebaseToken { setting("firebase", "tenant", to: .string(tenant)) }

    /// Returns a copy with a second factor, for example `phone` or `totp`.
    public func withSecondFactor(_ factor: String) -> FirebaseToken {
        setting("firebase", "sign_in_second_factor", to: .string(factor))
            .setting("firebase", "second_factor_identifier", to: "factor-1")
    }
}

extension FirebaseToken {
    /// The project of the demo.
    public static let demoProject = "demo-gatehouse"
    /// The service account that issues demo custom tokens.
    public static let serviceAccount = "gatehouse@demo-gatehouse.iam.gserviceaccount.example"
    /// `aud` of a custom token.
    public static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// Creates an ID token as issued by Firebase: sign-in and issuance at `now`, valid for an hour.
    public static func idToken(
        for user: DevelopmentUser, project: String = demoProject, now: Int64
    ) -> FirebaseToken {
        FirebaseToken(
            kind: .idToken,
            claims: user.claims(
                issuer: "https://securetoken.google.com/\(project)", audience: project, now: now, lifetime: 3600))
    }

    /// Creates a session cookie as Firebase derives it from an ID token, valid for five days.
    public static func sessionCookie(
        for user: DevelopmentUser, project: String = demoProject, now: Int64
    ) -> FirebaseToken {
        FirebaseToken(
            kind: .sessionCookie,
            claims: user.claims(
                issuer: "https://session.firebase.google.com/\(project)", audience: project, now: now, lifetime: 432_000
            ))
    }

    /// Creates a custom token as made by a service account: valid for an hour, with developer claims under `claims`.
    public static func customToken(for user: DevelopmentUser, now: Int64) -> FirebaseToken {
        var claims: JSONObject = [
            "iss": .string(serviceAccount), "sub": .string(serviceAccount), "aud": .string(customTokenAudience),
            "iat": .integer(now), "exp": .integer(now + 3600), "uid": .string(user.uid),
        ]
        if !user.customClaims.members.isEmpty { claims["claims"] = .object(user.customClaims) }
        if let tenant = user.tenant { claims["tenant_id"] = .string(tenant) }
        return FirebaseToken(kind: .customToken, claims: claims)
    }

    /// Creates a custom token in the format before 2016: `{"v":0,"d":{"uid":...},"iat":...}`.
    public static func legacyCustomToken(for user: DevelopmentUser, now: Int64) -> FirebaseToken {
        FirebaseToken(
            kind: .legacyCustomToken,
            claims: ["v": 0, "d": ["uid": .string(user.uid)], "iat": .integer(now)])
    }
}

extension DevelopmentUser {
    /// Returns the claims of an ID token in Firebase's order: the profile, then custom claims, which may override it,
    /// then claims that cannot be overridden.
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
