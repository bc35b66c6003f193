package import GatewayCore

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
        // By range, since one network has many spellings; nil: `unix`.
        var described: Set<AddressRange?> = []
        for element in elements {
            guard let (text, fields) = element.trustedProxy() else { continue }
            if fields != nil, !described.insert(try? AddressRange(parsing: text)).inserted {
                context.fail(element.location, "\(name) tells twice what \(Quoted(text)) sets", "keep one of them")
            }
            result.add(text, setting: fields)
        }
        return result
    }

    /// A network, or a mapping that also tells what its proxies set.
    private func trustedProxy() -> (network: String, fields: Configuration.ProxyFields?)? {
        guard case .mapping = content else { return network().map { ($0, nil) } }
        guard let mapping = mapping(.trustedProxy),
            let network = mapping.required("network", "name the proxies' network")?.network(),
            let fields = mapping.required("sets", "name the fields, or write the network alone")?.proxyFields()
        else { return nil }
        return (network, fields)
    }

    private func network() -> String? {
        guard let text = string(atMost: 64) else { return nil }
        return text == "unix" || isNetwork(text) ? text : nil
    }

    private func proxyFields() -> Configuration.ProxyFields? {
        let names = oneOrList { element -> String? in
            guard let text = element.string(atMost: 128) else { return nil }
            guard FieldName.isValid(text), FieldName.mayDescribeClient(text) else {
                return element.fail(
                    "\(element.name) is \(element.shown), no field that proxies set",
                    "write a name as in X-Forwarded-For")
            }
            return text
        }
        guard let names else { return nil }
        var fields = Configuration.ProxyFields()
        for name in names {
            let address: Configuration.ProxyFields.Address
            switch name.lowercased() {
            case "x-forwarded-proto":
                fields.setsScheme = true
                continue
            case "x-forwarded-for": address = .forwardedFor
            case "forwarded": address = .forwarded
            default: address = .single(name)
            }
            guard fields.address == nil else {
                return fail(
                    "\(self.name) has two fields that name the client", "keep the one that the proxy always sets")
            }
            fields.address = address
        }
        guard fields.address != nil else {
            return fail("\(self.name) has no field that names the client", "add the one that the proxy always sets")
        }
        return fields
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

extension Configuration.TrustedNetworks {
    fileprivate mutating func add(_ text: String, setting fields: Configuration.ProxyFields?) {
        guard text != "unix" else {
            includesUnix = true
            fieldsOfUnix = fields ?? fieldsOfUnix
            return
        }
        networks.append(text)
        if let fields { self.fields.append(Configuration.NetworkFields(network: text, fields: fields)) }
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
    package convenience init(_ networks: Configuration.TrustedNetworks) {
        self.init(
            networks.networks.compactMap { try? AddressRange(parsing: $0) }, includesUnix: networks.includesUnix,
            fields: networks.fields.compactMap { entry in
                (try? AddressRange(parsing: entry.network)).map { ($0, ProxyFields(entry.fields)) }
            },
            fieldsOfUnix: networks.fieldsOfUnix.map { ProxyFields($0) })
    }
}
