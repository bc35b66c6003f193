internal import TextCoding

/// A strict decoder of one chunked body (RFC 9112 section 7.1) that neither copies nor keeps bytes.
///
/// It takes the unconsumed bytes as they arrive, and returns the position of the payload in them:
///
///     while true {
///         switch try decoder.next(unread) {
///         case .payload(let range): forward(unread[range]); unread.removeFirst(range.upperBound)
///         case .needsMore(let consumed): unread.removeFirst(consumed); return       // the rest comes again, with more
///         case .end(let consumed, let trailers): use(unread[trailers]); unread.removeFirst(consumed)
///         }
///     }
public struct ChunkDecoder: Sendable {
    /// The maximum number of hexadecimal digits of a size.
    public static let maximumDigits = 16
    /// The maximum size of one chunk's extensions, including their semicolons. Extensions are checked and dropped.
    public static let maximumExtension = 256
    /// The maximum size of the trailer section, including its empty line.
    public static let maximumTrailers = 8_192
    /// The maximum number of fields in the trailer section.
    public static let maximumTrailerFields = 64

    /// The next element of the body. Offsets are relative to the first byte of the input.
    public enum Event: Sendable, Equatable {
        /// Payload of at least one byte. The bytes up to its end are consumed.
        case payload(Range<Int>)
        /// More bytes are needed. `consumed` bytes are processed; the remaining ones, at most
        /// ``ChunkDecoder/maximumTrailers``, must be passed again together with the following bytes.
        case needsMore(consumed: Int)
        /// The end of the body, after `consumed` bytes. `trailers` is the range of the checked trailer lines with
        /// their empty line, or empty.
        case end(consumed: Int, trailers: Range<Int>)
    }

    enum State: Sendable, Equatable {
        case size(digits: Int)
        case chunkExtension(ChunkExtension)
        case sizeLineFeed
        case payload
        case payloadCarriageReturn
        case payloadLineFeed
        case trailers(scanned: Int)
        case finished
    }

    var state = State.size(digits: 0)
    /// The size being read, then the number of remaining payload bytes.
    var remaining: UInt64 = 0

    /// Creates a decoder for the start of a body.
    public init() {}

    /// Whether `end` was returned.
    public var isFinished: Bool { state == .finished }

    /// Returns the next element in `bytes`, the unconsumed input. Must not be called after `end` or an error.
    public mutating func next(_ bytes: UnsafeRawBufferPointer) throws(ChunkError) -> Event {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return .needsMore(consumed: 0) }
        var position = 0
        while position < bytes.count {
            switch state {
            case .payload: return payload(from: position, count: bytes.count)
            case .trailers(let scanned): return try trailers(base, from: position, count: bytes.count, scanned)
            case .finished: return .end(consumed: position, trailers: position..<position)
            default:
                try step(base.byte(position))
                position &+= 1
            }
        }
        return .needsMore(consumed: position)
    }

    private mutating func payload(from position: Int, count: Int) -> Event {
        let length = Int(min(remaining, UInt64(count &- position)))
        remaining &-= UInt64(length)
        if remaining == 0 { state = .payloadCarriageReturn }
        return .payload(position..<position &+ length)
    }
}

extension ChunkDecoder {
    /// Processes one byte of a size line or of the CRLF after a payload.
    @inline(__always)
    private mutating func step(_ byte: UInt8) throws(ChunkError) {
        switch state {
        case .size(let digits): try size(byte, digits)
        case .chunkExtension(let rest): try chunkExtension(byte, rest)
        case .sizeLineFeed: try sizeLineFeed(byte)
        case .payloadCarriageReturn: try expect(byte, 0x0D, then: .payloadLineFeed)
        case .payloadLineFeed: try expect(byte, 0x0A, then: .size(digits: 0))
        case .payload, .trailers, .finished: break
        }
    }

    private mutating func size(_ byte: UInt8, _ digits: Int) throws(ChunkError) {
        if let digit = HexDigits.value(of: byte) {
            guard digits < ChunkDecoder.maximumDigits else { throw .invalidSize }
            remaining = remaining &<< 4 | UInt64(digit)
            state = .size(digits: digits &+ 1)
            return
        }
        guard digits > 0 else { throw .invalidSize }
        guard remaining <= UInt64(Int64.max) else { throw .sizeTooLarge }
        switch byte {
        case 0x0D: state = .sizeLineFeed
        case 0x3B: state = .chunkExtension(ChunkExtension())
        default: throw .invalidSize
        }
    }

    private mutating func chunkExtension(_ byte: UInt8, _ rest: ChunkExtension) throws(ChunkError) {
        var rest = rest
        state = try rest.take(byte) ? .sizeLineFeed : .chunkExtension(rest)
    }

    private mutating func sizeLineFeed(_ byte: UInt8) throws(ChunkError) {
        guard byte == 0x0A else { throw .invalidExtension }
        state = remaining == 0 ? .trailers(scanned: 0) : .payload
    }

    private mutating func expect(_ byte: UInt8, _ wanted: UInt8, then next: State) throws(ChunkError) {
        guard byte == wanted else { throw .missingLineEnd }
        state = next
    }

