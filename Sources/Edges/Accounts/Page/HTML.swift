import TextCoding

/// HTML text. Literals are markup; interpolated strings are text and are escaped, also within quoted attributes.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// The markup.
    private(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 64 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ plain: String) {
            text += HTMLText.escaped(plain.unicodeScalars)
        }

        mutating func appendInterpolation(_ html: HTML) { text += html.text }

        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        /// Appends JSON as the content of a `script` element, which it cannot end.
        mutating func appendInterpolation(json: [UInt8]) {
            for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
                switch scalar {
                case "&": text += "\\u0026"
                case "<": text += "\\u003C"
                case ">": text += "\\u003E"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
