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
        case .notAbsolute: "the path does not begin with '/'; add it"
        case .tooLong:
            "longer than \(RoutePattern.maximumLength) bytes or \(RoutePattern.maximumSegments) segments; shorten it with '**'"
        case .emptySegment: "an empty segment; write one '/'"
        case .emptyName: "a capture without a name; write '{name}'"
        case .badName: "a capture name consists of letters, digits and '_' and does not begin with a digit; rename it"
        case .duplicateName: "two captures with the same name; rename one"
        case .badCapture: "a capture is not a whole segment; write '{name}' or '{name=**}' as a segment"
        case .wildcardInLiteral: "'*' within a literal; write '{name}' for one segment or '**' at the end"
        case .restNotLast: "'**' is not the last segment; move it to the end"
        case .notLiteral: "strip_prefix has a capture or wildcard; use literal segments only"
        case .dotSegment: "a '.' or '..' segment, which canonical paths do not contain; resolve it"
        case .notCanonical:
            "an escape that is not canonical; do not escape unreserved bytes, and write escapes in upper case"
        case .encodedSlash: "'%2F', which this route rejects; add 'encoded_slashes: keep' or remove it"
        case .impossible(let reason): "no request path can match this (\(reason)); percent-encode or remove it"
        case .reserved: "'/.gatehouse/' is reserved for the gateway; choose another path"
        }
    }
}
