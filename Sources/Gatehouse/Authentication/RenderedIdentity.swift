/// What is made of one principal once, for all of its requests: the identity header lines, which are copied into each, and the variable of rules.
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

    /// The `auth` variable for rules; nil where there are none.
    var auth: RuleAuth?

    /// The most bytes that the identity lines of a request may have together.
    static let limit = 16_384
}
