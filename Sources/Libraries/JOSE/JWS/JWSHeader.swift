/// What of a JOSE header (RFC 7515 section 4) is looked at. Keys that a header carries or points to (`jwk`, `jku`, `x5c`,
/// `x5u`) are never looked at.
struct JWSHeader {
    let algorithm: String
    let keyID: String?
    let type: String?

    /// Reads the members of `header`, an object.
    init(_ header: JSONValue) throws(JWSError) {
        guard header["crit"] == nil else { throw JWSError(.criticalExtension) }
        guard header["b64"] == nil else { throw JWSError(.unencodedPayload) }
        guard let algorithm = header["alg"]?.string, !algorithm.isEmpty else { throw JWSError(.invalidAlgorithm) }
        self.algorithm = algorithm
        keyID = try Self.string("kid", of: header, atMost: 1024, orElse: .invalidKeyID)
        type = try Self.string("typ", of: header, atMost: 256, orElse: .invalidType)
    }

    /// The string of an optional member; `limit` is in bytes.
    private static func string(
        _ name: String, of header: JSONValue, atMost limit: Int, orElse code: JWSError.Code
    ) throws(JWSError) -> String? {
        guard let value = header[name] else { return nil }
        guard value.writtenLength <= limit, let string = value.string else { throw JWSError(code) }
        return string
    }
}
