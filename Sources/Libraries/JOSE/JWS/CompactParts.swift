/// The three parts of a compact serialization (RFC 7515 section 7.1), still encoded.
struct CompactParts {
    let header: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    let signature: UnsafeRawBufferPointer
    /// Header, dot, payload: what is signed.
    let signingInput: UnsafeRawBufferPointer

    /// Splits `token` at its dots. Costs one pass over at most `maximumSize` bytes and allocates nothing.
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
