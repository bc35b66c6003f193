import PrintableText

/// Text of the file as error messages show it: in quotes, on one line, shortened.
package struct Quoted: CustomStringConvertible {
    private static let maximumLength = 64
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { "'\(unquoted)'" }

    /// The same without the quotes, for the names of entries in the path of a key.
    package var unquoted: String { PrintableText.short(text, limit: Self.maximumLength) }
}
