/// A strict decoder of one chunked body (RFC 9112 section 7.1) that copies and keeps no bytes.
///
/// It is given the bytes that follow those it consumed, as they arrive, and tells where the payload is in them:
///
///     while true {
///         switch try decoder.next(unread) {
///         case .payload(let range): forward(unread[range]); unread.removeFirst(range.upperBound)
///         case .needsMore(let consumed): unread.removeFirst(consumed); return       // the rest comes again, with more
///         case .end(let consumed, let trailers): use(unread[trailers]); unread.removeFirst(consumed)
///         }
///     }
public struct ChunkDecoder: Sendable {
    /// The most hexadecimal digits of a size.
    public static let maximumDigits = 16
    /// The most bytes of one chunk's extensions, their semicolons among them. Extensions are checked and dropped.
    public static let maximumExtension = 256
    /// The most bytes of the trailer section, its empty line among them.
    public static let maximumTrailers = 8_192
    /// The most fields of the trailer section.
    public static let maximumTrailerFields = 64

    /// What the bytes given hold next. Offsets count from the first byte given.
    public enum Event: Sendable, Equatable {
        /// Payload, at least one byte. The bytes up to its end are consumed.
        case payload(Range<Int>)
        /// Nothing further yet: `consumed` bytes are done with; those after them, at most
        /// ``ChunkDecoder/maximumTrailers``, are to be given again with what follows.
        case needsMore(consumed: Int)
        /// The body is over after `consumed` bytes. `trailers` are its trailer lines with their empty line, checked, or
        /// empty where there are none.
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
    /// The size being read, then the payload bytes that are still to come.
    var remaining: UInt64 = 0

    /// A decoder at the start of a body.
    public init() {}

    /// Whether `end` was told.
    public var isFinished: Bool { state == .finished }

    /// What `bytes`, those after what was consumed, hold next. After `end`, and after an error, it is not to be called.
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
    /// Takes one byte of a size line or of the CRLF after a payload.
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
        if let digit = ByteClass.hexValue(byte) {
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
}
