/// What is wrong with a path pattern or a `strip_prefix`, and where.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: Hashable, Sendable {
        /// It does not begin with `/`.
        case notAbsolute
        /// Longer than `RoutePattern.maximumLength` bytes or `RoutePattern.maximumSegments` segments.
        case tooLong
        /// `//`
        case emptySegment
        /// `{}` or `{=**}`
        case emptyName
        /// A name with bytes other than letters, digits and `_`, or that begins with a digit.
        case badName
        /// A name that an earlier capture has.
        case duplicateName
        /// A `{` without `}` at the end of the segment, a capture within a segment, or a suffix other than `=**`.
        case badCapture
        /// `*` in a literal.
        case wildcardInLiteral
        /// `**` or `{name=**}` before the last segment.
        case restNotLast
        /// A capture or `**` in a `strip_prefix`.
        case notLiteral
        /// A `.` or `..` segment.
        case dotSegment
        /// An escape that the canonical form writes otherwise, such as `%7e` or `%c3`.
        case notCanonical
        /// `%2F` on a route that rejects encoded slashes.
        case encodedSlash
        /// No request has a path like this; the reason is what the request would be refused for.
        case impossible(PathError.Reason)
        /// At or under `/.gatehouse`, which is the gateway's own.
        case reserved
    }

    /// What is wrong.
    package let reason: Reason
    /// Where, in bytes of the pattern's UTF-8.
    package let offset: Int

    /// What is wrong; what to do.
    package var description: String { "\(reason.text) (at offset \(offset))" }
}

extension PatternError.Reason {
    fileprivate var text: String {
        switch self {
        case .notAbsolute: "a path does not begin with '/'; put one first"
        case .tooLong:
            "longer than \(RoutePattern.maximumLength) bytes or \(RoutePattern.maximumSegments) segments; shorten it with '**'"
        case .emptySegment: "an empty segment; write one '/'"
        case .emptyName: "a capture without a name; write '{name}'"
        case .badName: "a capture's name is letters, digits and '_', not beginning with a digit; rename it"
        case .duplicateName: "two captures of one name; rename one"
        case .badCapture: "a capture is a whole segment, '{name}' or '{name=**}'; make it one"
        case .wildcardInLiteral: "'*' within a literal; write '{name}' for one segment or '**' at the end"
        case .restNotLast: "'**' before the end; it can only be the last segment"
        case .notLiteral: "strip_prefix has a capture or wildcard; it takes literal segments only"
        case .dotSegment: "a '.' or '..' segment, which no canonical path has; resolve it"
        case .notCanonical: "an escape that is not canonical; write unreserved bytes plainly and escapes in upper case"
        case .encodedSlash: "'%2F', which this route rejects; add 'encoded_slashes: keep' or remove it"
        case .impossible(let reason): "no request's path is like this (\(reason)); percent-encode or remove it"
        case .reserved: "'/.gatehouse/' is the gateway's own; choose another path"
        }
    }
}
