package import GatewayCore
package import HTTPWire

/// A detector of requests that a page of another site made a browser send. They carry the user's cookie but not the
/// user's intent.
///
/// Browsers state the source of a request in fields that pages cannot set: `Sec-Fetch-Site` (Fetch Metadata) and
/// `Origin` (RFC 6454). A class, so that a request holds it by one reference.
package final class CrossSiteCheck: Sendable {
    /// The result of reading these fields.
    package enum Finding: Sendable, Hashable {
        /// Neither field: the client is not a browser that a page could abuse.
        case noBrowser
        /// An origin that the configuration lists, whatever its site.
        case listedOrigin
        /// `Sec-Fetch-Site`: the page has the request's own origin, or there is no page.
        case sameOrigin
        /// `Origin` equals the requested host in `Host`.
        case originIsHost
        /// `Sec-Fetch-Site` has any other value.
        case otherSite
        /// `Origin` is different, `null` or malformed.
        case otherOrigin
        /// One of the fields is repeated, so that its value is unclear.
        case ambiguous

        package var passes: Bool {
            switch self {
            case .noBrowser, .listedOrigin, .sameOrigin, .originIsHost: true
            case .otherSite, .otherOrigin, .ambiguous: false
            }
        }

        /// The reason for display.
        package var shown: String {
            switch self {
            case .noBrowser: "neither Sec-Fetch-Site nor Origin is present: not sent by a browser"
            case .listedOrigin: "the Origin is listed in accounts.origins"
            case .sameOrigin: "Sec-Fetch-Site: the page is of the same origin, or there is none"
            case .originIsHost: "the Origin is the Host"
            case .otherSite: "Sec-Fetch-Site: sent by a page of another site"
            case .otherOrigin: "the Origin is not the Host, nor listed in accounts.origins"
            case .ambiguous: "Sec-Fetch-Site or Origin is repeated"
            }
        }
    }

    /// The listed origins, in the form that browsers send.
    private let origins: [[UInt8]]

    /// Creates the check.
    ///
    /// - Parameter origins: The origins that may send requests in addition to the requested one, for example
    ///   `https://app.example`.
    package init(origins: [String]) {
        self.origins = origins.map { Array($0.utf8) }
    }

    /// Returns whether requests with a session cookie are checked: for all methods that are not safe (RFC 9110 section
    /// 9.2.1).
    package static func applies(to method: HTTPWire.Method) -> Bool {
        switch method {
        case .get, .head, .options, .trace: false
        case .post, .put, .delete, .patch, .connect, .other: true
        }
    }

    /// Returns whether the request was not sent by a page of another site.
    @inline(__always)
    package func passes(_ request: RequestView) -> Bool {
        guard request.fields.contains(.secFetchSite) || request.fields.contains(.origin) else { return true }
        return finding(in: request).passes
    }

    /// Returns the result of reading the request's fields.
    package func finding(in request: RequestView) -> Finding {
        let fields = request.fields
        guard fields.count(of: .secFetchSite) <= 1, fields.count(of: .origin) <= 1 else { return .ambiguous }
        let origin = fields.first(.origin)?.value
        // A listed origin may send requests that browsers mark as cross-site.
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

    /// Returns whether a value means the same site. The values are case-sensitive tokens (RFC 9651 section 3.3.4).
    private static func isOwnSite(_ value: UnsafeRawBufferPointer) -> Bool {
        equals(value, "same-origin") || equals(value, "none")
    }

    /// Returns whether an origin has the host and the port of `Host`. The scheme is ignored, because a proxy in front
    /// of the gateway may terminate TLS. A `Host` without a port has the default port of the origin's scheme.
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

    /// Returns the length of the scheme with its `://`, and its default port.
    private static func scheme(of origin: UnsafeRawBufferPointer) -> (length: UInt32, port: UInt16)? {
        if begins(origin, "https://") { return (8, 443) }
        return begins(origin, "http://") ? (7, 80) : nil
    }

    private static func begins(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        return bytes.count > count && equals(UnsafeRawBufferPointer(rebasing: bytes[..<count]), text)
    }

    /// Compares byte for byte.
    private static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        bytes.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
