/// The strict parser of a trailer section as ``ChunkDecoder`` tells it.
public enum TrailerParser {
    /// Parses `section`, trailer lines with the empty line that ends them, and fills `fields` with offsets in it.
    ///
    /// Which trailers may pass is for the caller to say: framing, routing and credentials have no place in them
    /// (RFC 9110 section 6.5.1); ``FieldKind/mayBeTrailer`` tells those that this module knows.
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
    /// Whether the field may be passed on as a trailer: not when it frames, routes, authenticates or controls a message
    /// or concerns one connection (RFC 9110 section 6.5.1).
    public var mayBeTrailer: Bool {
        switch self {
        case .host, .contentLength, .contentType, .authorization, .cookie, .setCookie, .expect, .wwwAuthenticate: false
        case .forwarded, .forwardedFor, .forwardedHost, .forwardedProto, .origin, .secFetchSite, .location: false
        default: !isHopByHop
        }
    }
}
