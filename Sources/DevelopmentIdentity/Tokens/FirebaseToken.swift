/// A token in the making: its claims and what its header should say, both open to any change.
///
/// It starts as what Firebase would issue; `setting`, `removing` and their kin return changed copies. `signed(by:)` and
/// `unsigned()` turn it into a compact JWS.
public struct FirebaseToken: Sendable, Hashable {
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
    public private(set) var header = JSONObject()
    /// Members that the header does not get.
    public private(set) var removedHeader: Set<String> = []

    /// A token of any claims.
    public init(kind: Kind, claims: JSONObject) {
        self.kind = kind
        self.claims = claims
    }
}

extension FirebaseToken {
    /// A copy with a claim set, whatever its type; a path of several names leads into objects.
    public func setting(_ path: String..., to value: JSON) -> FirebaseToken {
        changed { $0.claims.set(path, to: value) }
    }

    /// A copy without a claim; a path of several names leads into objects.
    public func removing(_ path: String...) -> FirebaseToken {
        changed { $0.claims.set(path, to: nil) }
    }

    /// A copy with every member of `extra` as a claim.
    public func merging(_ extra: JSONObject) -> FirebaseToken {
        changed { $0.claims.merge(extra) }
    }

    /// A copy whose header has that member, such as `alg`, `kid`, `typ` or `crit`.
    public func settingHeader(_ name: String, to value: JSON) -> FirebaseToken {
        changed {
            $0.header[name] = value
            $0.removedHeader.remove(name)
        }
    }

    /// A copy whose header lacks that member.
    public func removingHeader(_ name: String) -> FirebaseToken {
        changed {
            $0.header[name] = nil
            $0.removedHeader.insert(name)
        }
    }

    /// A copy with another `auth_time`, in seconds since 1970.
    public func signedIn(at time: Int64) -> FirebaseToken { setting("auth_time", to: .integer(time)) }

    /// A copy with another `iat`, in seconds since 1970.
    public func issued(at time: Int64) -> FirebaseToken { setting("iat", to: .integer(time)) }

    /// A copy with another `exp`, in seconds since 1970.
    public func expiring(at time: Int64) -> FirebaseToken { setting("exp", to: .integer(time)) }

    /// A copy of that tenant.
    public func inTenant(_ tenant: String) -> FirebaseToken { setting("firebase", "tenant", to: .string(tenant)) }

    /// A copy that says which second factor was used, such as `phone` or `totp`.
    public func withSecondFactor(_ factor: String) -> FirebaseToken {
        setting("firebase", "sign_in_second_factor", to: .string(factor))
            .setting("firebase", "second_factor_identifier", to: "factor-1")
    }

    private func changed(_ change: (inout FirebaseToken) -> Void) -> FirebaseToken {
        var copy = self
        change(&copy)
        return copy
    }
}
