internal import TextCoding

extension RulePath {
    /// `/a/b`, with `/` and `%` in segments escaped, so that different paths have different texts.
    public var text: String {
        guard !segments.isEmpty else { return "/" }
        return segments.reduce(into: "") { text, segment in
            text += "/"
            for scalar in segment.unicodeScalars {
                switch scalar {
                case "/": text += "%2F"
                case "%": text += "%25"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }

    /// Parses a path: segments separated by `/`, with escapes decoded once. A leading and a trailing `/` are optional.
    ///
    /// Throws for empty segments, invalid escapes, invalid UTF-8, and too many segments.
    convenience init(text: String) throws(RuleFailure) {
        var rest = Array(text.utf8)[...]
        guard !rest.isEmpty else { throw RuleFailure(.invalidText) }
        if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
        var segments: [String] = []
        if !rest.isEmpty {
            if rest.last == UInt8(ascii: "/") { rest.removeLast() }
            let pieces = rest.split(
                separator: UInt8(ascii: "/"), maxSplits: RuleLimits.pathSegments, omittingEmptySubsequences: false)
            guard pieces.count <= RuleLimits.pathSegments else { throw RuleFailure(.invalidText) }
            for piece in pieces {
                guard !piece.isEmpty, let segment = PercentEncoding.decodedText(piece) else {
                    throw RuleFailure(.invalidText)
                }
                segments.append(segment)
            }
        }
        self.init(segments)
    }
}
