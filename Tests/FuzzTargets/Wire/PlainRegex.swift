/// A simple, slow matcher of small patterns, by sets of positions in the text.
struct PlainRegex {
    indirect enum Node {
        /// Matches one scalar.
        case one(@Sendable (UInt32) -> Bool)
        /// Matches between scalars: the text, the place.
        case between(@Sendable ([UInt32], Int) -> Bool)
        case sequence([Node])
        case choice([Node])
        case repeated(Node, Int, Int?)
    }

    let root: Node

    /// Returns `nil` if the pattern is not that simple; it may still be valid.
    init?(_ pattern: String) {
        guard pattern.utf8.count <= 48 else { return nil }
        var reader = PlainRegexReader(Array(pattern.utf8))
        guard let node = reader.choice(4), reader.isAtEnd else { return nil }
        root = node
    }

    /// Whether the pattern matches the whole text; `nil` if the text is too long.
    func matches(_ text: String) -> Bool? {
        guard text.utf8.count <= 24 else { return nil }
        let scalars = text.unicodeScalars.map(\.value)
        return Self.ends(root, scalars, 0).contains(scalars.count)
    }

    private static func ends(_ node: Node, _ text: [UInt32], _ start: Int) -> Set<Int> {
        switch node {
        case .one(let takes): start < text.count && takes(text[start]) ? [start + 1] : []
        case .between(let holds): holds(text, start) ? [start] : []
        case .sequence(let nodes): nodes.reduce([start]) { ends($1, text, from: $0) }
        case .choice(let nodes): nodes.reduce(into: []) { $0.formUnion(ends($1, text, start)) }
        case .repeated(let inner, let low, let high): repeatedEnds(inner, text, start, low, high)
        }
    }

    private static func ends(_ node: Node, _ text: [UInt32], from starts: Set<Int>) -> Set<Int> {
        starts.reduce(into: []) { $0.formUnion(ends(node, text, $1)) }
    }

    private static func repeatedEnds(
        _ node: Node, _ text: [UInt32], _ start: Int, _ low: Int, _ high: Int?
    ) -> Set<Int> {
        var now: Set<Int> = [start]
        for _ in 0..<low { now = ends(node, text, from: now) }
        var found = now
        // Repeats until another turn reaches no new position.
        for _ in 0..<(high.map { $0 - low } ?? text.count + 1) {
            now = ends(node, text, from: now)
            if now.isSubset(of: found) { break }
            found.formUnion(now)
        }
        return found
    }
}

/// Reads ASCII patterns of `. [] () (?:) | * + ? {n,m} ^ $`, `\d \w \s \b \B` and escaped punctuation.
struct PlainRegexReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    mutating func choice(_ depth: Int) -> PlainRegex.Node? {
        var nodes: [PlainRegex.Node] = []
        repeat {
            guard let node = sequence(depth) else { return nil }
            nodes.append(node)
        } while take("|")
        return .choice(nodes)
    }

    private mutating func sequence(_ depth: Int) -> PlainRegex.Node? {
        var nodes: [PlainRegex.Node] = []
        while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            guard let node = item(depth), let repeated = repetition(of: node) else { return nil }
            nodes.append(repeated)
        }
        return .sequence(nodes)
    }

    private mutating func item(_ depth: Int) -> PlainRegex.Node? {
        if take("(?:") || take("(") {
            guard depth > 0, let inner = choice(depth - 1), take(")") else { return nil }
            return inner
        }
        if take(".") { return .one { $0 != 10 } }
        if take("^") { return .between { $1 == 0 } }
        if take("$") { return .between { $1 == $0.count } }
        if take("[") { return brackets() }
        if take("\\") { return escape() }
        return literal()
    }

    private mutating func literal() -> PlainRegex.Node? {
        guard let byte = next, (0x20..<0x7F).contains(byte), !"*+?{}[]()|\\".utf8.contains(byte) else { return nil }
        position += 1
        return .one { $0 == UInt32(byte) }
    }

    private mutating func escape() -> PlainRegex.Node? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "d"): return .one { (0x30...0x39).contains($0) }
        case UInt8(ascii: "w"): return .one(Self.isWord)
        case UInt8(ascii: "s"): return .one { [9, 10, 12, 13, 32].contains($0) }
        case UInt8(ascii: "b"): return .between(Self.isBoundary)
        case UInt8(ascii: "B"): return .between { !Self.isBoundary($0, $1) }
        case 0x21..<0x7F where !Self.isWord(UInt32(byte)): return .one { $0 == UInt32(byte) }
        default: return nil
        }
    }

    /// `[abc]`, `[^a-z]`.
    private mutating func brackets() -> PlainRegex.Node? {
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        while let byte = next, byte != UInt8(ascii: "]") {
            guard Self.isWord(UInt32(byte)) else { return nil }
            position += 1
            var last = byte
            if take("-") {
                guard let end = next, Self.isWord(UInt32(end)), end >= byte else { return nil }
                position += 1
                last = end
            }
            ranges.append(UInt32(byte)...UInt32(last))
        }
        guard take("]"), !ranges.isEmpty else { return nil }
        let members = ranges
        return .one { scalar in members.contains { $0.contains(scalar) } != isNegated }
    }

    private mutating func repetition(of node: PlainRegex.Node) -> PlainRegex.Node? {
        var result = node
        if take("*") {
            result = .repeated(node, 0, nil)
        } else if take("+") {
            result = .repeated(node, 1, nil)
        } else if take("?") {
            result = .repeated(node, 0, 1)
        } else if take("{") {
            guard let low = digit() else { return nil }
            var high: Int? = low
            if take(",") { high = digit() }
            guard take("}"), high ?? low >= low else { return nil }
            result = .repeated(node, low, high)
        } else {
            return result
        }
        _ = take("?")
        if let byte = next, "*+?{".utf8.contains(byte) { return nil }
        return result
    }

    private mutating func digit() -> Int? {
        guard let byte = next, (0x30...0x39).contains(byte) else { return nil }
        position += 1
        return Int(byte) - 0x30
    }

    @Sendable private static func isWord(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }

    @Sendable private static func isBoundary(_ text: [UInt32], _ place: Int) -> Bool {
        let before = place > 0 && isWord(text[place - 1])
        return before != (place < text.count && isWord(text[place]))
    }
}
