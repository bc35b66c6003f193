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

extension JSONValue {
    /// Appends the value's JSON text to `output`, without whitespace outside strings. Strings and numbers are spelled as
    /// they were written.
    public func appendCompact(to output: inout [UInt8]) {
        let node = node
        let quote = node.kind == .string ? 1 : 0
        storage.bytes.withUnsafeBufferPointer { bytes in
            let text = bytes[(Int(node.start) - quote)..<(Int(node.end) + quote)]
            if storage.hasWhitespace {
                appendWithoutWhitespace(UnsafeBufferPointer(rebasing: text), to: &output)
            } else {
                output.append(contentsOf: text)
            }
        }
    }

    /// The value's JSON text without whitespace outside strings.
    public var compact: [UInt8] {
        var output: [UInt8] = []
        appendCompact(to: &output)
        return output
    }
}

private func appendWithoutWhitespace(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    output.reserveCapacity(output.count + text.count)
    var isInString = false
    var isEscaped = false
    for byte in text {
        if isInString {
            if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        } else if isWhitespace(byte) {
            continue
        } else if byte == UInt8(ascii: "\"") {
            isInString = true
        }
        output.append(byte)
    }
}

extension JSONValue {
    /// Whether this is a string with exactly the bytes of `literal`. Allocates nothing.
    public func equals(_ literal: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        return storage.string(node, equals: bytes)
    }

    /// Whether this is a string with exactly the UTF-8 of `string`. Allocates nothing where neither has to be unpacked.
    @_disfavoredOverload
    public func equals(_ string: String) -> Bool {
        storage.string(node, equals: string)
    }

    /// Whether this is a string with exactly these bytes. Allocates nothing.
    @_disfavoredOverload
    public func equals(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { storage.string(node, equals: $0) }
    }
}

extension JSONStorage {
    /// Whether `node` is a string, or a member's name, whose value is `bytes`.
    func string(_ node: JSONNode, equals bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard node.kind == .string else { return false }
        return withText(of: node) { text in
            node.isEscaped ? JSONStringBytes(text).elementsEqual(bytes) : equalBytes(text, bytes)
        }
    }

    /// As above, by a string's UTF-8.
    func string(_ node: JSONNode, equals string: String) -> Bool {
        let answer = string.utf8.withContiguousStorageIfAvailable { self.string(node, equals: $0) }
        return answer ?? Array(string.utf8).withUnsafeBufferPointer { self.string(node, equals: $0) }
    }
}

extension JSONValue {
    /// The value of an object's member; nil where there is none and for values that are not objects. The cost is the
    /// number of members.
    public subscript(_ member: String) -> JSONValue? {
        guard node.kind == .object else { return nil }
        let end = Int(node.next)
        var name = index + 1
        while name < end {
            if storage.string(storage.nodes[name], equals: member) {
                return JSONValue(storage: storage, index: name + 1)
            }
            name = Int(storage.nodes[name + 1].next)
        }
        return nil
    }

    /// An object's members in the order of the text; none for values that are not objects.
    public var members: JSONMembers { JSONMembers(self) }

    /// An array's elements in the order of the text; none for values that are not arrays.
    public var elements: JSONElements { JSONElements(self) }
}

/// The members of an object.
public struct JSONMembers: Sequence, IteratorProtocol {
    private let storage: JSONStorage
    private var position: Int
    private let end: Int

    init(_ value: JSONValue) {
        storage = value.storage
        position = value.index + 1
        end = value.kind == .object ? Int(value.node.next) : 0
    }

    /// The next member, its name with escapes resolved.
    public mutating func next() -> (name: String, value: JSONValue)? {
        guard position < end else { return nil }
        let name = JSONValue(storage: storage, index: position)
        let value = JSONValue(storage: storage, index: position + 1)
        position = Int(value.node.next)
        return (name.string ?? "", value)
    }
}

/// The elements of an array.
public struct JSONElements: Sequence, IteratorProtocol {
    private let storage: JSONStorage
    private var position: Int
    private let end: Int

    init(_ value: JSONValue) {
        storage = value.storage
        position = value.index + 1
        end = value.kind == .array ? Int(value.node.next) : 0
    }

    /// The next element.
    public mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let value = JSONValue(storage: storage, index: position)
        position = Int(value.node.next)
        return value
    }
}
