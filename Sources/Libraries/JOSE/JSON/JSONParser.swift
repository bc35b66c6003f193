internal import CLibcrypto

/// A node of a document's tape.
///
/// Values are in the order of the text. An object's members are pairs: a string node for the name, then the subtree
/// of the value. `next` is the index after the subtree, so that a reader can skip it.
struct JSONNode: Sendable {
    /// The start of the text: the first byte after a string's quote, otherwise the first byte of the value.
    var start: UInt32
    /// The end of the text: a string's closing quote, otherwise the byte after the value.
    var end: UInt32
    /// The index of the node after this value. In an open container, the index of the enclosing container.
    var next: UInt32
    /// The number of a container's elements or members; 1 for `true`.
    var count: UInt32
    var kind: JSONValue.Kind
    /// Whether a string contains escapes.
    var isEscaped: Bool

    /// The container of the top-level value.
    static let none = UInt32.max
}

/// A parser of a JSON text into a tape of nodes.
///
/// It uses neither recursion nor a stack: the node of an open container stores the index of the enclosing container.
struct JSONParser {
    let text: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var position = 0
    var nodes: [JSONNode] = []
    var hasWhitespace = false
    private var container = JSONNode.none
    private var depth = 0
    private var values = 0

    /// Parses `text`. Returns its nodes and whether there is whitespace outside strings.
    static func parse(
        _ text: UnsafeBufferPointer<UInt8>, limits: JSONLimits
    ) -> Result<([JSONNode], Bool), JSONError> {
        guard text.count <= limits.size else { return .failure(JSONError(code: .tooLarge, offset: limits.size)) }
        var parser = JSONParser(text: text, limits: limits)
        do throws(JSONError) {
            try parser.run()
        } catch {
            return .failure(error)
        }
        return .success((parser.nodes, parser.hasWhitespace))
    }

    private init(text: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.text = text
        self.limits = limits
        nodes.reserveCapacity(min(text.count / 8 + 4, limits.members * 2))
    }

    private mutating func run() throws(JSONError) {
        skipWhitespace()
        try readValue()
        while container != JSONNode.none {
            skipWhitespace()
            try readNextOrClose()
        }
        skipWhitespace()
        guard position == text.count else { throw failure(.trailingBytes) }
    }
}

// MARK: - Containers

extension JSONParser {
    private mutating func readNextOrClose() throws(JSONError) {
        let open = nodes[Int(container)]
        let isObject = open.kind == .object
        if try peek() == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return try close(open) }
        if open.count > 0 {
            try expect(UInt8(ascii: ","))
            skipWhitespace()
        }
        nodes[Int(container)].count = open.count + 1
        if isObject {
            try expect(UInt8(ascii: "\""))
            try readString()
            skipWhitespace()
            try expect(UInt8(ascii: ":"))
            skipWhitespace()
        }
        try readValue()
    }

    private mutating func open(_ kind: JSONValue.Kind) throws(JSONError) {
        guard depth < limits.depth else { throw failure(.tooDeep) }
        depth += 1
        let outer = container
        container = UInt32(truncatingIfNeeded: nodes.count)
        append(kind, from: position, to: position, next: outer)
        position += 1
    }

    private mutating func close(_ node: JSONNode) throws(JSONError) {
        let index = Int(container)
        position += 1
        depth -= 1
        container = node.next
        nodes[index].end = UInt32(truncatingIfNeeded: position)
        nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
        guard node.kind == .object, node.count > 1 else { return }
        if let duplicate = duplicateName(of: index) {
            throw JSONError(code: .duplicateMember, offset: Int(duplicate.start))
        }
    }
}

// MARK: - Values

