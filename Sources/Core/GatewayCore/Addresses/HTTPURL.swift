import HTTPWire

/// An absolute `http:` or `https:` URL without user, password and fragment.
package struct HTTPURL: Hashable {
    /// The reason that a text is not such a URL.
    package struct Failure: Error {
        package let what: String
        package let remedy: String

        package init(what: String, remedy: String) {
            self.what = what
            self.remedy = remedy
        }
    }

    package let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    package let host: String
    /// 1 to 65535.
    package let port: Int
    /// Path and query; empty if the URL ends after its authority.
    package let target: String

    /// Whether the host is `localhost` or a loopback address.
    package var isLoopback: Bool { IPAddress.isLoopback(host: host) }
    /// Whether the host is `localhost` or the text of an address of this machine or of a private network.
    package var isLocal: Bool { IPAddress.isLocal(host: host) }

    package init(parsing text: String) throws(Failure) {
        guard let separator = text.firstRange(of: "://") else {
            throw Failure(what: "not an absolute URL", remedy: Self.schemes)
        }
        switch text[..<separator.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw Failure(what: "a URL whose scheme is neither http nor https", remedy: Self.schemes)
        }
        let rest = text[separator.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = try HostAndPort(parsing: String(rest[..<end]), defaultPort: isSecure ? 443 : 80)
        guard authority.port != 0 else {
            throw Failure(what: "a URL with port 0", remedy: "write a port from 1 to 65535")
        }
        host = authority.host
        port = authority.port
        target = try Self.checked(target: String(rest[end...]))
    }

    private static let schemes = "begin it with https:// or http://, as in https://api.example.com/path"

    private static func checked(target: String) throws(Failure) -> String {
        if target.contains("#") { throw Failure(what: "a URL with a fragment", remedy: "remove the fragment") }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Failure(what: "a URL with spaces or non-ASCII characters", remedy: "percent-encode them")
        }
        return target
    }
}

/// `HOST:PORT`, with an IPv6 host in brackets.
package struct HostAndPort: Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    package let host: String
    /// 0 to 65535.
    package let port: Int

    /// Parses a text. The port is required unless there is a default.
    package init(parsing text: String, defaultPort: Int? = nil) throws(HTTPURL.Failure) {
        if text.contains("@") {
            throw HTTPURL.Failure(what: "an address with a user or password", remedy: "remove the part before '@'")
        }
        if defaultPort == nil, let port = WholeNumber.parse(text.trimmingPrefix(":")), (0...65_535).contains(port) {
            throw HTTPURL.Failure(
                what: "a port without a host",
                remedy: "write 127.0.0.1:\(port) for clients on this machine, or 0.0.0.0:\(port) for all clients")
        }
        let (host, port) = try Self.split(text)
        self.host = host
        guard let port else {
            guard let defaultPort else {
                throw HTTPURL.Failure(what: "an address without a port", remedy: "write HOST:PORT")
            }
            self.port = defaultPort
            return
        }
        guard let number = WholeNumber.parse(port), (0...65_535).contains(number) else {
            throw HTTPURL.Failure(
                what: "an address with an invalid port", remedy: "a port is a number up to 65535")
        }
        self.port = number
    }

    private static func split(_ text: String) throws(HTTPURL.Failure) -> (host: String, port: Substring?) {
        if text.hasPrefix("[") { return try splitBracketed(text) }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host = String(parts[0]).lowercased()
        if parts.count == 2 && parts[1].contains(":") {
            throw HTTPURL.Failure(what: "an IPv6 address without brackets", remedy: "write [ADDRESS]:PORT")
        }
        guard !host.isEmpty else {
            throw HTTPURL.Failure(what: "an address without a host", remedy: "write HOST:PORT")
        }
        guard HostName.isValid(host) else {
            throw HTTPURL.Failure(
                what: "an address with an invalid host", remedy: "a host is a name or an IP address")
        }
        return (host, parts.count == 2 ? parts[1] : nil)
    }

    private static func splitBracketed(_ text: String) throws(HTTPURL.Failure) -> (host: String, port: Substring?) {
        guard let end = text.firstIndex(of: "]"), case let host = String(text.dropFirst().prefix { $0 != "]" }),
            host.contains(":"), IPAddress(host) != nil
        else {
            throw HTTPURL.Failure(what: "an address with an invalid IPv6 host", remedy: "write [ADDRESS]:PORT")
        }
        let rest = text[text.index(after: end)...]
        if rest.isEmpty { return (host.lowercased(), nil) }
        guard rest.hasPrefix(":") else {
            throw HTTPURL.Failure(what: "an address with extra characters after ']'", remedy: "write [ADDRESS]:PORT")
        }
        return (host.lowercased(), rest.dropFirst())
    }
}
