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
