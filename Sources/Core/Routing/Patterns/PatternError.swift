/// An error in a path pattern or a `strip_prefix`, with its position.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Reason: Hashable, Sendable {
        /// The pattern does not begin with `/`.
        case notAbsolute
        /// Longer than `RoutePattern.maximumLength` bytes or `RoutePattern.maximumSegments` segments.
        case tooLong
        /// `//`
        case emptySegment
        /// `{}` or `{=**}`
        case emptyName
        /// A name that begins with a digit or contains bytes other than letters, digits and `_`.
        case badName
        /// The name of an earlier capture.
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
        /// An escape that is not in canonical form, such as `%7e` or `%c3`.
        case notCanonical
        /// `%2F` on a route that rejects encoded slashes.
        case encodedSlash
        /// No request has such a path. The value is the error of such a request.
        case impossible(PathError.Reason)
        /// A path at or below `/.gatehouse`, which is reserved for the gateway.
        case reserved
    }

    /// The kind of error.
    package let reason: Reason
    /// The position in bytes of the pattern's UTF-8.
    package let offset: Int

    /// The problem and its remedy.
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
