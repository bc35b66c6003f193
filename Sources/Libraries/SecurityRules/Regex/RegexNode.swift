/// A node of a parsed regular expression.
struct RegexNode: Sendable {
    indirect enum Kind: Sendable {
        /// Matches the empty text.
        case empty
        case scalar(UInt32)
        /// A scalar of a set, by its index in the parser.
        case set(Int)
        case assertion(RegexAssertion)
        /// A capturing group, numbered from 1.
        case group(RegexNode, Int)
        case sequence([RegexNode])
        /// Alternatives in the order of preference.
        case choice([RegexNode])
        case repetition(RegexNode, RegexRepetition)
    }

    let kind: Kind
    /// An upper bound of the number of compiled instructions, at least 1.
    let size: Int
    /// Whether it can match the empty text.
    let isNullable: Bool

    static let empty = RegexNode(kind: .empty, size: 1, isNullable: true)

    static func scalar(_ value: UInt32) -> RegexNode {
        RegexNode(kind: .scalar(value), size: 1, isNullable: false)
    }

    static func set(_ index: Int) -> RegexNode {
        RegexNode(kind: .set(index), size: 1, isNullable: false)
    }

    static func assertion(_ assertion: RegexAssertion) -> RegexNode {
        RegexNode(kind: .assertion(assertion), size: 1, isNullable: true)
    }

    static func group(_ node: RegexNode, _ number: Int) -> RegexNode {
        RegexNode(kind: .group(node, number), size: node.size + 2, isNullable: node.isNullable)
    }

    static func sequence(_ nodes: [RegexNode]) -> RegexNode {
        guard nodes.count != 1 else { return nodes[0] }
        let size = nodes.reduce(1) { $0 + $1.size }
        return RegexNode(kind: .sequence(nodes), size: size, isNullable: nodes.allSatisfy(\.isNullable))
    }

    static func choice(_ nodes: [RegexNode]) -> RegexNode {
        guard nodes.count != 1 else { return nodes[0] }
        let size = nodes.reduce(0) { $0 + $1.size + 1 }
        return RegexNode(kind: .choice(nodes), size: size, isNullable: nodes.contains { $0.isNullable })
    }

    /// Sizes are below `RegexLimits.instructions` and counts below `RegexLimits.repeats`, so this does not overflow.
    static func repetition(_ node: RegexNode, _ repetition: RegexRepetition) -> RegexNode {
        let optional = repetition.maximum.map { ($0 - repetition.minimum) * (node.size + 1) } ?? node.size + 2
        return RegexNode(
            kind: .repetition(node, repetition), size: repetition.minimum * node.size + optional + 1,
            isNullable: node.isNullable || repetition.minimum == 0)
    }
}

/// The bounds of a repetition.
struct RegexRepetition: Sendable, Hashable {
    var minimum: Int
    /// `nil` for no upper bound.
    var maximum: Int?
    /// Whether more repeats are preferred.
    var isGreedy: Bool
}

/// An assertion, which matches between scalars.
enum RegexAssertion: UInt8, Sendable, Hashable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    /// Returns whether it holds before the byte at `offset`. Line feeds and word characters are ASCII, so bytes
    /// suffice.
    func holds(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        switch self {
        case .textStart: offset == 0
        case .textEnd: offset == text.count
        case .lineStart: offset == 0 || text[offset - 1] == 10
        case .lineEnd: offset == text.count || text[offset] == 10
        case .wordBoundary: Self.isBoundary(text, offset)
        case .noWordBoundary: !Self.isBoundary(text, offset)
        }
    }

    private static func isBoundary(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        let before = offset > 0 && isWord(text[offset - 1])
        let after = offset < text.count && isWord(text[offset])
        return before != after
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
