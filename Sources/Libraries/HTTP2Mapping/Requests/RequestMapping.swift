package import HTTPWire
package import NIOCore
package import NIOHPACK

/// The translation of a request's fields from HTTP/2 to the head of an HTTP/1.1 request (RFC 9113 section 8.3).
///
/// The result is canonical: one `Host` from `:authority`, one `Cookie`, at most one `Content-Length`, and chunked
/// framing for every other body, whatever the method.
package struct RequestMapping: Sendable {
    /// The limits of a head.
    package struct Limits: Sendable {
        /// The maximum number of fields, without pseudo-headers, with each part of a cookie counted.
        package var fields: Int
        /// The maximum size of all names and values, in bytes.
        package var size: Int

        package init(fields: Int, size: Int) {
            self.fields = fields
            self.size = size
        }
    }

    /// A head in the form of HTTP/1.1.
    package struct Head: Sendable {
        package var bytes: ByteBuffer
        package var framing: BodyFraming
        package var method: Method
        /// Whether the request opens a tunnel by extended CONNECT (RFC 8441).
        package var isTunnel: Bool
    }

    /// The reason that a head is rejected.
    package enum Failure: Error, Sendable, Equatable {
        case malformed(String)
        case tooManyFields
        case tooLarge
        /// Extended CONNECT to a protocol other than `websocket`.
        case unknownProtocol
    }

    private var method = ""
    private var scheme = ""
    private var path = ""
    private var authority: String?
    private var requestedProtocol: String?
    private var host: String?
    private var cookie = ""
    private var length: UInt64?
    private var fields = 0
    private var size = 0
    private var seen = PseudoHeaders()

    private struct PseudoHeaders: OptionSet {
        let rawValue: UInt8
        static let method = PseudoHeaders(rawValue: 1)
        static let scheme = PseudoHeaders(rawValue: 2)
        static let path = PseudoHeaders(rawValue: 4)
        static let authority = PseudoHeaders(rawValue: 8)
        static let requestedProtocol = PseudoHeaders(rawValue: 16)
    }

    /// Translates the fields of a request.
    ///
    /// - Parameters:
    ///   - endsStream: Whether no body follows.
    ///   - webSocketKey: The value of `Sec-WebSocket-Key` for a tunnel, which HTTP/2 does not have.
    package static func head(
        of headers: HPACKHeaders, endsStream: Bool, limits: Limits, webSocketKey: () -> String
    ) throws(Failure) -> Head {
        var mapping = RequestMapping()
        try mapping.read(headers, limits)
        return try mapping.render(headers, endsStream: endsStream, webSocketKey)
    }

    /// Returns whether the fields begin a gRPC request: `POST` with a content type of gRPC.
    package static func isGRPC(_ headers: HPACKHeaders) -> Bool {
        guard headers.first(name: ":method") == "POST", let type = headers.first(name: "content-type") else {
            return false
        }
        return GRPCType.matches(type.utf8)
    }

    // MARK: - Reading

    private mutating func read(_ headers: HPACKHeaders, _ limits: Limits) throws(Failure) {
        for (name, value, _) in headers {
            guard FieldSyntax.isName(name.utf8) else { throw .malformed("invalid field name") }
            guard FieldSyntax.isValue(value.utf8) else { throw .malformed("invalid field value") }
            size += name.utf8.count + value.utf8.count + 4
            guard size <= limits.size else { throw .tooLarge }
            if name.utf8.first == UInt8(ascii: ":") {
                guard fields == 0 else { throw .malformed("pseudo-header after a field") }
                try readPseudoHeader(name, value)
            } else {
                fields += 1
                guard fields <= limits.fields else { throw .tooManyFields }
                try readField(name, value)
            }
        }
        try checkTarget()
    }

    private mutating func readPseudoHeader(_ name: String, _ value: String) throws(Failure) {
        switch name {
        case ":method":
            method = value
            try see(.method)
        case ":scheme":
            scheme = value
            try see(.scheme)
        case ":path":
            path = value
            try see(.path)
        case ":authority":
            authority = value
            try see(.authority)
        case ":protocol":
            requestedProtocol = value
            try see(.requestedProtocol)
        default: throw .malformed("unknown pseudo-header")
        }
    }

    private mutating func see(_ header: PseudoHeaders) throws(Failure) {
        guard seen.insert(header).inserted else { throw .malformed("repeated pseudo-header") }
    }

    private mutating func readField(_ name: String, _ value: String) throws(Failure) {
        switch name {
        case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade":
            throw .malformed("connection-specific field")
        case "te":
            guard value == "trailers" else { throw .malformed("te is not trailers") }
        case "host":
            guard host == nil else { throw .malformed("repeated host") }
            host = value
        case "content-length":
            guard length == nil, let number = FieldSyntax.length(value.utf8) else {
                throw .malformed("invalid content-length")
            }
            length = number
        case "cookie":
            if !cookie.isEmpty, !value.isEmpty { cookie += "; " }
            cookie += value
        default: break
        }
    }

    private func checkTarget() throws(Failure) {
        let bytes = method.utf8
        guard (1...Method.maximumLength).contains(bytes.count), bytes.allSatisfy(Self.isToken) else {
            throw .malformed("invalid :method")
        }
        if method == "CONNECT", !seen.contains(.requestedProtocol) {
            guard seen == [.method, .authority], host == nil, let authority, Name(authority, "https") != nil else {
                throw .malformed("invalid CONNECT")
            }
            return
        }
        guard seen.isSuperset(of: [.method, .scheme, .path]) else { throw .malformed("missing pseudo-header") }
        guard scheme == "https" || scheme == "http" else { throw .malformed("invalid :scheme") }
        if let requestedProtocol {
            guard method == "CONNECT" else { throw .malformed(":protocol without CONNECT") }
            guard requestedProtocol == "websocket" else { throw .unknownProtocol }
        }
        guard isValidPath else { throw .malformed("invalid :path") }
        try checkAuthority()
    }

    private static func isToken(_ byte: UInt8) -> Bool { withUnsafeBytes(of: byte) { ASCII.isToken($0) } }

    private var isValidPath: Bool {
        if path == "*" { return method == "OPTIONS" }
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        return path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }

    private func checkAuthority() throws(Failure) {
        guard let target = authority ?? host, let name = Name(target, scheme) else {
            throw .malformed("invalid or missing :authority")
        }
        guard let host, authority != nil else { return }
        guard Name(host, scheme) == name else { throw .malformed("host differs from :authority") }
    }

    /// A host in lower case and its port.
    private struct Name: Equatable {
        let host: String
        let port: UInt16

        init?(_ text: String, _ scheme: String) {
            var text = text
            let parsed = text.withUTF8 { bytes -> (String, UInt16?)? in
                let raw = UnsafeRawBufferPointer(bytes)
                guard raw.count <= 300,
                    let authority = Authority(ByteRange(start: 0, length: UInt32(raw.count)), in: raw)
                else { return nil }
                return (String(lowercasing: authority.name.bytes(in: raw)), authority.port)
            }
            guard let parsed else { return nil }
            host = parsed.0
            port = parsed.1 ?? (scheme == "http" ? 80 : 443)
        }
    }

    // MARK: - Writing

    private func render(
        _ headers: HPACKHeaders, endsStream: Bool, _ webSocketKey: () -> String
    ) throws(Failure) -> Head {
        let isTunnel = requestedProtocol != nil
        let isConnect = method == "CONNECT" && !isTunnel
        guard !isTunnel || length == nil else { throw .malformed("content-length of a tunnel") }
        // An absent body has no framing, and one without a length is chunked.
        guard !endsStream || length ?? 0 == 0 else { throw .malformed("content-length without a body") }
        let framing: BodyFraming =
            if isTunnel || isConnect { .none } else if let length { .length(length) } else {
                endsStream ? .none : .chunked
            }
        var output = ByteBufferAllocator().buffer(capacity: size + 4 * fields + 128)
        output.writeString(isTunnel ? "GET" : method)
        output.writeStaticString(" ")
        output.writeString(isConnect ? authority ?? "" : path)
        output.writeStaticString(" HTTP/1.1\r\n")
        output.writeFieldLine("host", authority ?? host ?? "")
        if framing == .chunked { output.writeStaticString("transfer-encoding: chunked\r\n") }
        if isTunnel { Self.writeUpgrade(webSocketKey(), to: &output) }
        writeFields(headers, isTunnel, to: &output)
        output.writeStaticString("\r\n")
        let parsed = method.utf8.withContiguousStorageIfAvailable { Method(UnsafeRawBufferPointer($0)) } ?? .other
        return Head(bytes: output, framing: framing, method: isTunnel ? .get : parsed, isTunnel: isTunnel)
    }

    private static func writeUpgrade(_ key: String, to output: inout ByteBuffer) {
        output.writeStaticString("connection: upgrade\r\nupgrade: websocket\r\n")
        output.writeFieldLine("sec-websocket-key", key)
    }

    private func writeFields(_ headers: HPACKHeaders, _ isTunnel: Bool, to output: inout ByteBuffer) {
        var wroteCookie = false
        for (name, value, _) in headers where name.utf8.first != UInt8(ascii: ":") {
            switch name {
            case "host", "http2-settings": continue
            // `TE` names the connection's transfer codings; in HTTP/1.1 `Connection` must name it.
            case "te": continue
            case "sec-websocket-key", "sec-websocket-accept":
                if !isTunnel { output.writeFieldLine(name, value) }
            case "cookie":
                if !wroteCookie { output.writeFieldLine("cookie", cookie) }
                wroteCookie = true
            default: output.writeFieldLine(name, value)
            }
        }
    }

    // MARK: - Trailers

    /// Returns whether the trailer section of a request is valid: fields without pseudo-headers and connection-specific
    /// fields.
    package static func areTrailers(_ headers: HPACKHeaders, limits: Limits) -> Bool {
        var (count, size) = (0, 0)
        for (name, value, _) in headers {
            count += 1
            size += name.utf8.count + value.utf8.count + 4
            guard count <= min(limits.fields, ChunkDecoder.maximumTrailerFields),
                size <= min(limits.size, ChunkDecoder.maximumTrailers - 2)
            else { return false }
            guard name.utf8.first != UInt8(ascii: ":"), FieldSyntax.isName(name.utf8), FieldSyntax.isValue(value.utf8),
                !FieldSyntax.isConnectionSpecific(name)
            else { return false }
        }
        return true
    }
}
