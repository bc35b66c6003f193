/// A value of a ``JSONDocument``: a cursor that is cheap to copy.
public struct JSONValue: Sendable {
    /// The type of a value. A number without fraction and exponent is an `integer` of any size.
    public enum Kind: UInt8, Sendable {
        case object, array, string, integer, number, bool, null
    }

    let storage: JSONStorage
    let index: Int

    var node: JSONNode { storage.nodes[index] }

    /// The type of the value.
    public var kind: Kind { node.kind }

    /// The unescaped string. `nil` for other types.
    ///
    /// Swift compares strings by canonical equivalence. To compare bytes, use `equals`.
    public var string: String? {
        let node = node
        guard node.kind == .string else { return nil }
        return storage.withText(of: node) { text in
            String(decoding: text, as: node.isEscaped)
        }
    }

    /// The integer. `nil` for other types and outside the range of `Int64`.
    public var integer: Int64? {
        let node = node
        guard node.kind == .integer else { return nil }
        return storage.withText(of: node) { parseInteger($0) }
    }

    /// The number as the nearest `Double`, also for integers. `nil` for other types and outside the range of `Double`.
    public var double: Double? {
        let node = node
        guard node.kind == .integer || node.kind == .number else { return nil }
        let value = storage.withText(of: node) { Double(String(decoding: $0, as: UTF8.self)) }
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The Boolean. `nil` for other types, such as the string `"true"`.
    public var bool: Bool? { node.kind == .bool ? node.count == 1 : nil }

    /// The number of elements or members; 0 for values that are not containers.
    public var count: Int {
        let node = node
        return node.kind == .object || node.kind == .array ? Int(node.count) : 0
    }

    /// The size of a string in the text, in bytes, before unescaping; 0 for other types.
    var writtenLength: Int { node.kind == .string ? Int(node.end - node.start) : 0 }
}

extension String {
    /// Creates the value of a JSON string's text.
    fileprivate init(decoding text: UnsafeBufferPointer<UInt8>, as isEscaped: Bool) {
        self =
            isEscaped
            ? String(decoding: [UInt8](JSONStringBytes(text)), as: UTF8.self) : String(decoding: text, as: UTF8.self)
    }
}

/// Parses an integer in JSON syntax. `nil` on overflow of 64 bits.
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
    /// Appends the value's JSON text to `output`, without whitespace outside strings. Strings and numbers keep their
    /// spelling.
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
    /// Returns whether this is a string with the bytes of `literal`. Allocates nothing.
    public func equals(_ literal: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        return storage.string(node, equals: bytes)
    }

    /// Returns whether this is a string with the UTF-8 of `string`. Allocates nothing if that is contiguous.
    @_disfavoredOverload
    public func equals(_ string: String) -> Bool {
        storage.string(node, equals: string)
    }

    /// Returns whether this is a string with these bytes. Allocates nothing.
    @_disfavoredOverload
    public func equals(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { storage.string(node, equals: $0) }
    }
}

extension JSONStorage {
    /// Returns whether `node` is a string or a member's name with the value `bytes`.
    func string(_ node: JSONNode, equals bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard node.kind == .string else { return false }
        return withText(of: node) { text in
            node.isEscaped ? JSONStringBytes(text).elementsEqual(bytes) : equalBytes(text, bytes)
        }
    }

    /// Compares like the method above, with a string's UTF-8.
    func string(_ node: JSONNode, equals string: String) -> Bool {
        let result = string.utf8.withContiguousStorageIfAvailable { self.string(node, equals: $0) }
        return result ?? Array(string.utf8).withUnsafeBufferPointer { self.string(node, equals: $0) }
    }
}

extension JSONValue {
    /// The value of an object's member. `nil` if it is absent or this is not an object. The lookup is linear in the
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

    /// An object's members in the order of the text. Empty for other types.
    public var members: JSONMembers { JSONMembers(self) }

    /// An array's elements in the order of the text. Empty for other types.
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

    /// Returns the next member with its unescaped name.
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

    /// Returns the next element.
    public mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let value = JSONValue(storage: storage, index: position)
        position = Int(value.node.next)
        return value
    }
}
