/// The identity header lines of one principal, rendered once and copied into each of its requests.
struct RenderedIdentity: Sendable {
    /// Complete field lines, each with its CRLF; the line of the sign-in time is the last.
    var bytes: [UInt8]
    /// How many of `bytes` come before the line of the sign-in time.
    var lengthBeforeTime: Int
    /// The most bytes that the assertion's line may have, and that the principal's kept ones may have together; 0: none is sent.
    var assertionLine = 0
    var assertionsKept = 0
    /// The lines, the assertion's included, are longer than 16 KiB together: such a request is answered with 431.
    var isTooLarge: Bool

    /// The most bytes that the identity lines of a request may have together.
    static let limit = 16_384
}
