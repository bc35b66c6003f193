/// The fields of `application/x-www-form-urlencoded` text: a body, or a query.
struct FormFields {
    private var values: [String: String] = [:]

    /// - Returns: `nil` for a bad escape, text that is not UTF-8, and a field that is there twice (RFC 6749 section
    ///   3.2).
    init?(_ text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : ""),
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

    /// Percent-decoded text, in which `+` is a space.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
