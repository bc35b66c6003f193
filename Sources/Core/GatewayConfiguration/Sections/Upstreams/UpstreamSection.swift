import HTTPWire
package import GatewayCore

extension Configuration {
    /// A service behind the gateway (`upstreams`).
    package struct Upstream: Sendable, Hashable {
        /// The name: letters, digits, `-`, `_`, `.`, at most 64.
        package var name: String
        /// The servers (`servers`), 1 to 256, without duplicates.
        package var servers: [UpstreamServer]
        /// The TLS settings of `https://` servers (`tls`). Default: the system's authorities, without a client
        /// certificate.
        package var tls = UpstreamTLSFiles()
        /// The load balancing policy (`balance`). Default: `round_robin`.
        package var balance = Balance.roundRobin
        /// The hash key (`hash_on`), only with `balance: hash`.
        package var hashOn: HashKey?
        /// The timeout of opening a connection, including TLS, and of waiting for one (`connect_timeout`), 1 ms to 5
        /// min. Default: 2 s.
        package var connectTimeout = Duration.seconds(2)
        /// The timeout from the last byte of the request to the first byte of the response (`response_timeout`), 1 ms
        /// to 1 d. Default: 60 s.
        package var responseTimeout = Duration.seconds(60)
        /// The maximum number of open connections per worker to all servers (`connections`), 1 to 65,536. Default: 256.
        package var connections = 256
        /// The maximum number of requests per worker that wait for a connection (`pending`), 1 to 65,536. Default:
        /// 1024.
        package var pending = 1024
        /// The interval of name resolution (`resolve_every`), 1 s to 1 d. Default: 30 s.
        package var resolveEvery = Duration.seconds(30)
        /// Active health checks (`health`). Default: `nil`, disabled.
        package var health: HealthCheck?
        /// The ejection of failing servers (`ejection`). `nil` if disabled.
        package var ejection: Ejection? = Ejection()
        /// The time in which the share of a returning server grows to its weight (`slow_start`), 0 to 1 h. Default:
        /// 0, at once.
        package var slowStart = Duration.zero
        /// Retries (`retry`). `nil` if disabled.
        package var retry: Retry? = Retry()
        /// The protocol to the servers (`protocol`). Default: `http/1.1`.
        package var `protocol` = UpstreamProtocol.http1
        /// The settings of HTTP/2 (`http2`), only with `protocol: h2` or `h2c`.
        package var http2 = HTTP2()

        /// Creates an upstream with default settings.
        package init(name: String, servers: [UpstreamServer]) {
            self.name = name
            self.servers = servers
        }
    }

    /// A server of an upstream: `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
    package struct UpstreamServer: Sendable, Hashable, CustomStringConvertible {
        /// An IPv4 or IPv6 address without brackets, or a name. Empty for a Unix domain socket.
        package var host: String
        /// 1 to 65535; 0 for a Unix domain socket.
        package var port: Int
        /// Whether connections use TLS.
        package var isSecure = false
        /// The path of a Unix domain socket. `nil` for TCP.
        package var path: String?
        /// The relative share of requests (`weight`), 1 to 256. Default: 1.
        package var weight = 1

        /// Creates a server from valid parts.
        package init(host: String, port: Int, isSecure: Bool = false, weight: Int = 1) {
            self.host = host
            self.port = port
            self.isSecure = isSecure
            self.weight = weight
        }

        /// Creates a server at a Unix domain socket.
        package init(path: String, weight: Int = 1) {
            host = ""
            port = 0
            self.path = path
            self.weight = weight
        }

        /// `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
        package var description: String {
            if let path { return "unix:\(path)" }
            return "\(isSecure ? "https" : "http")://\(ListenAddress(host: host, port: port))"
        }
    }
}

extension Configuration.Upstream {
    /// The load balancing policies (`balance`).
    package enum Balance: String, Sendable, Hashable, CaseIterable {
        /// In turn, in proportion to the weights.
        case roundRobin = "round_robin"
        /// The server with the fewest active requests in relation to its weight.
        case leastRequests = "least_requests"
        /// By a value of the request: equal values select the same server while it is available.
        case hash
    }

    /// The value that selects a server (`hash_on`).
    package enum HashKey: Sendable, Hashable {
        case uid
        /// The client's address.
        case address
        /// A field of the request, by its name.
        case header(String)
    }

    /// The PEM files of TLS to the servers (`tls`), read when the snapshot is built.
    package struct UpstreamTLSFiles: Sendable, Hashable {
        /// The trusted authorities in place of the system's (`ca`).
        package var ca: String?
        /// The server name for SNI and for verification (`server_name`). Default: `nil`, the URL's host.
        package var serverName: String?
        /// The client's certificate chain (`certificate`). Default: `nil`, none.
        package var certificate: String?
        /// The client's private key (`private_key`), required with the certificate.
        package var privateKey: String?
        /// The location of the section, or of the servers.
        package var location = SourceLocation(origin: "upstreams")

        /// Creates settings with the system's authorities and without a client certificate.
        package init() {}
    }

