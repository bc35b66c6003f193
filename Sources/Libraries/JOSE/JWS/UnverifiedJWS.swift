/// A parsed but unverified token (RFC 7515, compact serialization). Its content is untrusted.
public struct UnverifiedJWS: Sendable {
    /// The header's `alg`, unchanged.
    public let algorithmName: String
    /// The header's `alg`. `nil` if the algorithm is not supported.
    public var algorithm: Algorithm? { Algorithm(rawValue: algorithmName) }
    /// The header's `kid`, at most 1 KiB.
    public let keyID: String?
    /// The header's `typ`, at most 256 bytes.
    public let type: String?
    /// The header, an object.
    public let header: JSONDocument
    /// The payload, an object.
    public let payload: JSONDocument

    private let signature: [UInt8]
    private let signingInput: [UInt8]

    /// Whether the token ends with its second dot, as unsigned tokens do. ``verify(with:algorithm:)`` rejects it.
    public var hasEmptySignature: Bool { signature.isEmpty }

    /// Parses a token of at most `maximumSize` bytes. It has three parts in strict base64url. Header and payload are
    /// JSON objects, within ``JSONLimits/token`` and that size. `alg`, `kid` and `typ` are strings. `crit` and `b64`
    /// are absent.
    public init(_ token: UnsafeRawBufferPointer, maximumSize: Int = 16_384) throws(JWSError) {
        let parts = try CompactParts(token, maximumSize: maximumSize)
        header = try Self.document(
            parts.header, maximumSize, encoding: .invalidHeaderEncoding, json: .invalidHeaderJSON,
            kind: .headerNotObject)
        let fields = try JWSHeader(header.root)
        algorithmName = fields.algorithm
        keyID = fields.keyID
        type = fields.type
        guard let signature = Base64URL.decode(parts.signature) else { throw JWSError(.invalidSignatureEncoding) }
        payload = try Self.document(
            parts.payload, maximumSize, encoding: .invalidPayloadEncoding, json: .invalidPayloadJSON,
            kind: .payloadNotObject)
        self.signature = signature
        signingInput = [UInt8](parts.signingInput)
    }

    /// Parses an array like ``init(_:maximumSize:)-(UnsafeRawBufferPointer,_)``.
    public init(_ token: [UInt8], maximumSize: Int = 16_384) throws(JWSError) {
        self = try token.withUnsafeBytes { bytes in
            Result { () throws(JWSError) in try UnverifiedJWS(bytes, maximumSize: maximumSize) }
        }.get()
    }

    /// Parses a string's UTF-8 like ``init(_:maximumSize:)-(UnsafeRawBufferPointer,_)``.
    public init(_ token: String, maximumSize: Int = 16_384) throws(JWSError) {
        try self.init([UInt8](token.utf8), maximumSize: maximumSize)
    }

    /// Verifies the token. `nil` unless `algorithm` equals the header's, the key supports it, and the signature is
    /// valid.
    ///
    /// The caller and the key determine the algorithm; the header can only match it.
    public func verify(with key: PublicKey, algorithm: Algorithm) -> VerifiedJWS? {
        guard algorithmName == algorithm.rawValue, !signature.isEmpty else { return nil }
        guard key.isValid(signature: signature, of: signingInput, by: algorithm) else { return nil }
        return VerifiedJWS(self)
    }

    private static func document(
        _ part: UnsafeRawBufferPointer, _ maximumSize: Int, encoding: JWSError.Code, json: JWSError.Code,
        kind: JWSError.Code
    ) throws(JWSError) -> JSONDocument {
        guard !part.isEmpty, let bytes = Base64URL.decode(part) else { throw JWSError(encoding) }
        let token = JSONLimits.token
        let limits = JSONLimits(size: maximumSize, depth: token.depth, members: token.members)
        let document: JSONDocument
        do {
            document = try JSONDocument(bytes, limits: limits)
        } catch {
            throw JWSError(json, json: error)
        }
        guard document.root.kind == .object else { throw JWSError(kind) }
        return document
    }
}

/// A token with a verified signature. The caller still has to check its claims, including the expiry.
public struct VerifiedJWS: Sendable {
    /// The header, an object.
    public let header: JSONDocument
    /// The payload, an object.
    public let payload: JSONDocument

    /// Only ``UnverifiedJWS/verify(with:algorithm:)`` creates an instance.
    fileprivate init(_ token: UnverifiedJWS) {
        header = token.header
        payload = token.payload
    }
}

/// The three parts of a compact serialization (RFC 7515 section 7.1), still encoded.
struct CompactParts {
    let header: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    let signature: UnsafeRawBufferPointer
    /// The signed text: header, dot, payload.
    let signingInput: UnsafeRawBufferPointer

    /// Splits `token` at its dots, in one pass over at most `maximumSize` bytes and without an allocation.
    init(_ token: UnsafeRawBufferPointer, maximumSize: Int) throws(JWSError) {
        guard token.count <= maximumSize else { throw JWSError(.tooLarge) }
        var (first, second, dots) = (0, 0, 0)
        for position in token.indices where token[position] == UInt8(ascii: ".") {
            dots += 1
            if dots == 1 { first = position }
            if dots == 2 { second = position }
        }
        guard dots == 2 else { throw JWSError(dots == 4 ? .encrypted : .wrongPartCount) }
        header = UnsafeRawBufferPointer(rebasing: token[..<first])
        payload = UnsafeRawBufferPointer(rebasing: token[(first + 1)..<second])
        signature = UnsafeRawBufferPointer(rebasing: token[(second + 1)...])
        signingInput = UnsafeRawBufferPointer(rebasing: token[..<second])
    }
}
