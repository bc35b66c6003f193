/// Where a key set comes from.
public enum KeySetSource: Sendable, Hashable {
    /// A key set at this URL.
    case url(String)
    /// The key set that a discovery document names (OpenID Connect Discovery 1.0 section 4), whose `issuer` must be exactly this one.
    case discovery(url: String, issuer: String)

    /// The URL that is asked first.
    public var url: String {
        switch self {
        case .url(let url), .discovery(let url, _): url
        }
    }
}

extension KeySetSource {
    init(_ keys: Configuration.Provider.Keys) {
        switch keys {
        case .url(let url): self = .url(url)
        case .discovery(let url, let issuer): self = .discovery(url: url, issuer: issuer)
        }
    }

    /// The name for logs and the admin API.
    var name: String { KeySource.name(of: url) }
}

/// The name of a key source for logs and the admin API: its URL without what may be secret.
enum KeySource {
    /// `url` without user, password, query and fragment.
    static func name(of url: String) -> String {
        let shown = url.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = shown.firstRange(of: "://") else { return String(shown) }
        let authority = shown[scheme.upperBound...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(shown) }
        return String(shown[..<scheme.upperBound] + shown[shown.index(after: at)...])
    }
}
