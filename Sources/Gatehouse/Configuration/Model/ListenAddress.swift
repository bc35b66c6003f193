/// A TCP address to listen on: `HOST:PORT`, with an IPv6 host in brackets.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 or IPv6 address without brackets, or a name.
    public var host: String
    /// 0 to 65535; 0 takes any free port.
    public var port: Int

    /// An address of parts that are known to be valid.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine reaches it: `localhost`, 127.0.0.0/8 or `::1`.
    public var isLoopback: Bool { IPLiteral.isLoopback(host: host) }

    /// Whether it takes every address of the machine: `0.0.0.0` or `::`.
    public var isWildcard: Bool { IPLiteral.isUnspecified(host: host) }

    /// `HOST:PORT`.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension ListenAddress {
    /// Why a text is no address.
    public struct ParseError: Error, Sendable, Hashable {
        /// What is wrong.
        public let what: String
        /// What to do about it.
        public let remedy: String
    }

    /// Reads `HOST:PORT`.
    public init(parsing text: String) throws(ParseError) {
        if text.hasPrefix("unix:") {
            throw ParseError(what: "a unix: address is not supported yet", remedy: "write HOST:PORT")
        }
        do {
            let address = try HostAndPort(parsing: text)
            self.init(host: address.host, port: address.port)
        } catch {
            throw ParseError(what: error.what, remedy: error.remedy)
        }
    }
}
