/// HTML text. Literals are markup; interpolated strings are text and are escaped, also within quoted attributes.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// The markup.
    package private(set) var text: String

    package init(stringLiteral value: String) { text = value }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 64 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ plain: String) {
            text += HTMLText.escaped(plain.unicodeScalars)
        }

        package mutating func appendInterpolation(_ html: HTML) { text += html.text }

        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        /// Appends JSON as the content of a `script` element, which it cannot end.
        package mutating func appendInterpolation(json: [UInt8]) {
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
