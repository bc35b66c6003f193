/// The reason that a path is rejected with 400, before routing.
package struct PathError: Error, Hashable, Sendable {
    /// The kind of error.
    package enum Reason: Hashable, Sendable {
        /// The path does not begin with `/`: it is empty, `*`, or a relative path.
        case notAbsolute
        /// Longer than `CanonicalPath.maximumLength`.
        case tooLong
        /// `%` without two hexadecimal digits.
        case invalidEscape
        /// An overlong encoding of an ASCII character, which is not valid UTF-8 (RFC 3629 section 3). Lax decoders
        /// read `%C0%AE` as a dot.
        case overlongEncoding
        /// `%00`.
        case encodedNUL
        /// `%2F` on a route that does not keep encoded slashes, or without a matching route.
        case encodedSlash
        /// `%5C`.
        case encodedBackslash
        /// A raw `\`.
        case backslash
        /// A raw `#`.
        case fragment
        /// A raw `?`: the caller did not remove the query.
        case query
        /// A raw control byte or space.
        case control
        /// A raw byte above 0x7E.
        case nonASCII
        /// `..` at the root.
        case aboveRoot
        /// `;`, raw or encoded, directly after a dot segment.
        case parameterAfterDotSegment
        /// `%25` before two digits that a second decoding would turn into `.`, `/`, `\`, NUL or `%`.
        case doubleEncoding
        /// A dot segment delimited by `%2F`.
        case dotSegmentBesideEncodedSlash
        /// The removal of `strip_prefix` resulted in a dot segment.
        case dotSegmentAfterStrip
        /// The removal of `strip_prefix` resulted in a leading `//`, which would name another server.
        case emptySegmentAfterStrip
        /// The result of `rewrite` is not canonical: it contains a dot segment or an empty one.
        case notCanonicalAfterRewrite
    }

    /// The kind of error.
    package let reason: Reason
    /// The offset in the received path. For an error of a whole segment, an offset in or after it.
    package let offset: Int
}
