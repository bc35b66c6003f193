import PrintableText

/// Text of the file for error messages: quoted, escaped to one line and shortened.
package struct Quoted: CustomStringConvertible {
    private static let maximumLength = 64
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { "'\(unquoted)'" }

    /// The text without the quotes, for names in the path of a key.
    package var unquoted: String { PrintableText.short(text, limit: Self.maximumLength) }
}
