/// The origin of the requests of one connection: its peer, or the client that a trusted proxy reports. The last
/// report is cached, since most requests of a connection repeat it.
package struct RequestOrigin {
    /// The origin of the current request.
    package private(set) var current: PeerAddress
    /// The peer of the connection.
    package private(set) var peer: PeerAddress
    /// The set of the last lookup of the peer.
    private var trusted: TrustedProxies?
    private var isTrusted = false
    /// The fields of a trusted peer.
    private var fields = ProxyFields.unknown
    /// The lines that `current` was read from, each after a byte for its field.
    private var lines: [UInt8] = []

    package init(peer: PeerAddress) {
        self.peer = peer
        current = peer
    }

    /// Whether the peer was looked up in any set.
    package var wasLookedUp: Bool { trusted != nil }

    /// Resets the origin to the peer, for an exchange without a request head.
    package mutating func forget() {
        current = peer
        lines = []
    }

    /// Reads the reported origin if the peer is trusted. Otherwise the origin is the peer.
    ///
    /// - Throws: `OriginError` for an invalid report of a trusted proxy. The request must then be rejected.
    package mutating func read(_ request: RequestView, _ proxies: TrustedProxies) throws(OriginError) {
        if trusted !== proxies { lookUp(in: proxies) }
        guard isTrusted, !repeats(request) else { return }
        forget()
        current = try OriginReader(peer: peer, trusted: proxies, fields: fields).read(request)
        fields.forEach(in: request) { name, value in
            lines.append(name.rawValue)
            lines.append(contentsOf: value)
            lines.append(0)
        }
    }

    private mutating func lookUp(in proxies: TrustedProxies) {
        trusted = proxies
        isTrusted = proxies.trusts(peer)
        fields = proxies.fields(setBy: peer)
        forget()
    }

    private func repeats(_ request: RequestView) -> Bool {
        var position = 0
        var isSame = true
        fields.forEach(in: request) { name, value in
            guard isSame else { return }
            let end = position + value.count + 1
            // A NUL ends each value and occurs in none.
            isSame =
                end < lines.count && lines[position] == name.rawValue && lines[end] == 0
                && lines[(position + 1)..<end].elementsEqual(value)
            position = end + 1
        }
        return isSame && position == lines.count
    }
}
