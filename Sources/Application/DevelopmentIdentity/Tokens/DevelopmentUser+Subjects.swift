extension DevelopmentUser {
    /// The tenant of organizational Microsoft users.
    public static let microsoftTenant = "3aa4a235-b6e2-48d5-9195-7fcf05b459b0"
    /// The tenant of all personal Microsoft accounts.
    public static let personalMicrosoftTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// Returns the user's ID at a provider: the first of `identities`, or one in the provider's form that is derived
    /// from the uid.
    ///
    /// For Microsoft it is the ID that Firebase calls the federated ID; see ``microsoftObjectID``.
    ///
    /// - Parameter provider: A provider ID, for example `apple.com`, `github.com` or `oidc.corp`.
    public func subject(at provider: String) -> String {
        if case .array(let ids)? = identities[provider], case .string(let id)? = ids.first { return id }
        let seed = "\(provider):\(uid)"
        return switch provider {
        case "apple.com": "000123.\(StableID.hex(32, of: seed)).\(StableID.digits(4, of: seed))"
        case "google.com": "1" + StableID.digits(20, of: seed)
        case "microsoft.com": StableID.guid(of: seed)
        case "facebook.com": StableID.digits(17, of: seed)
        case "github.com": StableID.digits(7, of: seed)
        case "yahoo.com": StableID.characters(26, from: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", of: seed)
        case "linkedin.com": StableID.base64URL(bytes: 7, of: seed)
        default: uid
        }
    }

    /// The `oid` of the user's Microsoft tokens. For a personal account it is a GUID whose last 64 bits are the 16
    /// digits.
    public var microsoftObjectID: String {
        let id = subject(at: "microsoft.com")
        guard hasPersonalMicrosoftAccount else { return id }
        return "00000000-0000-0000-\(id.prefix(4))-\(id.dropFirst(4))"
    }

    /// The `tid` of the user's Microsoft tokens.
    public var microsoftTenant: String {
        hasPersonalMicrosoftAccount ? Self.personalMicrosoftTenant : Self.microsoftTenant
    }

    /// Whether the Microsoft identity is the 16 hexadecimal digits of a personal account.
    public var hasPersonalMicrosoftAccount: Bool {
        let id = subject(at: "microsoft.com")
        return id.count == 16 && id.allSatisfy(\.isHexDigit)
    }

    /// The parts of the name before and after the last space.
    var nameParts: (given: String, family: String)? {
        guard let name, let space = name.lastIndex(of: " ") else { return nil }
        return (String(name[..<space]), String(name[name.index(after: space)...]))
    }
}
