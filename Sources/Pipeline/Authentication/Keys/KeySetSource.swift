import GatewayConfiguration
import OutboundHTTP

/// The source of a key set.
package enum KeySetSource: Sendable, Hashable {
    /// A key set at this URL.
    case url(String)
    /// The key set that a discovery document names (OpenID Connect Discovery 1.0 section 4). The document's `issuer`
    /// must be exactly this one.
    case discovery(url: String, issuer: String)

    /// The URL that is fetched first.
    package var url: String {
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
    package var name: String { KeySource.name(of: url) }
}
