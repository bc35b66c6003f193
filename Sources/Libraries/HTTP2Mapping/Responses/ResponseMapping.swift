package import HTTPWire
package import NIOCore
package import NIOHPACK

/// The translation of one HTTP/1.1 response, as the gateway writes it, to the messages of an HTTP/2 stream.
///
/// A pure value: bytes in, parts out. A response of the gateway is well formed; anything else is ``Part/invalid``.
package struct ResponseMapping: Sendable {
    package enum Part: Sendable {
        /// An interim (1xx) response.
        case interim(HPACKHeaders)
        case head(HPACKHeaders, endsStream: Bool)
        case data(ByteBuffer)
        /// The end of the body. The trailers are empty or the stream's last fields.
        case end(trailers: HPACKHeaders)
        /// The final head does not fit into one frame. The response may be replaced by another.
        case headTooLarge
        /// The trailers do not fit into one frame.
        case trailersTooLarge
        case invalid
    }

    private enum State: Sendable {
        case awaitingHead
        case body(BodyDecoder)
        case ended
    }

    private var state = State.awaitingHead
    private var held = ByteBuffer()
    private let method: Method
    /// Whether the request was extended CONNECT, whose success is 200 instead of 101 (RFC 8441 section 5).
    private let isTunnel: Bool
    /// Whether a tunnel was opened.
    package private(set) var hasOpenedTunnel = false

    package init(method: Method, isTunnel: Bool = false) {
        self.method = method
        self.isTunnel = isTunnel
    }

    /// Whether the final head was translated.
    package var hasBegun: Bool {
        if case .awaitingHead = state { false } else { true }
    }

    /// Whether the response is complete.
    package var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Adds written bytes, to be followed by calls of ``next(fields:)`` until it returns `nil`.
    package mutating func append(_ bytes: ByteBuffer) {
        if held.readableBytes == 0 {
            held = bytes
        } else {
            held.writeImmutableBuffer(bytes)
        }
    }

    /// Returns the next part. `nil` if more bytes are needed.
    ///
    /// - Parameter fields: A table that is overwritten.
    package mutating func next(fields: FieldTable) -> Part? {
        switch state {
        case .awaitingHead: return takeHead(fields)
        case .body(var decoder):
            let part = decoder.next(from: &held)
            state = .body(decoder)
            switch part {
            case .needsMore: return nil
            case .data(let bytes): return .data(bytes)
            case .end(let section): return end(section, fields)
            case .malformed: return fail(.invalid)
            }
        case .ended: return held.readableBytes > 0 ? fail(.invalid) : nil
        }
    }

    /// Ends a tunnel.
    package mutating func endTunnel() { state = .ended }

    private mutating func fail(_ part: Part) -> Part {
        state = .ended
        held = ByteBuffer()
        return part
    }

    // MARK: - Heads

    private mutating func takeHead(_ fields: FieldTable) -> Part? {
        while let part = takeAnyHead(fields) {
            // The final response is more important than an interim one that does not fit into one frame.
            guard case .interim(let headers) = part, Self.isTooLarge(headers) else { return part }
        }
        return nil
    }

    private static func isTooLarge(_ headers: HPACKHeaders) -> Bool {
        FieldEncoding.maximumSize(of: headers) > FieldEncoding.maximumHeadSize
    }

    private mutating func takeAnyHead(_ fields: FieldTable) -> Part? {
        guard held.readableBytes > 0 else { return nil }
        var scanned = 0
        guard let length = held.withUnsafeReadableBytes({ HeadScan.end(in: $0, scanned: &scanned) }),
            let head = held.readSlice(length: length)
        else { return nil }
        return head.withUnsafeReadableBytes { bytes in
            let limits = HeadLimits(size: 1 << 20, fields: fields.capacity)
            guard let parsed = try? ResponseParser.parse(bytes, requestMethod: method, fields: fields, limits: limits)
            else { return fail(.invalid) }
            return translate(parsed, bytes, fields)
        }
    }

    private mutating func translate(
        _ head: ResponseHead, _ bytes: UnsafeRawBufferPointer, _ fields: FieldTable
    ) -> Part {
        let opensTunnel = head.status == 101
        guard !opensTunnel || isTunnel else { return fail(.invalid) }
        // Every 2xx would open the tunnel at the client (RFC 8441 section 5), but the upstream has opened none.
        if isTunnel, (200...299).contains(head.status) { return fail(.invalid) }
        hasOpenedTunnel = opensTunnel
        var headers: HPACKHeaders = [:]
        headers.reserveCapacity(fields.count + 1)
        headers.append(":status", opensTunnel ? "200" : String(head.status))
        // A trailers-only response of gRPC has no content length.
        let isTrailersOnly = head.framing == .length(0)
        var isGRPC = false
        headers.append(fields, of: bytes) { kind, name in
            if name == "grpc-status" { isGRPC = true }
            return opensTunnel && (kind == .contentLength || name == "sec-websocket-accept")
        }
        if isGRPC, isTrailersOnly { headers.remove(name: "content-length") }
        if head.isInterim { return .interim(headers) }
        guard !Self.isTooLarge(headers) else { return fail(.headTooLarge) }
        let framing: BodyFraming = opensTunnel ? .untilClose : head.framing
        guard framing.hasBody else {
            state = .ended
            return .head(headers, endsStream: true)
        }
        state = .body(BodyDecoder(framing))
        return .head(headers, endsStream: false)
    }

    // MARK: - The end

    private mutating func end(_ section: ByteBuffer, _ fields: FieldTable) -> Part {
        state = .ended
        var trailers: HPACKHeaders = [:]
        guard section.readableBytes > 0 else { return .end(trailers: trailers) }
        let isValid = section.withUnsafeReadableBytes { bytes -> Bool in
            guard (try? TrailerParser.parse(bytes, fields: fields)) != nil else { return false }
            trailers.append(fields, of: bytes) { _, _ in false }
            return true
        }
        guard isValid else { return fail(.invalid) }
        guard !Self.isTooLarge(trailers) else { return fail(.trailersTooLarge) }
        return .end(trailers: trailers)
    }
}
