/// A request received by a development server.
public struct ReceivedRequest: Sendable, Hashable {
    /// A header or trailer field: its name as received, its value without surrounding white space.
    public struct Field: Sendable, Hashable {
        /// The name in its original case.
        public var name: String
        /// The value.
        public var value: String
    }

    /// The method, for example `GET`.
    public var method: String
    /// The request target of the request line.
    public var target: String
    /// `HTTP/1.1` or `HTTP/1.0`.
    public var version: String
    /// The header fields in order; repeated fields are not combined.
    public var fields: [Field]
    /// The trailer fields in order.
    public var trailers: [Field] = []
    /// The length of the complete body, in bytes.
    public var bodyLength = 0
    /// The body's first 16 KiB.
    public var bodyPrefix: [UInt8] = []
    /// The 64-bit FNV-1a checksum of the complete body.
    public var bodyChecksum: UInt64 = FNV1a.start
    /// The number of the connection, starting at 1.
    public var connection: Int
    /// The number of the request on its connection, starting at 1.
    public var request: Int
    /// Whether the connection may carry another request.
    package var keepAlive: Bool
    /// Whether the request is complete. `false` if the connection was closed before its end.
    public var isComplete = false
}

extension ReceivedRequest {
    /// The maximum number of body bytes that are kept.
    static let keptBody = 16_384

    /// The target before the first `?`.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The last segment of the path.
    package var lastSegment: Substring { path.split(separator: "/").last.map { Substring($0) } ?? "" }

    /// Whether the client waits for `100 Continue` before it sends the body.
    package var wantsContinue: Bool { value(of: "Expect")?.lowercased() == "100-continue" }

    /// Returns the values of all fields with that name, ignoring case.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Returns the value of the first field with that name, ignoring case.
    public func value(of name: String) -> String? { values(of: name).first }

    /// The body as text. `nil` if it is not UTF-8 or not completely kept.
    public var bodyText: String? {
        bodyLength == bodyPrefix.count ? String(validating: bodyPrefix, as: UTF8.self) : nil
    }

    mutating func append(body bytes: UnsafeRawBufferPointer) {
        bodyLength += bytes.count
        bodyPrefix.append(contentsOf: bytes.prefix(Self.keptBody - bodyPrefix.count))
        bodyChecksum = FNV1a.add(bytes, to: bodyChecksum)
    }
}

/// The 64-bit FNV-1a checksum, sufficient to detect transmission errors in a long body.
public enum FNV1a {
    /// The checksum of no bytes.
    public static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Returns the checksum of bytes.
    public static func checksum(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { add($0, to: start) } }

    static func add(_ bytes: UnsafeRawBufferPointer, to checksum: UInt64) -> UInt64 {
        var checksum = checksum
        for byte in bytes { checksum = (checksum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return checksum
    }
}
