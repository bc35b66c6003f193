package import GatewayConfiguration
import GatewayCore
import NIOSSL

/// What a listener serves with: immutable, given to new connections. A running listener can be given another.
package final class ListenerFront: Sendable {
    /// Nil: cleartext.
    package let tls: ServerTLS?
    /// Whether each connection has to begin with a PROXY header.
    let takesProxyHeader: Bool
    /// Who may connect where a PROXY header is taken; empty: everybody.
    let proxies: TrustedProxies
    /// What it was made of, so that it can be made anew from its files; nil: of nothing.
    package let settings: Configuration.Listener?
    /// Its files from before they were read.
    let marks: [FileMark?]

    init(
        tls: ServerTLS? = nil, takesProxyHeader: Bool = false, proxies: TrustedProxies = TrustedProxies(),
        settings: Configuration.Listener? = nil, marks: [FileMark?] = []
    ) {
        self.tls = tls
        self.takesProxyHeader = takesProxyHeader
        self.proxies = proxies
        self.settings = settings
        self.marks = marks
    }

    /// Whether it lets the same clients in as another: a connection that came in by one would have come in by the other.
    func admitsLike(_ other: ListenerFront) -> Bool {
        (tls == nil) == (other.tls == nil) && tls?.clients == other.tls?.clients
            && settings?.tls?.minimumVersion == other.settings?.tls?.minimumVersion
            && takesProxyHeader == other.takesProxyHeader && (!takesProxyHeader || proxies == other.proxies)
    }
}
