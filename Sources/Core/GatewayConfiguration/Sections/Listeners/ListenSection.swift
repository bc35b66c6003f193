package import GatewayCore

extension Configuration {
    /// One public listener (`listen[]`).
    package struct Listener: Sendable, Hashable {
        /// Where it listens (`address`).
        package var address: ListenAddress
        /// How it speaks TLS (`tls`). Default: nil, it does not.
        package var tls: ListenerTLS?
        /// Whether each connection has to begin with a PROXY header, version 1 or 2, which is believed (`proxy_protocol`).
        /// Default: false.
        package var proxyProtocol = false

        /// A listener at an address.
        package init(address: ListenAddress) {
            self.address = address
        }

        /// `https://ADDRESS` with TLS, else the address alone.
        package var description: String { tls == nil ? "\(address)" : "https://\(address)" }
    }

    /// How a listener speaks TLS (`listen[].tls`).
    package struct ListenerTLS: Sendable, Hashable {
        /// A certificate with its key.
        package struct Identity: Sendable, Hashable {
            /// The file of the certificate and of those between it and its authority, in PEM (`certificate`).
            package var certificate: String
            /// The file of the key, in PEM (`private_key`).
            package var privateKey: String
            /// Where it stands.
            package var location: SourceLocation

            /// A certificate with its key, as files.
            package init(certificate: String, privateKey: String, location: SourceLocation) {
                self.certificate = certificate
                self.privateKey = privateKey
                self.location = location
            }
        }

        /// Whether clients have to show a certificate.
        package enum ClientCertificates: String, Sendable, Hashable, CaseIterable {
            /// Who shows none is not served.
            case required
            /// Who shows none is served; one that does not verify ends the handshake nevertheless.
            case optional
        }

        /// The oldest version that is spoken.
        package enum MinimumVersion: String, Sendable, Hashable, CaseIterable {
            case version12 = "1.2"
            case version13 = "1.3"
        }

        /// The certificates, 1 to 65, each chosen by the names it has; the first where a client names no other (`certificate` and
        /// `private_key`, then `certificates`).
        package var identities: [Identity]
        /// The file of the authorities whose clients' certificates count, in PEM (`client_ca`). Default: nil, clients are not asked for one.
        package var clientCA: String?
        /// What is asked of clients where there is such a file (`client_certificates`). Default: required.
        package var clientCertificates = ClientCertificates.required
        /// The oldest version (`minimum_version`). Default: 1.2.
        package var minimumVersion = MinimumVersion.version12
        /// Where it stands.
        package var location: SourceLocation

        /// TLS with these certificates.
        package init(identities: [Identity], location: SourceLocation) {
            self.identities = identities
            self.location = location
        }
    }
}

/// A listener and where its address stands.
struct LocatedListener {
    let listener: Configuration.Listener
    let location: SourceLocation
}

extension MappingReader {
    private static let maximumListeners = 64

    /// The public listeners; empty where none are configured.
    func listeners() -> [LocatedListener] {
        guard let value = value("listen"),
            let elements = value.sequence().flatMap({ value.bounded($0, Self.maximumListeners) })
        else { return [] }
        var taken: [ListenAddress] = []
        return elements.compactMap { element in
            guard let listener = element.listener() else { return nil }
            if taken.contains(where: { $0.overlaps(listener.listener.address) }) {
                context.fail(listener.location, "an address that another listener has", "remove one of them")
            }
            taken.append(listener.listener.address)
            return listener
        }
    }
}

extension ConfigurationValue {
    fileprivate func listener() -> LocatedListener? {
        guard let mapping = mapping(.listener),
            let value = mapping.required("address", "add address: HOST:PORT"),
            let address = value.listenAddress()
        else { return nil }
        var listener = Configuration.Listener(address: address)
        mapping.readEdge(into: &listener)
        return LocatedListener(listener: listener, location: value.location)
    }
}

extension ListenAddress {
    /// Whether both cannot be listened on at once.
    func overlaps(_ other: ListenAddress) -> Bool {
        if path != nil || other.path != nil { return path == other.path }
        return port == other.port && port != 0 && (host == other.host || isWildcard || other.isWildcard)
    }
}

extension MappingReader {
    /// What a listener serves with, besides its address.
    func readEdge(into listener: inout Configuration.Listener) {
        set(&listener.tls, "tls") { $0.listenerTLS() }
        set(&listener.proxyProtocol, "proxy_protocol") { $0.boolean() }
    }
}

extension ConfigurationValue {
    /// The most certificates besides the first.
    private static let maximumCertificates = 64

    fileprivate func listenerTLS() -> Configuration.ListenerTLS? {
        guard let mapping = mapping(.listenerTLS), let first = mapping.tlsIdentity(at: location) else { return nil }
        var tls = Configuration.ListenerTLS(identities: [first], location: location)
        if let value = mapping.value("certificates") { tls.identities += value.furtherCertificates() }
        mapping.set(&tls.clientCA, "client_ca") { $0.string() }
        mapping.set(&tls.clientCertificates, "client_certificates") { $0.choice() }
        mapping.set(&tls.minimumVersion, "minimum_version") { $0.choice() }
        if tls.clientCA == nil, mapping.value("client_certificates") != nil {
            mapping.fail(
                "client_certificates", "\(name).client_certificates without client_ca",
                "name the authorities whose certificates count, or remove it")
        }
        return tls
    }

    private func furtherCertificates() -> [Configuration.ListenerTLS.Identity] {
        guard let elements = sequence().flatMap({ bounded($0, Self.maximumCertificates) }) else { return [] }
        return elements.compactMap { element in
            element.mapping(.listenerCertificate)?.tlsIdentity(at: element.location)
        }
    }
}

extension MappingReader {
    fileprivate func tlsIdentity(at location: SourceLocation) -> Configuration.ListenerTLS.Identity? {
        let certificate = required("certificate", "name the file of the certificate, in PEM")?.string()
        let key = required("private_key", "name the file of the certificate's key, in PEM")?.string()
        guard let certificate, let key else { return nil }
        return .init(certificate: certificate, privateKey: key, location: location)
    }
}

extension Configuration {
    /// Warns of a listener that believes PROXY headers of whoever reaches it.
    func warnOfBelief(in listener: LocatedListener, _ context: LoadingContext) {
        guard listener.listener.proxyProtocol, !listener.listener.address.isLoopback, trustedProxies.isEmpty
        else { return }
        context.warn(
            listener.location, "proxy_protocol believes everybody who can connect to \(listener.listener.address)",
            "list the load balancers in trusted_proxies: then only they may connect there")
    }
}
