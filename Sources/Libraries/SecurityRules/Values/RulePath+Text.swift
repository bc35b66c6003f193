internal import TextCoding

extension RulePath {
    /// `/a/b`, with `/` and `%` inside of a segment escaped, so that no two paths have the same text.
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

    /// The path that a text is: segments between `/`, escapes decoded once; a first and a last `/` may be there or not.
    ///
    /// Fails for empty segments, for escapes that are none or make no UTF-8, and for more segments than paths may have.
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
