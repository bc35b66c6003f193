package import GatewayConfiguration
package import GatewayCore

/// The settings of a listener for new connections; immutable. A running listener can be given new ones.
package final class ListenerSettings: Sendable {
    /// `nil` for cleartext.
    package let tls: ServerTLS?
    /// Whether each connection must begin with a PROXY header.
    let takesProxyHeader: Bool
    /// Whether cleartext connections may begin with HTTP/2's preface.
    let sniffsHTTP2: Bool
    /// The peers that may send a PROXY header. Empty if all may.
    let proxies: TrustedProxies
    /// The peers that may connect. `nil` if all may.
    let admission: PeerAdmission?
    /// The configuration, from which the settings can be reloaded. `nil` if they were not read from files.
    package let configuration: Configuration.Listener?
    /// The fingerprints of its files, taken before they were read.
    let fingerprints: [FileFingerprint?]

    init(
        tls: ServerTLS? = nil, takesProxyHeader: Bool = false, sniffsHTTP2: Bool = false,
        proxies: TrustedProxies = TrustedProxies(), admission: PeerAdmission? = nil,
        configuration: Configuration.Listener? = nil, fingerprints: [FileFingerprint?] = []
    ) {
        self.tls = tls
        self.takesProxyHeader = takesProxyHeader
        self.sniffsHTTP2 = sniffsHTTP2
        self.proxies = proxies
        self.admission = admission
        self.configuration = configuration
        self.fingerprints = fingerprints
    }

    /// Returns whether two settings admit the same clients under the same conditions.
    func admitsLike(_ other: ListenerSettings) -> Bool {
        (tls == nil) == (other.tls == nil) && tls?.clients == other.tls?.clients
            && configuration?.tls?.minimumVersion == other.configuration?.tls?.minimumVersion
            && takesProxyHeader == other.takesProxyHeader && (!takesProxyHeader || proxies == other.proxies)
            && admission?.trusted == other.admission?.trusted
            && admission?.admitsStrangers == other.admission?.admitsStrangers
    }

    /// Returns whether clients need certificates of the same authorities.
    func hasAuthorities(of other: ListenerSettings) -> Bool {
        guard self !== other else { return tls?.clients != nil }
        guard let clients = tls?.clients else { return false }
        return clients.authorities == other.tls?.clients?.authorities
    }
}

/// The peers that may connect to a listener.
package struct PeerAdmission: Sendable {
    /// The peers that may always connect. They have no limit per address.
    package let trusted: TrustedProxies
    /// Whether other peers may connect, within ``ConnectionBudget/strangers``. Otherwise their connections are closed.
    let admitsStrangers: Bool

    package init(trusted: TrustedProxies, admitsStrangers: Bool) {
        self.trusted = trusted
        self.admitsStrangers = admitsStrangers
    }
}
