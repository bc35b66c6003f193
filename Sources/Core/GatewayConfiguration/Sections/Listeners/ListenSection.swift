package import GatewayCore

extension Configuration {
    /// A public listener (`listen[]`).
    package struct Listener: Sendable, Hashable {
        /// The address (`address`).
        package var address: ListenAddress
        /// The TLS settings (`tls`). Default: `nil`, plaintext.
        package var tls: ListenerTLS?
        /// Whether each connection must begin with a PROXY header, version 1 or 2, which is trusted
        /// (`proxy_protocol`). Default: false.
        package var proxyProtocol = false
        /// The protocols of requests (`protocols`). Default: HTTP/1.1, and with TLS also HTTP/2.
        package var protocols: Set<ListenerProtocol> = [.http1]

        /// Creates a listener.
        package init(address: ListenAddress) {
            self.address = address
        }

        /// `https://ADDRESS` with TLS, otherwise only the address.
        package var description: String { tls == nil ? "\(address)" : "https://\(address)" }
    }

    /// A protocol of a listener's requests.
    package enum ListenerProtocol: String, Sendable, Hashable, CaseIterable {
        case http1 = "http/1.1"
        /// HTTP/2 over TLS, selected by ALPN.
        case http2 = "h2"
        /// HTTP/2 in cleartext, by prior knowledge.
        case http2Cleartext = "h2c"
    }

    /// The TLS settings of a listener (`listen[].tls`).
    package struct ListenerTLS: Sendable, Hashable {
        /// A certificate with its key.
        package struct Identity: Sendable, Hashable {
            /// The PEM file of the certificate and its intermediates (`certificate`).
            package var certificate: String
            /// The PEM file of the key (`private_key`).
            package var privateKey: String
            /// The location in the file.
            package var location: SourceLocation

            /// Creates an identity from its files.
            package init(certificate: String, privateKey: String, location: SourceLocation) {
                self.certificate = certificate
                self.privateKey = privateKey
                self.location = location
            }
        }

        /// The policy for client certificates.
        package enum ClientCertificates: String, Sendable, Hashable, CaseIterable {
            /// Connections without a certificate are rejected.
            case required
            /// Connections without a certificate are accepted. An invalid certificate fails the handshake.
            case optional
        }

        /// The minimum version of TLS.
        package enum MinimumVersion: String, Sendable, Hashable, CaseIterable {
            case version12 = "1.2"
            case version13 = "1.3"
        }

        /// The certificates, 1 to 65, selected by their names. The first is the default (`certificate` and
        /// `private_key`, then `certificates`).
        package var identities: [Identity]
        /// The PEM file of the trusted authorities of clients (`client_ca`). Default: `nil`, no client certificates.
        package var clientCA: String?
        /// The policy for client certificates if there is such a file (`client_certificates`). Default: required.
        package var clientCertificates = ClientCertificates.required
        /// The minimum version of TLS (`minimum_version`). Default: 1.2.
        package var minimumVersion = MinimumVersion.version12
        /// The location in the file.
        package var location: SourceLocation

        /// Creates TLS settings with these certificates.
        package init(identities: [Identity], location: SourceLocation) {
            self.identities = identities
            self.location = location
        }
    }
}

/// A listener with the location of its address.
struct LocatedListener {
    let listener: Configuration.Listener
    let location: SourceLocation
}

extension MappingReader {
    private static let maximumListeners = 64

    /// Returns the public listeners. Empty if none are configured.
    func listeners() -> [LocatedListener] {
        guard let value = value("listen"),
            let elements = value.sequence().flatMap({ value.bounded($0, Self.maximumListeners) })
        else { return [] }
        var taken: [ListenAddress] = []
        return elements.compactMap { element in
            guard let listener = element.listener() else { return nil }
            if taken.contains(where: { $0.overlaps(listener.listener.address) }) {
                context.fail(listener.location, "the address of another listener", "remove one of them")
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
    /// Returns whether the addresses cannot both be bound.
    func overlaps(_ other: ListenAddress) -> Bool {
        if path != nil || other.path != nil { return path == other.path }
        return port == other.port && port != 0 && (host == other.host || isWildcard || other.isWildcard)
    }
}

extension MappingReader {
    /// Reads the settings of a listener other than its address.
    func readEdge(into listener: inout Configuration.Listener) {
        set(&listener.proxyProtocol, "proxy_protocol") { $0.boolean() }
        readProtocols(into: &listener)
    }

    /// Reads the TLS settings, and the protocols that they permit.
    func readProtocols(into listener: inout Configuration.Listener) {
        set(&listener.tls, "tls") { $0.listenerTLS() }
        if listener.tls != nil { listener.protocols = [.http1, .http2] }
        let other = listener.tls == nil ? Configuration.ListenerProtocol.http2 : .http2Cleartext
        set(&listener.protocols, "protocols") { value in
            guard let protocols = value.list({ $0.choice(Configuration.ListenerProtocol.self) }) else { return nil }
            return value.checked(protocols, not: other)
        }
    }
}

extension ConfigurationValue {
    /// Returns the protocols of a listener, which include HTTP/1.1, and not the variant of HTTP/2 that it cannot serve.
    fileprivate func checked(
        _ protocols: [Configuration.ListenerProtocol], not other: Configuration.ListenerProtocol
    ) -> Set<Configuration.ListenerProtocol>? {
        guard protocols.contains(.http1) else { return fail("\(name) has no http/1.1", "add http/1.1") }
        guard !protocols.contains(other) else {
            return other == .http2
                ? fail("\(name) has h2 without tls", "write h2c, or add tls")
                : fail("\(name) has h2c with tls", "write h2")
        }
        return Set(protocols)
    }

    /// The maximum number of certificates after the first.
    private static let maximumCertificates = 64

    func listenerTLS() -> Configuration.ListenerTLS? {
        guard let mapping = mapping(.listenerTLS), let first = mapping.tlsIdentity(at: location) else { return nil }
        var tls = Configuration.ListenerTLS(identities: [first], location: location)
        if let value = mapping.value("certificates") { tls.identities += value.furtherCertificates() }
        mapping.set(&tls.clientCA, "client_ca") { $0.path() }
        mapping.set(&tls.clientCertificates, "client_certificates") { $0.choice() }
        mapping.set(&tls.minimumVersion, "minimum_version") { $0.choice() }
        if tls.clientCA == nil, mapping.value("client_certificates") != nil {
            mapping.fail(
                "client_certificates", "\(name).client_certificates without client_ca",
                "add client_ca with the trusted authorities, or remove it")
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
        let certificate = required("certificate", "add the path of the certificate file (PEM)")?.path()
        let key = required("private_key", "add the path of the private key file (PEM)")?.path()
        guard let certificate, let key else { return nil }
        return .init(certificate: certificate, privateKey: key, location: location)
    }
}

extension Configuration {
    /// Warns about a listener that trusts the PROXY headers of all its clients.
    func warnOfBelief(in listener: LocatedListener, _ context: LoadingContext) {
        guard listener.listener.proxyProtocol, !listener.listener.address.isLoopback, trustedProxies.isEmpty
        else { return }
        context.warn(
            listener.location, "proxy_protocol trusts every peer that can connect to \(listener.listener.address)",
            "list the load balancers in trusted_proxies, so that only they can connect")
    }
}
