import HTTPWire

/// Whom the requests of one connection come from: its peer, or whom a trusted proxy tells of. What was told last is remembered, since most
/// requests of a connection repeat it.
package struct RequestOrigin {
    /// Whom the current request comes from.
    package private(set) var current: PeerAddress
    /// Who is at the other end of the connection.
    private(set) var peer: PeerAddress
    /// The set that the peer was looked up in.
    private var trusted: TrustedProxies?
    private var isTrusted = false
    /// What the peer tells by, where it is trusted.
    private var fields = ProxyFields.unknown
    /// The lines that `current` was read from, each after a byte that tells its field.
    private var lines: [UInt8] = []

    package init(peer: PeerAddress) {
        self.peer = peer
        current = peer
    }

    /// Whether any set of proxies was asked about the peer.
    package var wasAsked: Bool { trusted != nil }

    /// What comes has no head to read: it comes from the peer.
    package mutating func forget() {
        current = peer
        lines = []
    }

    /// Takes what a request tells, where its peer is trusted; else the peer's own address.
    ///
    /// - Throws: where a trusted proxy tells something that cannot be. The request must not be served then.
    package mutating func read(_ request: RequestView, _ proxies: TrustedProxies) throws(OriginError) {
        if trusted !== proxies { look(in: proxies) }
        guard isTrusted, !repeats(request) else { return }
        forget()
        current = try OriginReader(peer: peer, trusted: proxies, fields: fields).read(request)
        fields.forEach(in: request) { name, value in
            lines.append(name.rawValue)
            lines.append(contentsOf: value)
            lines.append(0)
        }
    }

    private mutating func look(in proxies: TrustedProxies) {
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
            // A NUL ends each value, and stands in none.
            isSame =
                end < lines.count && lines[position] == name.rawValue && lines[end] == 0
                && lines[(position + 1)..<end].elementsEqual(value)
            position = end + 1
        }
        return isSame && position == lines.count
    }
}