extension JSONParser {
    private mutating func readValue() throws(JSONError) {
        values += 1
        guard values <= limits.members else { throw failure(.tooManyValues) }
        switch try peek() {
        case UInt8(ascii: "{"): try open(.object)
        case UInt8(ascii: "["): try open(.array)
        case UInt8(ascii: "\""):
            position += 1
            try readString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        case UInt8(ascii: "t"): try readLiteral("true", .bool, count: 1)
        case UInt8(ascii: "f"): try readLiteral("false", .bool, count: 0)
        case UInt8(ascii: "n"): try readLiteral("null", .null, count: 0)
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func readLiteral(
        _ literal: StaticString, _ kind: JSONValue.Kind, count: UInt32
    ) throws(JSONError) {
        let start = position
        for offset in 0..<literal.utf8CodeUnitCount { try expect(literal.utf8Start[offset]) }
        append(kind, from: start, to: position)
        nodes[nodes.count - 1].count = count
    }

    /// Appends a node. By default, `next` is the index after it.
    mutating func append(
        _ kind: JSONValue.Kind, from start: Int, to end: Int, next: UInt32? = nil, isEscaped: Bool = false
    ) {
        nodes.append(
            JSONNode(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: next ?? UInt32(truncatingIfNeeded: nodes.count + 1), count: 0, kind: kind, isEscaped: isEscaped))
    }
}

// MARK: - Bytes

extension JSONParser {
    @inline(__always)
    func peek() throws(JSONError) -> UInt8 {
        guard position < text.count else { throw failure(.unexpectedEnd) }
        return text[position]
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard try peek() == byte else { throw failure(.unexpectedByte) }
        position &+= 1
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < text.count, isWhitespace(text[position]) {
            hasWhitespace = true
            position &+= 1
        }
    }

    func failure(_ code: JSONError.Code) -> JSONError { JSONError(code: code, offset: position) }
}

/// Returns whether `byte` is whitespace between tokens (RFC 8259 section 2).
@inline(__always)
func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

extension JSONParser {
    /// Reads a number at its first byte (RFC 8259 section 6).
    mutating func readNumber() throws(JSONError) {
        let start = position
        var kind = JSONValue.Kind.integer
        if text[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        try readDigits()
        guard text[first] != UInt8(ascii: "0") || position == first + 1 else { throw failure(.invalidNumber) }
        if next(is: UInt8(ascii: ".")) {
            kind = .number
            position += 1
            try readDigits()
        }
        if next(is: UInt8(ascii: "e")) || next(is: UInt8(ascii: "E")) {
            kind = .number
            position += 1
            if next(is: UInt8(ascii: "+")) || next(is: UInt8(ascii: "-")) { position += 1 }
            try readDigits()
        }
        append(kind, from: start, to: position)
    }

    /// Reads one or more digits.
    private mutating func readDigits() throws(JSONError) {
        let start = position
        while position < text.count, text[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
        guard position > start else { throw failure(position < text.count ? .invalidNumber : .unexpectedEnd) }
    }

    private func next(is byte: UInt8) -> Bool {
        position < text.count && text[position] == byte
    }

    /// Returns a duplicate name of the object at `index` after unescaping. `nil` if all names differ.
    ///
    /// Small objects are compared pair by pair. Larger ones are sorted, which bounds the cost at n log n comparisons
    /// for any names. The cost of a hash table would depend on names that clients choose.
    func duplicateName(of index: Int) -> JSONNode? {
        let count = Int(nodes[index].count)
        return count <= 16 ? duplicateByPairs(of: index) : duplicateBySorting(of: index, count: count)
    }

    private func duplicateByPairs(of object: Int) -> JSONNode? {
        let end = Int(nodes[object].next)
        var later = Int(nodes[object + 2].next)
        while later < end {
            var earlier = object + 1
            while earlier < later {
                if hasSameName(nodes[earlier], nodes[later]) { return nodes[later] }
                earlier = Int(nodes[earlier + 1].next)
            }
            later = Int(nodes[later + 1].next)
        }
        return nil
    }

    private func duplicateBySorting(of object: Int, count: Int) -> JSONNode? {
        var names: [JSONNode] = []
        names.reserveCapacity(count)
        var name = object + 1
        while name < Int(nodes[object].next) {
            names.append(nodes[name])
            name = Int(nodes[name + 1].next)
        }
        sort(&names)
        return zip(names, names.dropFirst()).first { hasSameName($0, $1) }?.1
    }

    /// Groups equal names. If any name has escapes, names are ordered by value, otherwise by length first.
    private func sort(_ names: inout [JSONNode]) {
        if names.contains(where: \.isEscaped) {
            names.sort { bytes(of: $0).lexicographicallyPrecedes(bytes(of: $1)) }
        } else {
            names.sort { compareText($0, $1) < 0 }
        }
    }

    private func compareText(_ a: JSONNode, _ b: JSONNode) -> Int {
        let (length, other) = (Int(a.end &- a.start), Int(b.end &- b.start))
        guard length == other else { return length - other }
        guard let base = text.baseAddress else { return 0 }
        return Int(memcmp(base + Int(a.start), base + Int(b.start), length))
    }

    @inline(__always)
    private func hasSameName(_ a: JSONNode, _ b: JSONNode) -> Bool {
        if a.isEscaped || b.isEscaped { return bytes(of: a).elementsEqual(bytes(of: b)) }
        guard a.end &- a.start == b.end &- b.start else { return false }
        return equalBytes(
            UnsafeBufferPointer(rebasing: text[Int(a.start)..<Int(a.end)]),
            UnsafeBufferPointer(rebasing: text[Int(b.start)..<Int(b.end)]))
    }

    private func bytes(of node: JSONNode) -> JSONStringBytes {
        JSONStringBytes(UnsafeBufferPointer(rebasing: text[Int(node.start)..<Int(node.end)]))
    }
}
