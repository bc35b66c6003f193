import HTTPWire

/// The address of a listener: `HOST:PORT`, with an IPv6 host in brackets, or `unix:/PATH`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 or IPv6 address without brackets, or a name.
    package var host: String
    /// 0 to 65535. 0 binds any free port.
    package var port: Int
    /// The path of the socket of a `unix:` address. `nil` for TCP.
    package let path: String?

    /// The maximum size of the path, in bytes, that fits into `sockaddr_un` on all systems.
    package static let longestPath = 103

    /// Creates an address from valid parts.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
        path = nil
    }

    /// Creates the address of a Unix domain socket.
    package init(path: String) {
        host = ""
        port = 0
        self.path = path
    }

    /// Whether only this machine can connect: `localhost`, 127.0.0.0/8, `::1`, or a Unix domain socket.
    package var isLoopback: Bool { path != nil || IPAddress.isLoopback(host: host) }

    /// Whether it binds all addresses of the machine: `0.0.0.0` or `::`.
    package var isWildcard: Bool { IPAddress(host)?.isUnspecified == true }

    /// `HOST:PORT` or `unix:/PATH`.
    package var description: String {
        if let path { return "unix:\(path)" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension ListenAddress {
    /// The reason that a text is not an address.
    package struct ParseError: Error, Sendable, Hashable {
        /// The problem.
        package let what: String
        /// The remedy.
        package let remedy: String
    }

    /// Parses `HOST:PORT` or `unix:/PATH`.
    package init(parsing text: String) throws(ParseError) {
        if text.hasPrefix("unix:") {
            self.init(path: try Self.path(in: text))
            return
        }
        do {
            let address = try HostAndPort(parsing: text)
            self.init(host: address.host, port: address.port)
        } catch {
            throw ParseError(what: error.what, remedy: error.remedy)
        }
    }

    private static func path(in text: String) throws(ParseError) -> String {
        let path = String(text.dropFirst("unix:".count))
        guard path.hasPrefix("/"), !path.hasSuffix("/") else {
            throw ParseError(what: "a unix: address without an absolute path", remedy: "write unix:/PATH")
        }
        guard path.utf8.count <= longestPath, !path.utf8.contains(0) else {
            throw ParseError(
                what: "a unix: address with a path of more than \(longestPath) bytes", remedy: "shorten it")
        }
        return path
    }
}
