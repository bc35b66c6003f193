import HTTPWire
import OperatorConsole

/// The access control of the admin listener. It checks the request itself before the call that it designates.
struct AdminGuard: Sendable {
    /// The bearer token. `nil` if not configured; an empty one is treated as absent.
    let token: [UInt8]?
    /// The bearer token of viewers, in the same way.
    private let viewerToken: [UInt8]?
    /// The accepted host names in addition to `localhost` and the local address, in lower case without a port.
    let hosts: Set<String>

    init(token: String?, viewerToken: String? = nil, hosts: [String]) {
        self.token = token.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        self.viewerToken = viewerToken.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        // A wildcard address is for binding and is not a name that clients use.
        self.hosts = Set(hosts.map { $0.lowercased() }).subtracting(["0.0.0.0", "::"])
    }

    /// Rejects requests that a browser could be made to send with a foreign name for this address (DNS rebinding).
    func hostRefusal(of request: AdminRequest) -> AdminResponse? {
        let named = request.values("host")
        guard named.count == 1, let host = Self.hostname(named[0]) else {
            return .problem(
                .malformed, title: "The request is malformed", detail: "Send exactly one valid Host.")
        }
        guard isOurs(host, reached: request.localAddress) else {
            return .problem(
                .unknownHost, title: "The Host is not accepted by this listener",
                detail: "Use the listener's address, localhost, or a host that the configuration names.")
        }
        return nil
    }

    /// Rejects requests that a browser could be made to send cross-origin.
    func crossSiteRefusal(of request: AdminRequest) -> AdminResponse? {
        guard request.values("origin").isEmpty,
            request.values("sec-fetch-site").allSatisfy({ $0 == "none" || $0 == "same-origin" })
        else {
            return .problem(
                .crossSite, title: "Cross-origin calls are not permitted",
                detail: "Call from a program, not from a web page.")
        }
        return nil
    }

    /// Returns the role of the token that the request carries exactly once. `nil` for a missing or wrong token.
    func role(of request: AdminRequest) -> OperatorRole? {
        let credentials = request.values("authorization")
        guard credentials.count == 1 else { return nil }
        let parts = credentials[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return role(of: Array(parts[1].utf8))
    }

    /// Returns the role of a token. `nil` if it is wrong. The time is the same for all wrong tokens of equal length.
    func role(of presented: [UInt8]) -> OperatorRole? {
        let isOperator = token.map { Self.equal(presented, $0) } ?? false
        let isViewer = viewerToken.map { Self.equal(presented, $0) } ?? false
        return isOperator ? .operator : isViewer && token != nil ? .viewer : nil
    }

    /// Compares without stopping at the first difference. `secret` must not be empty.
    static func equal(_ presented: [UInt8], _ secret: [UInt8]) -> Bool {
        var difference = presented.count ^ secret.count
        for index in presented.indices {
            difference |= Int(presented[index] ^ secret[index % secret.count])
        }
        return difference == 0
    }

    /// Returns the host of a `Host` value in lower case, without brackets and port. `nil` if it is malformed.
    static func hostname(_ value: String) -> String? {
        let host: Substring
        let rest: Substring
        if value.first == "[" {
            guard let close = value.firstIndex(of: "]") else { return nil }
            host = value[value.index(after: value.startIndex)..<close]
            rest = value[value.index(after: close)...]
        } else {
            let colon = value.firstIndex(of: ":") ?? value.endIndex
            host = value[..<colon]
            rest = value[colon...]
        }
        let port = rest.dropFirst()
        guard !host.isEmpty, rest.isEmpty || rest.first == ":", port.utf8.count <= 5,
            port.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return host.lowercased()
    }

    private func isOurs(_ host: String, reached address: String?) -> Bool {
        if host == "localhost" || hosts.contains(host) { return true }
        guard let reached = address.flatMap({ IPAddress($0) }) else { return false }
        return IPAddress(host) == reached
    }
}
