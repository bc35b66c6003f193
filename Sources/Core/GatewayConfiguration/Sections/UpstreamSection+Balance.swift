import GatewayCore

extension Configuration.Upstream {
    mutating func readBalance(_ mapping: MappingReader) {
        mapping.set(&balance, "balance") { $0.choice() }
        mapping.set(&hashOn, "hash_on") { Self.hashKey($0) }
        if balance == .hash, mapping.value("hash_on") == nil {
            mapping.context.fail(
                mapping.location(of: "balance"), "balance: hash without hash_on",
                "add hash_on: uid, address or header:NAME")
        }
        if balance != .hash, let value = mapping.value("hash_on") {
            let _: Bool? = value.fail("\(value.name) without balance: hash", "add balance: hash, or remove it")
        }
    }

    private static func hashKey(_ value: ConfigurationValue) -> HashKey? {
        guard let text = value.string(atMost: 128) else { return nil }
        switch text {
        case "uid": return .uid
        case "address": return .address
        case _ where text.hasPrefix("header:") && FieldName.isValid(String(text.dropFirst("header:".count))):
            return .header(text.dropFirst("header:".count).lowercased())
        default: return value.fail("\(value.name) cannot be \(value.shown)", "write uid, address or header:NAME")
        }
    }

    mutating func readTLS(_ mapping: MappingReader) {
        guard let value = mapping.value("tls"), let section = value.mapping(.upstreamTLS) else { return }
        tls.location = mapping.location(of: "tls")
        mapping.requireSecureServer(servers, value)
        section.set(&tls.ca, "ca") { $0.string() }
        section.set(&tls.serverName, "server_name") { Self.serverName($0) }
        section.set(&tls.certificate, "certificate") { $0.string() }
        section.set(&tls.privateKey, "private_key") { $0.string() }
        for (key, other) in [("certificate", "private_key"), ("private_key", "certificate")]
        where section.value(key) != nil && section.value(other) == nil {
            mapping.context.fail(
                section.location(of: key), "\(value.name).\(key) without \(other)", "add \(other): FILE")
        }
    }

    private static func serverName(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 253)?.lowercased() else { return nil }
        guard HostName.isValid(text), IPLiteral.v4(text) == nil, IPLiteral.v6(text) == nil else {
            return value.fail("\(value.name) is \(value.shown), not a name", "write a host's name without a port")
        }
        return text
    }
}

extension MappingReader {
    fileprivate func requireSecureServer(_ servers: [Configuration.UpstreamServer], _ value: ConfigurationValue) {
        guard !servers.isEmpty, !servers.contains(where: \.isSecure) else { return }
        context.fail(location(of: "tls"), "\(value.name) without an https:// server", "write https://, or remove it")
    }
}