    static func read(_ entry: MappingEntry) -> Configuration.Upstream? {
        let isName =
            (1...64).contains(entry.key.utf8.count)
            && entry.key.utf8.allSatisfy { ClaimPathParser.continuesName($0) || "-.".utf8.contains($0) }
        if !isName {
            entry.fail(
                "\(Quoted(entry.key)) is not a valid upstream name", "use up to 64 letters, digits, '-', '_' and '.'")
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
        upstream.readProtocol(mapping)
        upstream.readUpkeep(mapping)
        return isName && servers != nil ? upstream : nil
    }

    private static func servers(_ value: ConfigurationValue) -> [Configuration.UpstreamServer]? {
        guard let servers = value.list(atMost: 256, of: "servers", { $0.upstreamServer() }) else { return nil }
        guard Set(servers.map(\.description)).count == servers.count else {
            return value.fail(
                "\(value.name) has a duplicate server",
                "remove one of them, and give the other the sum of their weights")
        }
        return servers
    }

    mutating func readBalance(_ mapping: MappingReader) {
        mapping.set(&balance, "balance") { $0.choice() }
        mapping.set(&hashOn, "hash_on") { Self.hashKey($0) }
        if balance == .hash, mapping.value("hash_on") == nil {
            mapping.fail("balance", "balance: hash without hash_on", "add hash_on: uid, address or header:NAME")
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
        section.set(&tls.ca, "ca") { $0.path() }
        section.set(&tls.serverName, "server_name") { Self.serverName($0) }
        section.set(&tls.certificate, "certificate") { $0.path() }
        section.set(&tls.privateKey, "private_key") { $0.path() }
        for (key, other) in [("certificate", "private_key"), ("private_key", "certificate")]
        where section.value(key) != nil && section.value(other) == nil {
            section.fail(key, "\(value.name).\(key) without \(other)", "add \(other): FILE")
        }
    }

    private static func serverName(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 253)?.lowercased() else { return nil }
        guard HostName.isValid(text), IPAddress(text) == nil else {
            return value.fail("\(value.name) is \(value.shown), not a name", "write a host name without a port")
        }
        return text
    }
}

extension MappingReader {
    fileprivate func requireSecureServer(_ servers: [Configuration.UpstreamServer], _ value: ConfigurationValue) {
        guard !servers.isEmpty, !servers.contains(where: \.isSecure) else { return }
        fail("tls", "\(value.name) without an https:// server", "write https://, or remove it")
    }
}

extension Configuration.UpstreamServer {
    /// The maximum size of the path of a Unix domain socket, in bytes, that fits into `sockaddr_un` on all systems.
    static let maximumPath = 103

    /// Parses `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
    init(parsing text: String) throws(HTTPURL.Failure) {
        if text.hasPrefix("unix:") {
            self.init(path: try Self.path(String(text.dropFirst("unix:".count))))
            return
        }
        let hasScheme = text.contains("://")
        guard ["http://", "https://"].contains(where: text.lowercased().hasPrefix) else {
            throw HTTPURL.Failure(
                what: hasScheme ? "a URL whose scheme is neither http nor https" : "not an absolute URL",
                remedy: "write http://HOST:PORT, https://HOST:PORT or unix:/PATH")
        }
        let url = try HTTPURL(parsing: text)
        guard url.target.isEmpty || url.target == "/" else {
            throw HTTPURL.Failure(what: "a URL with a path or query", remedy: "write http://HOST:PORT alone")
        }
        self.init(host: url.host, port: url.port, isSecure: url.isSecure)
    }

    private static func path(_ path: String) throws(HTTPURL.Failure) -> String {
        guard path.hasPrefix("/"), path.utf8.count > 1 else {
            throw HTTPURL.Failure(what: "unix: without an absolute path", remedy: "write unix:/PATH")
        }
        guard path.utf8.count <= maximumPath else {
            throw HTTPURL.Failure(
                what: "a socket path of more than \(maximumPath) bytes", remedy: "choose a shorter one")
        }
        return path
    }
}

extension ConfigurationValue {
    /// Returns a server from its URL, or from a mapping with its URL and weight.
    func upstreamServer() -> Configuration.UpstreamServer? {
        guard case .mapping = content else { return upstreamServerURL() }
        guard let section = mapping(.upstreamServer), let url = section.required("url", "add url: http://HOST:PORT")
        else { return nil }
        var server = url.upstreamServerURL()
        var weight = 1
        section.set(&weight, "weight") { $0.integer(in: 1...256) }
        server?.weight = weight
        return server
    }

    private func upstreamServerURL() -> Configuration.UpstreamServer? {
        guard let text = string(atMost: 512) else { return nil }
        do {
            return try Configuration.UpstreamServer(parsing: text)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }
}
