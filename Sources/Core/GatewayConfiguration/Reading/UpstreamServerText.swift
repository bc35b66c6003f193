import GatewayCore

extension Configuration.UpstreamServer {
    /// The longest path of a socket of this machine, in bytes: what `sockaddr_un` holds on every system.
    static let maximumPath = 103

    /// Reads `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`.
    init(parsing text: String) throws(HTTPURL.Failure) {
        if text.hasPrefix("unix:") {
            self.init(path: try Self.path(String(text.dropFirst("unix:".count))))
            return
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
                what: "a socket's path of more than \(maximumPath) bytes", remedy: "choose a shorter one")
        }
        return path
    }
}

extension ConfigurationValue {
    /// The URL of an upstream's server, or a mapping of it with the server's weight.
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
