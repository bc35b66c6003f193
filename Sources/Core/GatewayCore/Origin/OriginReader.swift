import HTTPWire

/// The reason that a trusted proxy's report is rejected.
package struct OriginError: Error, Equatable {
    /// The reason for the log.
    package let reason: StaticString

    package static func == (lhs: Self, rhs: Self) -> Bool { "\(lhs.reason)" == "\(rhs.reason)" }
}

/// A reader of the client that a trusted proxy reports by the fields it sets: `X-Forwarded-For`, `Forwarded` (RFC
/// 7239) or a field with one address, and `X-Forwarded-Proto`. Contradicting fields are rejected, since one of them
/// may be from the client.
///
/// The client is the last address that is not a trusted proxy. Each proxy appends the address of its peer, so entries
/// to the left of the client are its own claims and are ignored.
struct OriginReader {
    /// The maximum number of proxies.
    static let maximumHops = 32

    let peer: PeerAddress
    let trusted: TrustedProxies
    let fields: ProxyFields

    func read(_ request: RequestView) throws(OriginError) -> PeerAddress {
        let lines = OriginLines(request, fields)
        var (reported, other) = (ForwardedOrigin(peer), ForwardedOrigin(peer))
        if !lines.elements.isEmpty { try readElements(lines.elements, &reported) }
        if !lines.addresses.isEmpty {
            try readAddresses(lines.addresses, &other)
            guard lines.elements.isEmpty || reported.client == other.client else {
                throw OriginError(reason: "X-Forwarded-For and Forwarded contradict each other")
            }
            (reported.client, reported.proxies, reported.hasEntries) = (other.client, other.proxies, other.hasEntries)
        }
        if let value = lines.singles.first {
            guard lines.singles.count == 1 else { throw OriginError(reason: "two fields with the client address") }
            _ = try reported.take(ForwardedNode(value), trusted)
        }
        if let isSecure = try lines.scheme() {
            guard reported.isSecure == nil || reported.isSecure == isSecure else {
                throw OriginError(reason: "X-Forwarded-Proto and Forwarded contradict each other")
            }
            reported.isSecure = isSecure
        }
        return reported.origin(of: peer)
    }

    /// The state of reading, from the gateway towards the client.
    private struct ForwardedOrigin {
        /// `nil` if the client is unknown.
        var client: IPAddress?
        /// The peer and the trusted proxies before it, the nearest to the gateway last.
        var proxies: [IPAddress] = []
        /// `nil` if the scheme is not reported.
        var isSecure: Bool?
        var hasEntries = false

        init(_ peer: PeerAddress) {
            client = peer.address
        }

        func origin(of peer: PeerAddress) -> PeerAddress {
            let isSecure = isSecure ?? peer.isSecure
            if hasEntries { return PeerAddress(client, isSecure: isSecure, through: proxies) }
            return isSecure == peer.isSecure ? peer : PeerAddress(peer, isSecure: isSecure)
        }

        /// Processes the next entry.
        ///
        /// - Returns: Whether the entry is the client.
        mutating func take(_ node: ForwardedNode?, _ trusted: TrustedProxies) throws(OriginError) -> Bool {
            guard let node else { throw OriginError(reason: "an entry that is not an address") }
            guard proxies.count < OriginReader.maximumHops else { throw OriginError(reason: "too many proxies") }
            // The previous candidate is the proxy that reports this one.
            if let client { proxies.insert(client, at: 0) }
            hasEntries = true
            guard case .address(let address) = node else {
                client = nil
                return true
            }
            client = address
            return !trusted.contains(address)
        }
    }

    private func readAddresses(_ lines: [UnsafeRawBufferPointer], _ reported: inout ForwardedOrigin) throws(OriginError)
    {
        for line in lines.reversed() {
            var members = ReversedMembers(line)
            while let member = members.next() {
                if try reported.take(ForwardedNode(member), trusted) { return }
            }
        }
    }

    private func readElements(_ lines: [UnsafeRawBufferPointer], _ reported: inout ForwardedOrigin) throws(OriginError)
    {
        for line in lines.reversed() {
            guard let elements = ForwardedElements.read(line) else {
                throw OriginError(reason: "Forwarded is malformed")
            }
            for element in elements.reversed() {
                let isClient = try reported.take(element.node, trusted)
                if let isSecure = element.isSecure { reported.isSecure = isSecure }
                if isClient { return }
            }
        }
    }
}

/// The values of the fields that report the origin, in the order of the head.
struct OriginLines {
    var addresses: [UnsafeRawBufferPointer] = []
    var elements: [UnsafeRawBufferPointer] = []
    var singles: [UnsafeRawBufferPointer] = []
    private var schemes: [UnsafeRawBufferPointer] = []

    init(_ request: RequestView, _ fields: ProxyFields) {
        fields.forEach(in: request) { field, value in
            switch field {
            case .addresses: addresses.append(value)
            case .elements: elements.append(value)
            case .scheme: schemes.append(value)
            case .single: singles.append(value)
            }
        }
    }

    /// Returns whether the scheme is `https`. `nil` if no line reports it.
    func scheme() throws(OriginError) -> Bool? {
        var reported: Bool?
        for scheme in schemes {
            guard let isSecure = ForwardedScheme.isSecure(scheme), reported == nil || reported == isSecure else {
                throw OriginError(reason: "X-Forwarded-Proto is neither http nor https")
            }
            reported = isSecure
        }
        return reported
    }
}

/// The members of a comma-separated list from last to first, without surrounding whitespace and empty members.
struct ReversedMembers {
    private let bytes: UnsafeRawBufferPointer
    private var end: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        end = bytes.count
    }

    mutating func next() -> UnsafeRawBufferPointer? {
        while end >= 0 {
            let stop = end
            let comma = bytes[..<stop].lastIndex(of: UInt8(ascii: ","))
            end = comma ?? -1
            var member = bytes[((comma ?? -1) + 1)..<stop]
            while let first = member.first, Self.isSpace(first) { member = member.dropFirst() }
            while let last = member.last, Self.isSpace(last) { member = member.dropLast() }
            if !member.isEmpty { return UnsafeRawBufferPointer(rebasing: member) }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
