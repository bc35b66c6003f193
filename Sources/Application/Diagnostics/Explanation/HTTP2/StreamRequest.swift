import GatewayConfiguration
import HTTP2Mapping
import NIOHPACK

/// The head of an HTTP/2 request as a client sends it, before any check.
struct StreamRequest: Sendable {
    /// The fields, pseudo-headers first.
    let fields: [HTTP2FrontEnd.Field]

    var headers: HPACKHeaders { HPACKHeaders(fields.map { ($0.name, $0.value) }) }

    /// Whether no body follows. A length above 0, a gRPC call and a tunnel announce data.
    var endsStream: Bool {
        !RequestMapping.isGRPC(headers)
            && !fields.contains { name, value in
                name == ":protocol" || (name == "content-length" && value != "0")
            }
    }

    /// The maximum size of a frame's payload before a peer permits more (RFC 9113 section 4.2).
    private static let frameSize = 16_384

    /// Returns HEADERS and, if the head is long, CONTINUATION frames. The fields are literals without compression,
    /// because an encoder would change names.
    func frames(stream: UInt32) -> [UInt8] {
        let block = fields.flatMap { name, value -> [UInt8] in [0] + Self.literal(name) + Self.literal(value) }
        var frames: [UInt8] = []
        for start in stride(from: 0, to: max(1, block.count), by: Self.frameSize) {
            let part = block[start..<min(start + Self.frameSize, block.count)]
            let isLast = start + Self.frameSize >= block.count
            let flags: UInt8 = (isLast ? 4 : 0) | (start == 0 && endsStream ? 1 : 0)
            frames += Self.bytes(UInt32(part.count)).dropFirst()
            frames += [start == 0 ? 1 : 9, flags]
            frames += Self.bytes(stream)
            frames += part
        }
        return frames
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Returns a text with its length as an integer of HPACK (RFC 7541 section 5.2).
    private static func literal(_ text: String) -> [UInt8] {
        var length = [UInt8(min(127, text.utf8.count))]
        if text.utf8.count >= 127 {
            var rest = text.utf8.count - 127
            while rest >= 128 {
                length.append(UInt8(rest & 127 | 128))
                rest >>= 7
            }
            length.append(UInt8(rest))
        }
        return length + text.utf8
    }
}

extension ExplainedRequest {
    /// Returns the head of the request over HTTP/2.
    ///
    /// A request to a path with a field `host` has no `:authority`, like one that came over HTTP/1.1. CONNECT without
    /// `:protocol` has only `:method` and `:authority`.
    func stream(for configuration: Configuration) throws(ExplainedRequestError) -> StreamRequest {
        let (scheme, urlHost, target) = try origin(configuration)
        let given = try fields(configuration)
        let hasHost = given.contains { $0.name == "host" }
        let authority = self.host ?? urlHost ?? (hasHost ? nil : Self.defaultHost(configuration))
        var pseudoHeaders: [HTTP2FrontEnd.Field] = [(":method", method)]
        if method != "CONNECT" || given.contains(where: { $0.name == ":protocol" }) {
            pseudoHeaders += [(":scheme", scheme), (":path", target)]
        }
        if let authority { pseudoHeaders.append((":authority", authority)) }
        let replacements = given.filter { $0.name.hasPrefix(":") }
        for (index, field) in pseudoHeaders.enumerated() {
            guard let other = replacements.first(where: { $0.name == field.name }) else { continue }
            pseudoHeaders[index].value = other.value
        }
        var known = Set(pseudoHeaders.map(\.name))
        // A second one of a name is sent too.
        pseudoHeaders += replacements.filter { known.remove($0.name) == nil }
        let others = given.enumerated().filter { !$0.element.name.hasPrefix(":") }.map { index, field in
            // The fields of the options for credentials have the spelling of the configuration.
            (name: index < self.fields.count ? field.name : field.name.lowercased(), value: field.value)
        }
        return StreamRequest(fields: pseudoHeaders + others)
    }
}
