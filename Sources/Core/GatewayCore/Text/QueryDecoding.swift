/// Names and values of a query as `application/x-www-form-urlencoded` has them (WHATWG URL, section 5.1), strictly.
package enum QueryDecoding {
    /// Nil where an escape is invalid.
    package static func decoded<Text: RandomAccessCollection>(_ text: Text) -> [UInt8]?
    where Text.Element == UInt8, Text.Index == Int {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard text.endIndex - index > 2, let high = digit(text[index + 1]), let low = digit(text[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 2
            case let byte: bytes.append(byte)
            }
            index += 1
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
