/// Reads a JSON text into a tape of nodes.
///
/// There is no recursion and no stack: a container that is open keeps the index of the container around it in its node.
struct JSONParser {
    let text: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var position = 0
    var nodes: [JSONNode] = []
    var hasWhitespace = false
    private var container = JSONNode.none
    private var depth = 0
    private var values = 0

    /// The nodes of `text`, and whether it has whitespace outside strings.
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

    /// Appends a node; by default it ends where it stands on the tape.
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

/// Whether RFC 8259 section 2 lets `byte` stand between tokens.
@inline(__always)
func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
