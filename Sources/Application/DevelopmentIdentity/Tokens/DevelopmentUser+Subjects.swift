extension DevelopmentUser {
    /// The tenant of organizational Microsoft users.
    public static let microsoftTenant = "3aa4a235-b6e2-48d5-9195-7fcf05b459b0"
    /// The tenant of all personal Microsoft accounts, the same for everybody.
    public static let personalMicrosoftTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The user's id at a provider: the first of `identities`, else one in the provider's form that depends on the uid
    /// alone.
    ///
    /// For Microsoft it is what Firebase calls the federated id; see ``microsoftObjectID``.
    ///
    /// - Parameter provider: an id such as `apple.com`, `github.com` or `oidc.corp`.
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

    /// The `oid` of the user's Microsoft tokens: of a personal account its 16 digits in the last 64 bits of a GUID.
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

    /// The name's part before the last space, and the one after it.
    var nameParts: (given: String, family: String)? {
        guard let name, let space = name.lastIndex(of: " ") else { return nil }
        return (String(name[..<space]), String(name[name.index(after: space)...]))
    }
}
