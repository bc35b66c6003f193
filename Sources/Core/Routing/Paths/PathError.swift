/// Why a request's path is refused (400). The request is never routed.
package struct PathError: Error, Hashable, Sendable {
    /// What is wrong with the path.
    package enum Reason: Hashable, Sendable {
        /// The path does not begin with `/`: it is empty, `*`, or a relative path.
        case notAbsolute
        /// Longer than `CanonicalPath.maximumLength`.
        case tooLong
        /// `%` without two hexadecimal digits.
        case invalidEscape
        /// Escapes of an ASCII character in more bytes than it needs, which is not UTF-8 (RFC 3629 section 3): lax decoders
        /// read `%C0%AE` as a dot.
        case overlongEncoding
        /// `%00`.
        case encodedNUL
        /// `%2F` on a route that does not keep encoded slashes, or where no route matches.
        case encodedSlash
        /// `%5C`.
        case encodedBackslash
        /// A raw `\`.
        case backslash
        /// A raw `#`.
        case fragment
        /// A raw `?`: the caller did not split off the query.
        case query
        /// A raw control byte or space.
        case control
        /// A raw byte above 0x7E.
        case nonASCII
        /// `..` where no segment is left.
        case aboveRoot
        /// `;`, raw or encoded, directly after a dot segment.
        case parameterAfterDotSegment
        /// `%25` before two digits that would decode to `.`, `/`, `\`, NUL or `%` on a second decoding.
        case doubleEncoding
        /// A dot segment delimited by `%2F`.
        case dotSegmentBesideEncodedSlash
        /// A dot segment appeared when `strip_prefix` was taken off.
        case dotSegmentAfterStrip
        /// `//` appeared at the beginning when `strip_prefix` was taken off: it would name another server.
        case emptySegmentAfterStrip
        /// What a route's `rewrite` made of the path is not canonical: a dot segment or an empty one appeared.
        case notCanonicalAfterRewrite
    }

    /// What is wrong.
    package let reason: Reason
    /// Where: an offset into the path as it was received. For what concerns a whole segment, a byte within or after it.
    package let offset: Int
}
