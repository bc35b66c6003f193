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
}
