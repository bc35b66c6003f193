/// An error of a node of a Redis Cluster that did not execute the command, because the slot is served elsewhere or
/// not at all.
enum ClusterRedirect: Equatable {
    /// Another node serves the slot from now on. `nil` if the address is not known.
    case moved(RedisEndpoint?)
    /// The slot is being moved, and the next node has the key. The command has to follow `ASKING` there.
    case ask(RedisEndpoint)
    /// The slot is being moved, and the keys of the command are at both nodes.
    case tryAgain
    /// The cluster is down, or no node serves the slot.
    case down

    /// `nil` for any other reply.
    ///
    /// - Parameters:
    ///   - reply: `MOVED SLOT HOST:PORT`, `ASK SLOT HOST:PORT`, `TRYAGAIN ...` or `CLUSTERDOWN ...`.
    ///   - host: The host of the node that replied. It replaces an empty host.
    init?(_ reply: RedisReply, host: String) {
        guard reply.kind == .error else { return nil }
        if reply.begins(with: "MOVED") {
            self = .moved(Self.endpoint(reply.bytes, host))
        } else if reply.begins(with: "ASK") {
            guard let endpoint = Self.endpoint(reply.bytes, host) else { return nil }
            self = .ask(endpoint)
        } else if reply.begins(with: "TRYAGAIN") {
            self = .tryAgain
        } else if reply.begins(with: "CLUSTERDOWN") {
            self = .down
        } else {
            return nil
        }
    }

    /// The last word, whose last colon separates the port, since an IPv6 address has no brackets.
    private static func endpoint(_ bytes: UnsafeRawBufferPointer, _ host: String) -> RedisEndpoint? {
        let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, let colon = words[2].lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = words[2][(colon + 1)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let port = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        let name = words[2][..<colon]
        if name.isEmpty {
            let endpoint = RedisEndpoint(host: host, port: Int(port))
            return endpoint.hasValidPort ? endpoint : nil
        }
        return RedisEndpoint(host: UnsafeRawBufferPointer(rebasing: name), port: port)
    }
}
