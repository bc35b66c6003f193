/// The escaping of text in HTML.
public enum HTMLText {
    /// Returns text that is safe in element content and in quoted attributes.
    public static func escaped(_ text: some Sequence<Unicode.Scalar>) -> String {
        var result = String.UnicodeScalarView()
        result.reserveCapacity(text.underestimatedCount)
        for scalar in text {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
