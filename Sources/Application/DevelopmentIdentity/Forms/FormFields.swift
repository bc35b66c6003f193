internal import TextCoding

/// The fields of `application/x-www-form-urlencoded` text: a body, or a query.
struct FormFields {
    private var values: [String: String] = [:]

    /// - Returns: `nil` for a bad escape, text that is not UTF-8, and a field that is there twice (RFC 6749 section
    ///   3.2).
    init?(_ text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormEncoding.decodedText(parts[0].utf8),
                let value = FormEncoding.decodedText((parts.count > 1 ? parts[1] : "").utf8),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    /// The fields of a request's body.
    ///
    /// - Returns: `nil` for another type, a body that was not kept whole, and what is no form.
    init?(bodyOf request: ReceivedRequest) {
        let type = request.value(of: "Content-Type")?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded", let text = request.bodyText else { return nil }
        self.init(text)
    }

    subscript(_ name: String) -> String? { values[name] }
}
