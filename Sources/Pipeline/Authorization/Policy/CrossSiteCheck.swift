package import GatewayCore
package import HTTPWire

/// Tells the calls that a page of another site made a browser send: they carry the user's cookie, not the user's will.
///
/// A browser says itself where a call comes from, in fields that no page can write: `Sec-Fetch-Site` (Fetch Metadata) and `Origin` (RFC 6454).
/// An object, so that a request holds it by one reference.
package final class CrossSiteCheck: Sendable {
    /// What the fields say.
    package enum Finding: Sendable, Hashable {
        /// Neither field: no browser that could be made to send it.
        case noBrowser
        /// An origin that the configuration lists, whatever site it is of.
        case listedOrigin
        /// `Sec-Fetch-Site`: the page has the request's own origin, or there is no page.
        case sameOrigin
        /// `Origin` is the one that was called, as `Host` names it.
        case originIsHost
        /// `Sec-Fetch-Site` says anything else.
        case otherSite
        /// `Origin` is another, is `null`, or is none.
        case otherOrigin
        /// One of the fields more than once: nobody can say which of them counts.
        case ambiguous

        package var passes: Bool {
            switch self {
            case .noBrowser, .listedOrigin, .sameOrigin, .originIsHost: true
            case .otherSite, .otherOrigin, .ambiguous: false
            }
        }
    }

    /// As browsers send them.
    private let origins: [[UInt8]]

    /// - Parameter origins: whose pages may call besides the called origin's own, as in `https://app.example`.
    package init(origins: [String]) {
        self.origins = origins.map { Array($0.utf8) }
    }

    /// Whether it is asked of requests with a session cookie: of all methods but those that only read (RFC 9110 section 9.2.1).
    package static func isAsked(of method: HTTPWire.Method) -> Bool {
        switch method {
        case .get, .head, .options, .trace: false
        case .post, .put, .delete, .patch, .connect, .other: true
        }
    }

    /// Whether no page of a foreign site sent the request.
    @inline(__always)
    package func passes(_ request: RequestView) -> Bool {
        guard request.fields.contains(.secFetchSite) || request.fields.contains(.origin) else { return true }
        return finding(in: request).passes
    }

    /// What the request's fields say.
    package func finding(in request: RequestView) -> Finding {
        let fields = request.fields
        guard fields.count(of: .secFetchSite) <= 1, fields.count(of: .origin) <= 1 else { return .ambiguous }
        let origin = fields.first(.origin)?.value
        // It is listed so that it may call, which to browsers is a call of another site.
        if let origin, isListed(origin.bytes(in: request.bytes)) { return .listedOrigin }
        if let site = fields.first(.secFetchSite)?.value.bytes(in: request.bytes) {
            return Self.isOwnSite(site) ? .sameOrigin : .otherSite
        }
        guard let origin else { return .noBrowser }
        return Self.isHost(origin, request) ? .originIsHost : .otherOrigin
    }

    private func isListed(_ origin: UnsafeRawBufferPointer) -> Bool {
        for listed in origins where origin.elementsEqual(listed) { return true }
        return false
    }

    /// The values are tokens, and other spellings of them other values (RFC 9651 section 3.3.4).
    private static func isOwnSite(_ value: UnsafeRawBufferPointer) -> Bool {
        equals(value, "same-origin") || equals(value, "none")
    }

    /// Whether an origin has the host and the port of `Host`. Not its scheme: whoever ends TLS in front of the gateway makes one of the other,
    /// and a `Host` without a port is one of the origin's own scheme.
    private static func isHost(_ origin: ByteRange, _ request: RequestView) -> Bool {
        let value = origin.bytes(in: request.bytes)
        guard let (length, port) = scheme(of: value),
            let authority = Authority(
                ByteRange(start: origin.start + length, length: origin.length - length), in: request.bytes)
        else { return false }
        let host = request.head.hostName
        return (authority.port ?? port) == (host.port ?? port) && authority.name.count > 0
            && ASCII.equals(authority.name.bytes(in: request.bytes), host.name.bytes(in: request.bytes))
    }

    /// How long the scheme with its `://` is, and its port.
    private static func scheme(of origin: UnsafeRawBufferPointer) -> (length: UInt32, port: UInt16)? {
        if begins(origin, "https://") { return (8, 443) }
        return begins(origin, "http://") ? (7, 80) : nil
    }

    private static func begins(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        return bytes.count > count && equals(UnsafeRawBufferPointer(rebasing: bytes[..<count]), text)
    }

    /// Byte for byte.
    private static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        bytes.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