    /// Searches for the end of the trailer section at `start`, of which `scanned` bytes were searched. The section is
    /// only consumed as a whole, so that the decoder need not keep it.
    mutating func trailers(
        _ base: UnsafeRawPointer, from start: Int, count: Int, _ scanned: Int
    ) throws(ChunkError) -> Event {
        let section = UnsafeRawBufferPointer(start: base + start, count: count &- start)
        if section[0] == 0x0D { return try withoutTrailers(section, start) }
        var scanned = scanned
        guard let length = HeadScan.end(in: section, scanned: &scanned) else {
            guard section.count < ChunkDecoder.maximumTrailers else { throw .trailersTooLarge }
            state = .trailers(scanned: scanned)
            return .needsMore(consumed: start)
        }
        guard length <= ChunkDecoder.maximumTrailers else { throw .trailersTooLarge }
        try validate(UnsafeRawBufferPointer(rebasing: section[..<length]))
        return finish(start &+ length, trailers: start..<start &+ length)
    }

    /// Handles a section that begins with CR: it must be an empty line.
    private mutating func withoutTrailers(_ section: UnsafeRawBufferPointer, _ start: Int) throws(ChunkError) -> Event {
        guard section.count >= 2 else { return .needsMore(consumed: start) }
        guard section[1] == 0x0A else { throw .malformedTrailers(.malformed(reason: "bare CR")) }
        return finish(start &+ 2, trailers: start &+ 2..<start &+ 2)
    }

    private mutating func finish(_ consumed: Int, trailers: Range<Int>) -> Event {
        state = .finished
        return .end(consumed: consumed, trailers: trailers)
    }

    private func validate(_ section: UnsafeRawBufferPointer) throws(ChunkError) {
        do throws(HeadError) {
            let input = try HeadInput(section, HeadLimits(size: ChunkDecoder.maximumTrailers))
            let end = try FieldLines.validate(input, from: 0, limit: ChunkDecoder.maximumTrailerFields)
            guard end == input.count else { throw .malformed(reason: "bytes after the trailers") }
        } catch {
            throw .malformedTrailers(error)
        }
    }
}

/// A strict parser of the trailer section that ``ChunkDecoder`` returns.
public enum TrailerParser {
    /// Parses `section`, trailer lines with the empty line that ends them, and fills `fields` with offsets in it.
    ///
    /// The caller decides which trailers to forward. Framing, routing and credentials are not permitted in trailers
    /// (RFC 9110 section 6.5.1): see ``FieldKind/mayBeTrailer``.
    public static func parse(
        _ section: UnsafeRawBufferPointer, fields: FieldTable, limits: HeadLimits = HeadLimits()
    ) throws(HeadError) {
        fields.removeAll()
        if section.isEmpty { return }
        let input = try HeadInput(section, limits)
        let end = try FieldLines.parse(input, from: 0, into: fields, limit: limits.fields)
        guard end == input.count else { throw .malformed(reason: "bytes after the trailers") }
    }
}

extension FieldKind {
    /// Whether the field may be forwarded as a trailer. Fields that frame, route, authenticate or control a message,
    /// or that concern one connection, may not (RFC 9110 section 6.5.1).
    public var mayBeTrailer: Bool {
        switch self {
        case .host, .contentLength, .contentType, .authorization, .cookie, .setCookie, .expect, .wwwAuthenticate: false
        case .forwarded, .forwardedFor, .forwardedHost, .forwardedProto, .origin, .secFetchSite, .location: false
        default: !isHopByHop
        }
    }
}

/// The size line of a chunk: hexadecimal digits and CRLF.
public enum ChunkHeader {
    /// The maximum size of the line.
    public static let maximumLength = 18

    /// Writes the line of a chunk of `size` bytes to the start of `output` and returns its length. `output` must have
    /// room for ``maximumLength`` bytes. Size 0 writes the last chunk's line; trailers or an empty line follow.
    public static func write(_ size: UInt64, into output: UnsafeMutableRawBufferPointer) -> Int {
        precondition(output.count >= maximumLength, "insufficient space for a chunk header")
        let digits = max(1, (67 - size.leadingZeroBitCount) / 4)
        var rest = size
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            output[place] = digit < 10 ? digit + 0x30 : digit + 0x57
            rest >>= 4
        }
        output[digits] = 0x0D
        output[digits + 1] = 0x0A
        return digits + 2
    }
}

/// The reason that a chunked body is rejected. The end of the message is then unknown, so the connection must close.
public enum ChunkError: Error, Sendable, Equatable {
    /// A chunk does not begin with one to 16 hexadecimal digits and CRLF or an extension.
    case invalidSize
    /// The size is above `Int64.max`.
    case sizeTooLarge
    /// A malformed chunk extension, or a bare CR or LF. An extension is a token, optionally with a token or quoted
    /// string as its value.
    case invalidExtension
    /// The extensions have more than ``ChunkDecoder/maximumExtension`` bytes.
    case extensionTooLong
    /// No CRLF at the end of a chunk's payload.
    case missingLineEnd
    /// The trailer section has more than ``ChunkDecoder/maximumTrailers`` bytes.
    case trailersTooLarge
    /// The trailer section violates the rules of field lines.
    case malformedTrailers(HeadError)
}
