/// `application/x-www-form-urlencoded`, and the percent-encoding of a value in a URL.
package enum FormEncoding {
    /// Appends the value; all but unreserved characters (RFC 3986 section 2.3) become `%` and two digits.
    ///
    /// A space becomes `%20`, which forms and URLs both read.
    static func append(_ value: some Sequence<UInt8>, to text: inout [UInt8]) {
        for byte in value {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                PercentEncoding.appendEscape(byte, to: &text)
            }
        }
    }

    /// Appends `name=value`, and before it `&` unless `text` is empty or ends with a separator. The name stands for itself.
    package static func append(_ name: String, _ value: some Sequence<UInt8>, to text: inout [UInt8]) {
        if let last = text.last, last != UInt8(ascii: "?"), last != UInt8(ascii: "&") {
            text.append(UInt8(ascii: "&"))
        }
        text.append(contentsOf: name.utf8)
        text.append(UInt8(ascii: "="))
        append(value, to: &text)
    }

    /// The encoded value by itself.
    package static func encoded(_ value: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        append(value, to: &text)
        return text
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
