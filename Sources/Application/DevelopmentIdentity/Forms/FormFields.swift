internal import TextCoding

/// The fields of `application/x-www-form-urlencoded` text: a body, or a query.
struct FormFields {
    private var values: [String: String] = [:]

    /// Parses the text. `nil` if it has an invalid escape, is not UTF-8, or repeats a field (RFC 6749 section 3.2).
    init?(_ text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormEncoding.decodedText(parts[0].utf8),
                let value = FormEncoding.decodedText((parts.count > 1 ? parts[1] : "").utf8),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    /// Parses a request's body. `nil` for a different type, an incompletely kept body, and an invalid form.
    init?(bodyOf request: ReceivedRequest) {
        let type = request.value(of: "Content-Type")?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded", let text = request.bodyText else { return nil }
        self.init(text)
    }

    subscript(_ name: String) -> String? { values[name] }
}
