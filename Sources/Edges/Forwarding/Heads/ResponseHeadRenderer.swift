import GatewayCore
import HTTPWire
import NIOCore

/// The heads of responses, converted from the upstream's bytes to the client's.
enum ResponseHeadRenderer {
    /// The maximum size of a response head, and the maximum number of fields.
    static let sizeLimit = 65_536
    static let limits = HeadLimits(size: sizeLimit, fields: 256)

    static func delivery(of framing: BodyFraming, minorVersion: UInt8) -> UpstreamExchange.Delivery {
        switch framing {
        case .none, .length: .asIs
        case .chunked, .untilClose: minorVersion == 0 ? .untilClose : .chunked
        }
    }

    /// Renders the final head: the upstream's fields without connection-specific ones, and the gateway's own framing
    /// and request ID.
    ///
    /// - Parameters:
    ///   - requestID: The ID of the request, which replaces the upstream's `X-Request-Id`.
    ///   - trailers: The trailer fields that may follow the body. Only these are announced.
    ///   - additions: The route's field policy for responses.
    ///   - origin: The index of the request's origin in that policy.
    ///   - cookie: The lines of a renewed session cookie.
    ///   - room: The number of additional bytes to reserve after the head.
    static func render(
        _ head: ResponseHead, bytes: UnsafeRawBufferPointer, fields: FieldTable, requestID: (UInt64, UInt64),
        trailers: TrailerFilter? = nil, delivery: UpstreamExchange.Delivery, closes: Bool, minorVersion: UInt8,
        additions: ResponseFieldPolicy? = nil, origin: Int = CORSPolicy.nowhere, cookie: [UInt8]? = nil,
        room: Int = 0, into output: inout ByteBuffer
    ) {
        let added = (additions?.count(to: origin) ?? 0) + (cookie?.count ?? 0)
        _ = output.render(from: bytes, atMost: bytes.count + added + 240 + room) { writer in
            writeStatusLine(head, bytes, &writer)
            writeKeptFields(
                bytes, fields, keepsLength: head.status != 204, removed: additions?.removed, &writer)
            writer.append(requestID: requestID)
            trailers?.announce(in: &writer)
            if let additions { additions.write(to: origin, &writer) }
            if let cookie { writer.append(cookie) }
            if delivery == .chunked { writer.append("Transfer-Encoding: chunked\r\n") }
            if closes {
                writer.append("Connection: close\r\n")
            } else if minorVersion == 0 {
                writer.append("Connection: keep-alive\r\n")
            }
            writer.append("\r\n")
        }
    }

    /// Renders an interim (1xx) response.
    static func renderInterim(
        _ head: ResponseHead, bytes: UnsafeRawBufferPointer, fields: FieldTable, additions: ResponseFieldPolicy? = nil,
        into output: inout ByteBuffer
    ) {
        _ = output.render(from: bytes, atMost: bytes.count + 32) { writer in
            writeStatusLine(head, bytes, &writer)
            writeKeptFields(
                bytes, fields, keepsLength: false, removed: additions?.removed, &writer)
            writer.append("\r\n")
        }
    }

    private static func writeStatusLine(
        _ head: ResponseHead, _ bytes: UnsafeRawBufferPointer, _ writer: inout HeadWriter
    ) {
        writer.append("HTTP/1.1 ")
        writer.append(UnsafeRawBufferPointer(rebasing: bytes[9..<12]))
        writer.append(" ")
        writer.keep(head.reason)
        writer.append("\r\n")
    }

    /// Writes the fields that are neither connection-specific nor removed by the configuration. The upstream's
    /// `X-Request-Id` is omitted, because the logs contain the gateway's.
    private static func writeKeptFields(
        _ bytes: UnsafeRawBufferPointer, _ fields: FieldTable, keepsLength: Bool,
        removed: ManagedFieldMatcher?, _ writer: inout HeadWriter
    ) {
        for index in 0..<fields.count {
            let field = fields[index]
            if field.isHopByHop || field.kind == .requestID { continue }
            // RFC 9110 section 8.6: no Content-Length with 1xx and 204.
            if field.kind == .contentLength && !keepsLength { continue }
            if let removed, removed.matches(field.name.bytes(in: bytes)) { continue }
            writer.keep(field.line)
        }
    }
}

/// The content types of unbounded responses.
enum StreamType {
    /// Returns whether a type is an event stream, gRPC, or a sequence of replacing parts.
    @inline(__always)
    static func isStream(_ type: UnsafeRawBufferPointer) -> Bool {
        guard type.count >= 16 else { return false }
        switch type[0] | 0x20 {
        case UInt8(ascii: "t"): return begins(type, "text/event-stream")
        case UInt8(ascii: "a"): return begins(type, "application/grpc")
        case UInt8(ascii: "m"): return begins(type, "multipart/x-mixed-replace")
        default: return false
        }
    }

    private static func begins(_ type: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        return type.count >= count && ASCII.equals(UnsafeRawBufferPointer(rebasing: type[..<count]), text)
    }
}
