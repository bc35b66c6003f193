import GatewayCore

extension Configuration.Upstream {
    private static let maximumServers = 256

    static func read(_ entry: MappingEntry) -> Configuration.Upstream? {
        let isName =
            (1...64).contains(entry.key.utf8.count)
            && entry.key.utf8.allSatisfy { ClaimPathParser.continuesName($0) || "-.".utf8.contains($0) }
        if !isName {
            entry.value.context.fail(
                entry.keyLocation, "\(Quoted(entry.key)) is not a name for an upstream",
                "use up to 64 letters, digits, '-', '_' and '.'")
        }
        guard let mapping = entry.value.mapping(.upstream) else { return nil }
        let servers = mapping.required("servers", "add servers: [http://HOST:PORT]").flatMap(servers)
        var upstream = Self(name: entry.key, servers: servers ?? [])
        mapping.set(&upstream.connectTimeout, "connect_timeout") { $0.duration(in: .milliseconds(1) ... .minutes(5)) }
        mapping.set(&upstream.responseTimeout, "response_timeout") { $0.duration(in: Configuration.Limits.times) }
        mapping.set(&upstream.connections, "connections") { $0.integer(in: 1...65_536) }
        mapping.set(&upstream.pending, "pending") { $0.integer(in: 1...65_536) }
        mapping.set(&upstream.resolveEvery, "resolve_every") { $0.duration(in: .seconds(1) ... .hours(24)) }
        mapping.set(&upstream.slowStart, "slow_start") { $0.duration(in: .zero ... .hours(1)) }
        if upstream.servers.contains(where: \.isSecure) { upstream.tls.location = mapping.location(of: "servers") }
        upstream.readBalance(mapping)
        upstream.readTLS(mapping)
        upstream.readUpkeep(mapping)
        return isName && servers != nil ? upstream : nil
    }

    private static func servers(_ value: ConfigurationValue) -> [Configuration.UpstreamServer]? {
        guard let servers = value.list({ $0.upstreamServer() }) else { return nil }
        guard servers.count <= maximumServers else {
            return value.fail("\(value.name) has more than \(maximumServers) servers", "remove some")
        }
        guard Set(servers.map(\.description)).count == servers.count else {
            return value.fail("\(value.name) has a server twice", "keep one of them, with the weight of both")
        }
        return servers
    }
}
