package import GatewayConfiguration
package import GatewayCore
import OutboundHTTP

/// The source of a key set.
package enum KeySetSource: Sendable, Hashable {
    /// A key set at this URL.
    case url(String)
    /// The key set that a discovery document names (OpenID Connect Discovery 1.0 section 4). The document's `issuer`
    /// must be exactly this one.
    case discovery(url: String, issuer: String)
    /// The key set of App Check at this URL, which is requested with an API key if there is one. Its lifetime is fixed.
    case appCheck(url: String, apiKey: Secret?)

    /// The URL that is fetched first.
    package var url: String {
        switch self {
        case .url(let url), .discovery(let url, _), .appCheck(let url, _): url
        }
    }
}

extension KeySetSource {
    package init(_ keys: Configuration.Provider.Keys) {
        switch keys {
        case .url(let url): self = .url(url)
        case .discovery(let url, let issuer): self = .discovery(url: url, issuer: issuer)
        }
    }

    package init(_ appCheck: Configuration.AppCheck) {
        self = .appCheck(url: appCheck.keysURL, apiKey: appCheck.apiKey)
    }

    /// The name for logs and the admin API.
    package var name: String { KeySource.name(of: url) }
}
