/// What is made of one principal once, for all of its requests: the identity header lines, which are copied into each, and the variable of rules.
package struct RenderedIdentity: Sendable {
    /// Complete field lines, each with its CRLF; the line of the sign-in time is the last.
    package var bytes: [UInt8]
    /// How many of `bytes` come before the line of the sign-in time.
    package var lengthBeforeTime: Int
    /// The most bytes that the assertion's line may have, and that the principal's kept ones may have together; 0: none is sent.
    package var assertionLine = 0
    package var assertionsKept = 0
    /// The lines, the assertion's included, are longer than 16 KiB together: such a request is answered with 431.
    package var isTooLarge: Bool

    /// The `auth` variable for rules; nil where there are none.
    package var auth: RuleAuth?

    package init(
        bytes: [UInt8], lengthBeforeTime: Int, assertionLine: Int = 0, assertionsKept: Int = 0, isTooLarge: Bool,
        auth: RuleAuth? = nil
    ) {
        self.bytes = bytes
        self.lengthBeforeTime = lengthBeforeTime
        self.assertionLine = assertionLine
        self.assertionsKept = assertionsKept
        self.isTooLarge = isTooLarge
        self.auth = auth
    }

    /// The most bytes that the identity lines of a request may have together.
    package static let limit = 16_384
}
