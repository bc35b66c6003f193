import TextCoding

/// The fields of a query or form. Each name is unique.
struct FlowFields: Sendable {
    /// The maximum size of the text, in bytes.
    static let maximumSize = 16_384
    private static let maximumCount = 64

    private var values: [(name: String, value: String)] = []

    /// Parses a text. A denial explains the violation.
    init(_ text: [UInt8]) throws(AccountDenial) {
        guard text.count <= Self.maximumSize else { throw .malformed("Send at most 16 KiB of parameters.") }
        for field in text.split(separator: UInt8(ascii: "&")) {
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            guard let name = FormEncoding.decodedText(field[..<end]),
                let value = FormEncoding.decodedText(field[end...].dropFirst())
            else { throw .malformed("Send parameters as UTF-8 with valid escapes.") }
            guard self[name] == nil else { throw .malformed("Send each parameter once.") }
            guard values.count < Self.maximumCount else { throw .malformed("Send fewer parameters.") }
            values.append((name, value))
        }
    }

    /// The names, in order.
    var names: [String] { values.map(\.name) }
    var isEmpty: Bool { values.isEmpty }

    subscript(_ name: String) -> String? { values.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
}
