import GatewayCore

extension Configuration.Provider {
    /// One entry of `identity.providers`.
    static func read(_ entry: MappingEntry) -> Configuration.Provider? {
        guard let kind = kind(of: entry), let mapping = entry.value.mapping(kind.keys) else { return nil }
        var provider = Self(id: entry.key, kind: kind, location: entry.keyLocation)
        let reader = ProviderReader(mapping, name: entry.value.name)
        provider.insecureHTTP = reader.insecureHTTP
        switch kind {
        case .apple: provider.idTokens = reader.apple()
        case .google: provider.idTokens = reader.google()
        case .microsoft: provider.idTokens = reader.microsoft()
        case .facebook: (provider.idTokens, provider.opaqueTokens) = reader.facebook()
        case .github: provider.opaqueTokens = reader.github()
        case .yahoo: provider.idTokens = reader.yahoo()
        case .linkedin: provider.idTokens = reader.linkedin()
        case .oidc: provider.idTokens = reader.oidc()
        case .oauth: provider.opaqueTokens = reader.oauth()
        }
        reader.warn(ofCalls: provider.opaqueTokens != nil)
        return provider
    }

    /// The candidate that somebody meant: also the one that is the same with `.com` behind it.
    static func suggestion(for id: String, among candidates: [String]) -> String? {
        let whole = "\(id.lowercased()).com"
        return candidates.contains(whole) ? whole : Spelling.suggestion(for: id, among: candidates)
    }

    private static func kind(of entry: MappingEntry) -> Kind? {
        let id = entry.key
        if let kind = Kind(rawValue: id), !kind.isFamily { return kind }
        if let family = Kind.allCases.first(where: { $0.isFamily && id.hasPrefix("\($0.rawValue).") }) {
            if isName(id.dropFirst(family.rawValue.count + 1)) { return family }
            entry.value.context.fail(
                entry.keyLocation, "\(Quoted(id)) is not a provider's id",
                "write \(family.rawValue).NAME, where NAME is up to 64 lower-case letters, digits and '-'")
            return nil
        }
        entry.value.context.fail(
            entry.keyLocation, "there is no provider \(Quoted(id))",
            suggestion(for: id, among: Kind.allCases.filter { !$0.isFamily }.map(\.rawValue))
                .map { "did you mean '\($0)'?" } ?? "the providers are \(Kind.names)")
        return nil
    }

    private static func isName(_ name: Substring) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension Configuration.Provider.Kind {
    /// Whether an id has a name behind the kind.
    fileprivate var isFamily: Bool { self == .oidc || self == .oauth }

    fileprivate static var names: String {
        allCases.map { $0.isFamily ? "\($0.rawValue).NAME" : $0.rawValue }.joined(separator: ", ")
    }

    /// The keys of an entry.
    var keys: KnownKeys {
        switch self {
        case .apple: .apple
        case .google: .google
        case .microsoft: .microsoft
        case .facebook: .facebook
        case .github: .github
        case .yahoo: .yahoo
        case .linkedin: .linkedin
        case .oidc: .oidc
        case .oauth: .oauth
        }
    }
}
