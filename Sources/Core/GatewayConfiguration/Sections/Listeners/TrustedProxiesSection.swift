package import GatewayCore

extension Configuration {
    /// The fields by which a trusted proxy reports the client (`trusted_proxies[].sets`). All other fields may be
    /// from the client and are ignored.
    package struct ProxyFields: Sendable, Hashable {
        /// The field with the client's address.
        package enum Address: Sendable, Hashable {
            /// `X-Forwarded-For`.
            case forwardedFor
            /// `Forwarded` (RFC 7239), which also contains the scheme.
            case forwarded
            /// A field with this name and one address.
            case single(String)
        }

        /// `nil` if the proxy itself is the client.
        package var address: Address?
        /// Whether `X-Forwarded-Proto` is trusted.
        package var setsScheme = false

        /// Creates an empty set.
        package init() {}
    }

    /// The fields that the proxies of one network set.
    package struct NetworkFields: Sendable, Hashable {
        /// The network as written.
        package var network: String
        /// The value of `sets`.
        package var fields: ProxyFields

        /// Creates an entry.
        package init(network: String, fields: ProxyFields) {
            self.network = network
            self.fields = fields
        }
    }

    /// The proxies that may report the client's address (`trusted_proxies`).
    package struct TrustedNetworks: Sendable, Hashable {
        /// Networks and addresses in the order of the file.
        package var networks: [String] = []
        /// Whether the peers of `unix:` listeners are trusted.
        package var includesUnix = false
        /// The fields that the proxies of a network set (`sets`), in the order of the file, with unique networks.
        package var fields: [NetworkFields] = []
        /// The fields that the peers of `unix:` listeners set.
        package var fieldsOfUnix: ProxyFields?

        /// Creates an empty set.
        package init() {}

        /// Whether no proxy is trusted.
        package var isEmpty: Bool { networks.isEmpty && !includesUnix }
    }
}

extension ConfigurationValue {
    private static let maximumProxies = 1_024

    /// Returns networks, addresses, and `unix`. An empty list trusts no proxy.
    func trustedNetworks() -> Configuration.TrustedNetworks? {
        guard let elements = sequence().flatMap({ bounded($0, Self.maximumProxies) }) else { return nil }
        var result = Configuration.TrustedNetworks()
        // Ranges, since a network has many spellings. `nil` is `unix`.
        var described: Set<AddressRange?> = []
        for element in elements {
            guard let (text, fields) = element.trustedProxy() else { continue }
            if fields != nil, !described.insert(try? AddressRange(parsing: text)).inserted {
                context.fail(
                    element.location, "\(name) lists the fields of \(Quoted(text)) twice", "remove one of them")
            }
            result.add(text, setting: fields)
        }
        return result
    }

    /// Returns a network, or a mapping that also lists the fields of its proxies.
    private func trustedProxy() -> (network: String, fields: Configuration.ProxyFields?)? {
        guard case .mapping = content else { return network().map { ($0, nil) } }
        guard let mapping = mapping(.trustedProxy),
            let network = mapping.required("network", "add the network of the proxies")?.network(),
            let fields = mapping.required("sets", "list the fields, or write the network alone")?.proxyFields()
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
                    "\(element.name) is \(element.shown), not a field that proxies set",
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
                    "\(self.name) has two fields with the client address", "keep the one that the proxy always sets")
            }
            fields.address = address
        }
        guard fields.address != nil else {
            return fail("\(self.name) has no field with the client address", "add the one that the proxy always sets")
        }
        return fields
    }

    private func isNetwork(_ text: String) -> Bool {
        do throws(AddressRange.Failure) {
            let range = try AddressRange(parsing: text)
            if range.length == 0 {
                warn(
                    "\(name) trusts every address, so any client can claim any address",
                    "list the networks of the proxies")
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
        case .hostBits(let network): ("an address with host bits", "write \(network)")
        case .badLength: ("with an invalid prefix length", "write 10.0.0.0/8")
        case .notAnAddress: ("neither a network nor an address", "write 10.0.0.0/8, 2001:db8::/32 or unix")
        }
    }
}

extension TrustedProxies {
    /// Creates the set of a validated configuration.
    package convenience init(_ networks: Configuration.TrustedNetworks) {
        self.init(
            networks.networks.compactMap { try? AddressRange(parsing: $0) }, includesUnix: networks.includesUnix,
            fields: networks.fields.compactMap { entry in
                (try? AddressRange(parsing: entry.network)).map { ($0, ProxyFields(entry.fields)) }
            },
            fieldsOfUnix: networks.fieldsOfUnix.map { ProxyFields($0) })
    }
}

extension ProxyFields {
    init(_ fields: Configuration.ProxyFields) {
        var single: [UInt8]?
        if case .single(let name) = fields.address { single = Array(name.utf8) }
        self.init(
            addresses: fields.address == .forwardedFor, elements: fields.address == .forwarded,
            scheme: fields.setsScheme, single: single)
    }
}
