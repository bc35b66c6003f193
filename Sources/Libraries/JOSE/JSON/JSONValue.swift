/// A value of a ``JSONDocument``: a cursor into it, cheap to copy.
public struct JSONValue: Sendable {
    /// What a value is. A number written without fraction and exponent is an `integer`, of whatever size.
    public enum Kind: UInt8, Sendable {
        case object, array, string, integer, number, bool, null
    }

    let storage: JSONStorage
    let index: Int

    var node: JSONNode { storage.nodes[index] }

    /// What the value is.
    public var kind: Kind { node.kind }

    /// The string, escapes resolved; nil for other values.
    ///
    /// Swift compares strings by canonical equivalence. Where the exact bytes matter, compare with `equals`.
    public var string: String? {
        let node = node
        guard node.kind == .string else { return nil }
        return storage.withText(of: node) { text in
            String(decoding: text, as: node.isEscaped)
        }
    }

    /// The integer; nil for other values and for one that a signed 64-bit integer cannot hold.
    public var integer: Int64? {
        let node = node
        guard node.kind == .integer else { return nil }
        return storage.withText(of: node) { parseInteger($0) }
    }

    /// The number, integers included, as the nearest double; nil for other values and beyond a double's range.
    public var double: Double? {
        let node = node
        guard node.kind == .integer || node.kind == .number else { return nil }
        let value = storage.withText(of: node) { Double(String(decoding: $0, as: UTF8.self)) }
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The Boolean; nil for other values. `"true"` is a string.
    public var bool: Bool? { node.kind == .bool ? node.count == 1 : nil }

    /// The number of elements or members; 0 for values that are not containers.
    public var count: Int {
        let node = node
        return node.kind == .object || node.kind == .array ? Int(node.count) : 0
    }

    /// The length in bytes of a string's value as written, escapes not resolved; 0 for other values.
    var writtenLength: Int { node.kind == .string ? Int(node.end - node.start) : 0 }
}

extension String {
    /// The value of a JSON string's text.
    fileprivate init(decoding text: UnsafeBufferPointer<UInt8>, as isEscaped: Bool) {
        self =
            isEscaped
            ? String(decoding: [UInt8](JSONStringBytes(text)), as: UTF8.self) : String(decoding: text, as: UTF8.self)
    }
}

/// The value of an integer that has the grammar of JSON; nil when 64 bits do not hold it.
private func parseInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    var value: Int64 = 0
    for byte in isNegative ? text[1...] : text[...] {
        let digit = Int64(byte - UInt8(ascii: "0"))
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) =
            isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
        guard !overflow, !carry else { return nil }
        value = sum
    }
    return value
}
