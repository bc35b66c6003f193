/// A token in the making: its claims and what its header should say, both open to any change.
///
/// `setting`, `removing` and their kin return changed copies; `signed(by:)` and `unsigned()` turn the token into a
/// compact JWS, and ``Tampering`` spoils one that was signed.
public protocol DraftToken: Sendable, Hashable {
    /// The payload.
    var claims: JSONObject { get set }
    /// Members that the header gets besides, or instead of, those that the key gives it.
    var header: JSONObject { get set }
    /// Members that the header does not get.
    var removedHeader: Set<String> { get set }
    /// Whether the header has the signing key's `kid`.
    var namesKey: Bool { get }
}

extension DraftToken {
    /// A copy with a claim set, whatever its type; a path of several names leads into objects.
    public func setting(_ path: String..., to value: JSON) -> Self {
        changed { $0.claims.set(path, to: value) }
    }

    /// A copy without a claim; a path of several names leads into objects.
    public func removing(_ path: String...) -> Self {
        changed { $0.claims.set(path, to: nil) }
    }

    /// A copy with every member of `extra` as a claim.
    public func merging(_ extra: JSONObject) -> Self {
        changed { $0.claims.merge(extra) }
    }

    /// A copy whose header has that member, such as `alg`, `kid`, `typ` or `crit`.
    public func settingHeader(_ name: String, to value: JSON) -> Self {
        changed {
            $0.header[name] = value
            $0.removedHeader.remove(name)
        }
    }

    /// A copy whose header lacks that member.
    public func removingHeader(_ name: String) -> Self {
        changed {
            $0.header[name] = nil
            $0.removedHeader.insert(name)
        }
    }

    /// A copy with another `auth_time`, in seconds since 1970.
    public func signedIn(at time: Int64) -> Self { setting("auth_time", to: .integer(time)) }

    /// A copy with another `iat`, in seconds since 1970.
    public func issued(at time: Int64) -> Self { setting("iat", to: .integer(time)) }

    /// A copy with another `exp`, in seconds since 1970.
    public func expiring(at time: Int64) -> Self { setting("exp", to: .integer(time)) }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
