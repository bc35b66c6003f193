/// A request as a development server received it.
public struct ReceivedRequest: Sendable, Hashable {
    /// A header or trailer field, its name as received, its value without whitespace around it.
    public struct Field: Sendable, Hashable {
        /// The name, letters in the case that they had.
        public var name: String
        /// The value.
        public var value: String
    }

    /// The method, such as `GET`.
    public var method: String
    /// The request target as it stood in the request line.
    public var target: String
    /// `HTTP/1.1` or `HTTP/1.0`.
    public var version: String
    /// The header fields in their order, those of the same name apart.
    public var fields: [Field]
    /// The trailer fields in their order.
    public var trailers: [Field] = []
    /// The length of the whole body in bytes.
    public var bodyLength = 0
    /// The body's first 16 KiB.
    public var bodyPrefix: [UInt8] = []
    /// The FNV-1a checksum of 64 bits over the whole body.
    public var bodyChecksum: UInt64 = FNV1a.start
    /// Which connection of the server it came on; the first is 1.
    public var connection: Int
    /// Which request of its connection it was; the first is 1.
    public var request: Int
    /// Whether the connection may carry another request afterwards.
    package var keepAlive: Bool
    /// Whether the request arrived to its end; `false` where the connection was closed in the middle.
    public var isComplete = false
}

extension ReceivedRequest {
    /// The longest part of a body that is kept.
    static let keptBody = 16_384

    /// The target before the first `?`.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The path's last segment.
    package var lastSegment: Substring { path.split(separator: "/").last.map { Substring($0) } ?? "" }

    /// Whether the client waits for `100 Continue` before it sends the body.
    package var wantsContinue: Bool { value(of: "Expect")?.lowercased() == "100-continue" }

    /// The values of every field of that name, upper and lower case alike.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The value of the first field of that name, upper and lower case alike.
    public func value(of name: String) -> String? { values(of: name).first }

    /// The body as text, where it is UTF-8 and was kept whole.
    public var bodyText: String? {
        bodyLength == bodyPrefix.count ? String(validating: bodyPrefix, as: UTF8.self) : nil
    }

    mutating func append(body bytes: UnsafeRawBufferPointer) {
        bodyLength += bytes.count
        bodyPrefix.append(contentsOf: bytes.prefix(Self.keptBody - bodyPrefix.count))
        bodyChecksum = FNV1a.add(bytes, to: bodyChecksum)
    }
}

/// The FNV-1a checksum of 64 bits: enough to see that a long body arrived as it was sent.
public enum FNV1a {
    /// The checksum of nothing.
    public static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The checksum of bytes.
    public static func checksum(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { add($0, to: start) } }

    static func add(_ bytes: UnsafeRawBufferPointer, to checksum: UInt64) -> UInt64 {
        var checksum = checksum
        for byte in bytes { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return checksum
    }
}
