import GatewayCore
import HTTPWire

/// The request of Envoy's filter `ext_authz` over gRPC: a `CheckRequest` (`envoy/service/auth/v3`).
///
/// Only the attributes that describe the original request are read. Fields that are not known are skipped.
package struct CheckRequest {
    /// The maximum size of the request's body, in bytes. Envoy's own limit of a head is 60 KiB.
    package static let bodyLimit = 262_144
    /// The maximum number of fields of the original request. Envoy's own default is 100.
    static let fieldLimit = 256

    private var method: ArraySlice<UInt8>?
    private var path: ArraySlice<UInt8>?
    private var host: ArraySlice<UInt8>?
    private var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
    /// The fields with repeated ones apart, which Envoy sends in place of the others if it is configured to.
    private var separateFields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]?
    /// The address of the peer of Envoy as text. `nil` if it is not sent.
    private var address: ArraySlice<UInt8>?
    private var hasPipe = false

    /// Reads the only message of a request's body (gRPC over HTTP2, "Length-Prefixed-Message").
    package init(body: [UInt8]) throws(ProtobufError) {
        guard body.count >= 5 else { throw ProtobufError("the body has no message") }
        guard body[0] == 0 else { throw ProtobufError("the message is compressed") }
        let length = body[1...4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length == UInt64(body.count - 5) else { throw ProtobufError("the body is not one message") }
        try self.init(message: body[5...])
    }

    private init(message: ArraySlice<UInt8>) throws(ProtobufError) {
        var attributes: ArraySlice<UInt8>?
        try Self.read(message) { number, value throws(ProtobufError) in
            if number == 1 { try value.store(in: &attributes, "attributes") }
        }
        var (source, request): (ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        try Self.read(attributes) { number, value throws(ProtobufError) in
            switch number {
            case 1: try value.store(in: &source, "source")
            case 4: try value.store(in: &request, "request")
            default: break
            }
        }
        try read(source: source)
        var http: ArraySlice<UInt8>?
        try Self.read(request) { number, value throws(ProtobufError) in
            if number == 2 { try value.store(in: &http, "http") }
        }
        try read(http: http)
    }

    /// Calls `body` with each field of a message. An absent message has none.
    private static func read(
        _ message: ArraySlice<UInt8>?,
        _ body: (UInt64, ProtobufReader.Value) throws(ProtobufError) -> Void
    ) throws(ProtobufError) {
        guard let message else { return }
        var reader = ProtobufReader(message)
        while let field = try reader.next() { try body(field.number, field.value) }
    }

    private mutating func read(source: ArraySlice<UInt8>?) throws(ProtobufError) {
        var (address, socket, pipe): (ArraySlice<UInt8>?, ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        try Self.read(source) { number, value throws(ProtobufError) in
            if number == 1 { try value.store(in: &address, "address") }
        }
        try Self.read(address) { number, value throws(ProtobufError) in
            switch number {
            case 1: try value.store(in: &socket, "socket_address")
            case 2: try value.store(in: &pipe, "pipe")
            default: break
            }
        }
        var text: ArraySlice<UInt8>?
        try Self.read(socket) { number, value throws(ProtobufError) in
            if number == 2 { try value.store(in: &text, "address") }
        }
        self.address = text
        hasPipe = pipe != nil
    }

    private mutating func read(http: ArraySlice<UInt8>?) throws(ProtobufError) {
        var map: ArraySlice<UInt8>?
        guard let http else { return }
        var reader = ProtobufReader(http)
        while let (number, value) = try reader.next() {
            switch number {
            case 2: try value.store(in: &method, "method")
            case 3: try Self.append(try value.bytes(of: "headers"), to: &fields)
            case 4: try value.store(in: &path, "path")
            case 5: try value.store(in: &host, "host")
            case 13: try value.store(in: &map, "header_map")
            default: break
            }
        }
        guard let map else { return }
        var separate: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        var entries = ProtobufReader(map)
        while let (number, value) = try entries.next() {
            guard number == 1 else { continue }
            try Self.append(try value.bytes(of: "header_map.headers"), to: &separate)
        }
        separateFields = separate
    }

    /// Appends an entry: a name, and a value as text or as bytes.
    private static func append(
        _ entry: ArraySlice<UInt8>, to fields: inout [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]
    ) throws(ProtobufError) {
        var (name, value, raw): (ArraySlice<UInt8>?, ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        var reader = ProtobufReader(entry)
        while let (number, field) = try reader.next() {
            switch number {
            case 1: try field.store(in: &name, "key")
            case 2: try field.store(in: &value, "value")
            case 3: try field.store(in: &raw, "raw_value")
            default: break
            }
        }
        guard fields.count < fieldLimit else { throw ProtobufError("the request has too many fields") }
        // Envoy writes either of them.
        guard value?.isEmpty != false || raw?.isEmpty != false else {
            throw ProtobufError("a field has two values")
        }
        fields.append((name ?? [], (value?.isEmpty == false ? value : raw) ?? []))
    }
}

// MARK: - The description

extension CheckRequest {
    /// The address of the client. `nil` if it uses a Unix socket.
    func client() throws(DescriptionError) -> IPAddress? {
        guard let address else {
            guard hasPipe else { throw DescriptionError("attributes.source.address is missing") }
            return nil
        }
        guard let parsed = IPAddress(String(decoding: address, as: UTF8.self)) else {
            throw DescriptionError("attributes.source.address is not an address")
        }
        return parsed
    }

    /// The original request as the head of a request in HTTP/1.1, which is read like that of a proxy.
    func head() throws(DescriptionError) -> [UInt8] {
        let method = try Self.required(method, "attributes.request.http.method")
        let path = try Self.required(path, "attributes.request.http.path")
        let host = try Self.required(host, "attributes.request.http.host")
        var head: [UInt8] = []
        head += method
        head.append(UInt8(ascii: " "))
        head += path
        head += " HTTP/1.1\r\nHost: ".utf8
        head += host
        head += "\r\n".utf8
        for (name, value) in separateFields ?? fields where name.first != UInt8(ascii: ":") {
            guard !Self.isReplaced(name) else { continue }
            guard name.withContiguousStorageIfAvailable({ ASCII.isToken(UnsafeRawBufferPointer($0)) }) == true,
                !value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
            else { throw DescriptionError("attributes.request.http.headers has an invalid field") }
            head += name
            head += ": ".utf8
            head += value
            head += "\r\n".utf8
        }
        return head + Array("\r\n".utf8)
    }

    /// The number of fields of ``head()``, at most.
    var fieldCount: Int { (separateFields ?? fields).count + 1 }

    /// The names of the fields of the original request, in lower case.
    var names: [String] {
        (separateFields ?? fields).map { String(decoding: $0.name, as: UTF8.self).lowercased() }
    }

    /// Whether the field is that of an attribute, or of the body, which is not read.
    private static func isReplaced(_ name: ArraySlice<UInt8>) -> Bool {
        name.elementsEqual("host".utf8) || name.elementsEqual("content-length".utf8)
            || name.elementsEqual("transfer-encoding".utf8)
    }

    private static func required(
        _ value: ArraySlice<UInt8>?, _ name: StaticString
    ) throws(DescriptionError) -> ArraySlice<UInt8> {
        guard let value else { throw DescriptionError("\(name) is missing") }
        guard !value.isEmpty else { throw DescriptionError("\(name) is empty") }
        guard value.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw DescriptionError("\(name) has a space or a control character")
        }
        return value
    }
}
