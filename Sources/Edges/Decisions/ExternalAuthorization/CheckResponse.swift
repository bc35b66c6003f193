import GatewayCore
package import HTTPServer
import JOSE
import NIOCore

/// The response to Envoy's filter `ext_authz` over gRPC: a `CheckResponse` (`envoy/service/auth/v3`).
///
/// Envoy permits a request if the message is empty. Every message therefore has a status, also that of a permit, whose
/// code is 0.
package enum CheckResponse {
    /// The code of a denial with this status (`google.rpc.Code`): UNAUTHENTICATED, PERMISSION_DENIED or UNAVAILABLE.
    static func code(of status: UInt16) -> UInt64 {
        switch status {
        case 401: 16
        case 403: 7
        default: 14
        }
    }

    /// Returns the response to a permitted request.
    ///
    /// - Parameters:
    ///   - fields: The fields to set, with names in lower case.
    ///   - removed: The names of the fields to remove. None of them is set, because Envoy removes after it sets.
    ///   - auth: The `auth` variable, for Envoy's dynamic metadata. `nil` for an anonymous request.
    static func permitting(
        _ fields: [(name: String, value: ArraySlice<UInt8>)], removed: [String], auth: JSONValue?
    ) -> [UInt8] {
        var permitted = ProtobufWriter()
        for field in fields { permitted.add(2, option(Array(field.name.utf8)[...], field.value)) }
        for name in removed { permitted.add(5, name.utf8) }
        var response = ProtobufWriter()
        response.add(1, [])
        response.add(3, permitted.bytes)
        response.add(4, metadata(auth))
        return response.bytes
    }

    /// Returns the response to a denied request, which Envoy passes on to the client.
    ///
    /// - Parameter problem: The response as the gateway sends it over HTTP/1.1.
    package static func denying(_ problem: ProblemResponse, status: UInt16) -> [UInt8] {
        var output = ByteBuffer()
        problem.write(into: &output, date: [])
        let bytes = Array(output.readableBytesView)
        var denied = ProtobufWriter()
        var httpStatus = ProtobufWriter()
        httpStatus.add(1, varint: UInt64(status))
        denied.add(1, httpStatus.bytes)
        var rest = bytes[...]
        // The first line is the status line.
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[..<end].dropLast()
            rest = rest[(end + 1)...]
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = line[..<colon].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            // Envoy writes these itself.
            guard !["content-length", "connection"].contains(where: { name.elementsEqual($0.utf8) }) else {
                continue
            }
            denied.add(2, option(name[...], line[(colon + 1)...].drop { $0 == 0x20 }))
        }
        denied.add(3, rest)
        var rpc = ProtobufWriter()
        rpc.add(1, varint: code(of: status))
        var response = ProtobufWriter()
        response.add(1, rpc.bytes)
        response.add(2, denied.bytes)
        return response.bytes
    }

    /// A `HeaderValueOption` that replaces the request's field.
    private static func option(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> [UInt8] {
        var header = ProtobufWriter()
        header.add(1, name)
        header.add(2, value)
        var option = ProtobufWriter()
        option.add(1, header.bytes)
        // `append: false`, a message of its own.
        option.add(2, [])
        return option.bytes
    }

    // MARK: - Metadata

    /// A `google.protobuf.Struct` with the member `auth`.
    private static func metadata(_ auth: JSONValue?) -> [UInt8] {
        var structure = ProtobufWriter()
        structure.add(1, member("auth", auth.map(value) ?? null))
        return structure.bytes
    }

    private static func member(_ name: String, _ value: [UInt8]) -> [UInt8] {
        var entry = ProtobufWriter()
        entry.add(1, name.utf8)
        entry.add(2, value)
        return entry.bytes
    }

    private static var null: [UInt8] {
        var writer = ProtobufWriter()
        writer.add(1, varint: 0)
        return writer.bytes
    }

    /// A `google.protobuf.Value`. Its numbers have 64 bits of floating point. The depth is that of verified claims.
    private static func value(_ json: JSONValue) -> [UInt8] {
        var writer = ProtobufWriter()
        switch json.kind {
        case .null: return null
        case .bool: writer.add(4, varint: json.bool == true ? 1 : 0)
        case .integer, .number: writer.add(2, double: json.double ?? 0)
        case .string: writer.add(3, (json.string ?? "").utf8)
        case .array:
            var list = ProtobufWriter()
            for element in json.elements { list.add(1, value(element)) }
            writer.add(6, list.bytes)
        case .object:
            var structure = ProtobufWriter()
            for (name, element) in json.members { structure.add(1, member(name, value(element))) }
            writer.add(5, structure.bytes)
        }
        return writer.bytes
    }
}
