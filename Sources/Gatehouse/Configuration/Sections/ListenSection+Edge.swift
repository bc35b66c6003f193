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
        mapping.refuseEmpty("client_ca", "name a file, or remove it")
        mapping.set(&tls.clientCA, "client_ca") { $0.string() }
        mapping.set(&tls.clientCertificates, "client_certificates") { $0.choice() }
        mapping.set(&tls.minimumVersion, "minimum_version") { $0.choice() }
        if tls.clientCA == nil, mapping.value("client_certificates") != nil {
            context.fail(
                mapping.location(of: "client_certificates"), "\(name).client_certificates without client_ca",
                "name the authorities whose certificates count, or remove it")
        }
        return tls
    }

    private func furtherCertificates() -> [Configuration.ListenerTLS.Identity] {
        guard let elements = sequence() else { return [] }
        guard elements.count <= Self.maximumCertificates else {
            context.fail(location, "\(name) has more than \(Self.maximumCertificates) entries", "remove some")
            return []
        }
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

extension ConfigurationValue {
    private static let maximumProxies = 1_024

    /// Networks, addresses, and `unix`; none is nobody.
    func trustedNetworks() -> Configuration.TrustedNetworks? {
        guard let elements = sequence() else { return nil }
        guard elements.count <= Self.maximumProxies else {
            return fail("\(name) has more than \(Self.maximumProxies) entries", "remove some")
        }
        var result = Configuration.TrustedNetworks()
        for element in elements {
            guard let text = element.string(atMost: 64) else { continue }
            if text == "unix" {
                result.includesUnix = true
            } else if element.isNetwork(text) {
                result.networks.append(text)
            }
        }
        return result
    }

    private func isNetwork(_ text: String) -> Bool {
        do throws(AddressRange.Failure) {
            let range = try AddressRange(parsing: text)
            if range.length == 0 {
                context.warn(
                    location, "\(name) trusts every address: any client may say who it is",
                    "name the proxies' own networks")
            }
            return true
        } catch {
            let (what, remedy) = error.explanation
            context.fail(location, "\(name) is \(shown), \(what)", remedy)
        }
        return false
    }
}

extension AddressRange.Failure {
    fileprivate var explanation: (what: String, remedy: String) {
        switch self {
        case .hostBits(let network): ("an address within a network", "write \(network)")
        case .badLength: ("with a prefix that is none", "write 10.0.0.0/8")
        case .notAnAddress: ("no network and no address", "write 10.0.0.0/8, 2001:db8::/32 or unix")
        }
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

extension TrustedProxies {
    /// The set that a checked configuration describes.
    convenience init(_ networks: Configuration.TrustedNetworks) {
        self.init(
            networks.networks.compactMap { try? AddressRange(parsing: $0) }, includesUnix: networks.includesUnix)
    }
}
