package import HTTPWire

/// A CORS preflight request (Fetch, section 3.3.2).
///
/// It must have the form that browsers send: `OPTIONS` with one valid `Origin` and one valid
/// `Access-Control-Request-Method`. Any other request with that method is an ordinary one.
package struct Preflight {
    /// The maximum number and size of names in `Access-Control-Request-Headers`. Beyond that, all are ignored.
    static let maximumHeaders = 64
    static let maximumHeaderBytes = 4_096

    /// The requested method.
    package let method: ByteRange
    /// The names of the requested fields. Empty if any is invalid.
    let headers: [String]

    /// Parses a preflight. `nil` for other requests.
    package init?(_ request: RequestView) {
        guard request.head.method == .options, request.fields.count(of: .origin) == 1,
            let origin = request.fields.first(.origin), Self.isOrigin(origin.value, in: request.bytes)
        else { return nil }
        var method: ByteRange?
        var headers: [ByteRange] = []
        for index in 0..<request.fields.count where request.fields[index].kind == .other {
            let field = request.fields[index]
            let name = field.name.bytes(in: request.bytes)
            if ASCII.equals(name, "Access-Control-Request-Method") {
                guard method == nil else { return nil }
                method = field.value
            } else if ASCII.equals(name, "Access-Control-Request-Headers") {
                headers.append(field.value)
            }
        }
        guard let method, Self.isMethod(method.bytes(in: request.bytes)) else { return nil }
        self.method = method
        self.headers = Self.names(in: headers, of: request.bytes)
    }

    /// Returns the name of the requested method.
    package func methodName(in head: UnsafeRawBufferPointer) -> String {
        String(decoding: method.bytes(in: head), as: UTF8.self)
    }

    private static func names(in values: [ByteRange], of head: UnsafeRawBufferPointer) -> [String] {
        guard values.reduce(0, { $0 + $1.count }) <= maximumHeaderBytes else { return [] }
        var names: [String] = []
        for value in values {
            for name in ListMembers(value.bytes(in: head)) {
                let name = String(decoding: name, as: UTF8.self)
                guard names.count < maximumHeaders, FieldName.isValid(name) else { return [] }
                names.append(name)
            }
        }
        return names
    }

    /// Returns whether the value is `null`, or a scheme and a host with an optional port (RFC 6454 section 6.2).
    private static func isOrigin(_ value: ByteRange, in head: UnsafeRawBufferPointer) -> Bool {
        let bytes = value.bytes(in: head)
        if bytes.elementsEqual("null".utf8) { return true }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes.count > colon + 3,
            bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/"),
            bytes[..<colon].allSatisfy(isSchemeByte)
        else { return false }
        let skipped = UInt32(truncatingIfNeeded: colon + 3)
        let authority = ByteRange(start: value.start &+ skipped, length: value.length &- skipped)
        return Authority(authority, in: head) != nil
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+-.".utf8.contains(byte)
        }
    }

    /// Returns whether the method is permitted in a request; browsers forbid CONNECT and TRACE (Fetch, section 2.2.1).
    private static func isMethod(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let name = String(decoding: bytes, as: UTF8.self)
        guard FieldName.isValid(name, atMost: HTTPWire.Method.maximumLength) else { return false }
        switch HTTPWire.Method(bytes) {
        case .connect, .trace: return false
        default: return true
        }
    }
}
