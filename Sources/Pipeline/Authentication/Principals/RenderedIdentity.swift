/// The precomputed parts of one principal, used for all of its requests: the identity header lines, and the `auth`
/// variable of rules.
package struct RenderedIdentity: Sendable {
    /// Complete field lines, each with its CRLF. The line of the sign-in time is the last one.
    package var bytes: [UInt8]
    /// The number of `bytes` before the line of the sign-in time.
    package var lengthBeforeTime: Int
    /// The maximum size of the assertion's line, and of all cached assertions of the principal, in bytes. 0 if no
    /// assertion is sent.
    package var assertionLine = 0
    package var assertionsKept = 0
    /// Whether the lines, including the assertion, exceed 16 KiB in total. Such a request is rejected with 431.
    package var isTooLarge: Bool

    /// The `auth` variable for rules. `nil` without rules.
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

    /// The maximum size of all identity lines of a request, in bytes.
    package static let limit = 16_384
}
