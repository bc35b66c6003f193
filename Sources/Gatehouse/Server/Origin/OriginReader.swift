import HTTPWire

/// Why a trusted proxy's word on a request's client cannot be taken.
struct OriginError: Error, Equatable {
    /// For the log.
    let reason: StaticString

    static func == (lhs: Self, rhs: Self) -> Bool { "\(lhs.reason)" == "\(rhs.reason)" }
}

/// Reads what a trusted proxy tells of a request's client: `X-Forwarded-For`, or else `Forwarded` (RFC 7239); and
/// `X-Forwarded-Proto`.
///
/// The client is the last address that is not itself a trusted proxy's: each proxy appends whom it was called by, so that what stands
/// further to the left is the client's own claim, and is not looked at.
struct OriginReader {
    /// The most proxies in a row.
    static let maximumHops = 32

    let peer: PeerAddress
    let trusted: TrustedProxies

    func read(_ request: RequestView) throws(OriginError) -> PeerAddress {
        var lines = OriginLines(request)
        var told = Told(peer)
        if !lines.addresses.isEmpty {
            try readAddresses(lines.addresses, &told)
        } else if !lines.elements.isEmpty {
            try readElements(lines.elements, &told)
        }
        if let isSecure = try lines.scheme() { told.isSecure = isSecure }
        return told.origin(of: peer)
    }

    /// What is known so far, going from us to the client.
    private struct Told {
        /// Nil: not known.
        var client: IPAddress?
        /// The peer and the trusted proxies before it, the nearest to us last.
        var proxies: [IPAddress] = []
        var isSecure: Bool
        var hasEntries = false

        init(_ peer: PeerAddress) {
            client = peer.address
            isSecure = peer.isSecure
        }

        func origin(of peer: PeerAddress) -> PeerAddress {
            if hasEntries { return PeerAddress(client, isSecure: isSecure, through: proxies) }
            return isSecure == peer.isSecure ? peer : PeerAddress(peer, isSecure: isSecure)
        }

        /// - Returns: whether that was the client.
        mutating func take(_ node: ForwardedNode?, _ trusted: TrustedProxies) throws(OriginError) -> Bool {
            guard let node else { throw OriginError(reason: "an entry that is no address") }
            guard proxies.count < OriginReader.maximumHops else { throw OriginError(reason: "too many proxies") }
            // Whoever was taken for the client so far is the proxy that tells of this one.
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

    private func readAddresses(_ lines: [UnsafeRawBufferPointer], _ told: inout Told) throws(OriginError) {
        for line in lines.reversed() {
            var members = ReversedMembers(line)
            while let member = members.next() {
                if try told.take(ForwardedNode(member), trusted) { return }
            }
        }
    }

    private func readElements(_ lines: [UnsafeRawBufferPointer], _ told: inout Told) throws(OriginError) {
        for line in lines.reversed() {
            guard let elements = ForwardedElements.read(line) else {
                throw OriginError(reason: "Forwarded is malformed")
            }
            for element in elements.reversed() {
                let isClient = try told.take(element.node, trusted)
                if let isSecure = element.isSecure { told.isSecure = isSecure }
                if isClient { return }
            }
        }
    }
}

/// The values of the fields that tell where a request comes from, in the head's order.
struct OriginLines {
    var addresses: [UnsafeRawBufferPointer] = []
    var elements: [UnsafeRawBufferPointer] = []
    private var schemes: [UnsafeRawBufferPointer] = []

    init(_ request: RequestView) {
        Self.forEach(in: request) { field, value in
            switch field {
            case .addresses: addresses.append(value)
            case .elements: elements.append(value)
            case .scheme: schemes.append(value)
            }
        }
    }

    enum Name: UInt8 {
        case addresses, elements, scheme
    }

    /// Nil where no line tells it.
    mutating func scheme() throws(OriginError) -> Bool? {
        var told: Bool?
        for scheme in schemes {
            guard let isSecure = ForwardedScheme.isSecure(scheme), told == nil || told == isSecure else {
                throw OriginError(reason: "X-Forwarded-Proto is neither http nor https")
            }
            told = isSecure
        }
        return told
    }

    /// Visits each line of these fields. Other spellings of their names (`X_Forwarded_For`) are none of theirs.
    @inline(__always)
    static func forEach(in request: RequestView, _ body: (Name, UnsafeRawBufferPointer) -> Void) {
        for index in 0..<request.fields.count {
            let field = request.fields[index]
            guard let name = name(of: field.name.bytes(in: request.bytes)) else { continue }
            body(name, field.value.bytes(in: request.bytes))
        }
    }

    private static func name(of field: UnsafeRawBufferPointer) -> Name? {
        switch field.count {
        case 9 where ASCII.equals(field, "Forwarded"): .elements
        case 15 where ASCII.equals(field, "X-Forwarded-For"): .addresses
        case 17 where ASCII.equals(field, "X-Forwarded-Proto"): .scheme
        default: nil
        }
    }
}

/// The members of a comma-separated list from the last to the first, without the whitespace around them; empty ones are passed over.
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
