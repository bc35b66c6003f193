package import GatewayConfiguration
import GatewayCore
import NIOSSL

/// What a listener serves with: immutable, given to new connections. A running listener can be given another.
package final class ListenerSettings: Sendable {
    /// Nil: cleartext.
    package let tls: ServerTLS?
    /// Whether each connection has to begin with a PROXY header.
    let takesProxyHeader: Bool
    /// Who may connect where a PROXY header is taken; empty: everybody.
    let proxies: TrustedProxies
    /// What it was made of, so that it can be made anew from its files; nil: of nothing.
    package let configuration: Configuration.Listener?
    /// Its files from before they were read.
    let fingerprints: [FileFingerprint?]

    init(
        tls: ServerTLS? = nil, takesProxyHeader: Bool = false, proxies: TrustedProxies = TrustedProxies(),
        configuration: Configuration.Listener? = nil, fingerprints: [FileFingerprint?] = []
    ) {
        self.tls = tls
        self.takesProxyHeader = takesProxyHeader
        self.proxies = proxies
        self.configuration = configuration
        self.fingerprints = fingerprints
    }

    /// Whether it lets the same clients in as another: a connection that came in by one would have come in by the other.
    func admitsLike(_ other: ListenerSettings) -> Bool {
        (tls == nil) == (other.tls == nil) && tls?.clients == other.tls?.clients
            && configuration?.tls?.minimumVersion == other.configuration?.tls?.minimumVersion
            && takesProxyHeader == other.takesProxyHeader && (!takesProxyHeader || proxies == other.proxies)
    }
}
