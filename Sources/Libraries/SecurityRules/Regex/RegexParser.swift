internal import PrintableText

/// A parser of patterns in RE2 syntax.
///
/// It recurses only for groups, at most `RegexLimits.depth` levels.
struct RegexParser {
    /// The parsed pattern.
    struct Result {
        var root: RegexNode
        var sets: [ScalarSet]
        /// The number of capturing groups.
        var groups: Int
    }

    struct Flags {
        var foldsCase = false
        var isMultiline = false
        var dotMatchesLineFeed = false
        var isUngreedy = false
    }

    let pattern: [Unicode.Scalar]
    var position = 0
    var flags = Flags()
    var sets: [ScalarSet] = []
    var groups = 0
    var names: Set<String> = []
    private var depth = 0

    static func parse(_ pattern: String) throws(RegexProblem) -> Result {
        guard pattern.utf8.count <= RegexLimits.patternBytes else {
            throw RegexProblem(
                offset: 0, what: "the pattern has more than \(RegexLimits.patternBytes) bytes",
                remedy: "use a shorter one, or several")
        }
        var parser = RegexParser(pattern: Array(pattern.unicodeScalars))
        let root = try parser.choice()
        guard parser.current == nil else {
            throw parser.problem("this `)` does not close a group", "write `\\)` for the character")
        }
        return Result(root: root, sets: parser.sets, groups: parser.groups)
    }

    private init(pattern: [Unicode.Scalar]) {
        self.pattern = pattern
    }

    /// Parses alternatives up to the end of the group.
    private mutating func choice() throws(RegexProblem) -> RegexNode {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return try bounded(.choice(branches))
    }

    /// Parses items up to the end of the alternative.
    private mutating func sequence() throws(RegexProblem) -> RegexNode {
        var items: [RegexNode] = []
        // Whether a repetition may follow: there is an item that is not a repetition.
        var state = Repeatable.nothing
        while let scalar = current, scalar != "|", scalar != ")" {
            let start = position
            if let repetition = try repetition() {
                try checkRepeatable(state, start)
                items.append(try bounded(.repetition(items.removeLast(), repetition), at: start))
                state = .repetition
            } else if takeQuoted(&items) {
                state = items.isEmpty ? .nothing : .item
            } else if let item = try item() {
                items.append(item)
                state = .item
            } else {
                state = .nothing
            }
        }
        return try bounded(items.isEmpty ? .empty : .sequence(items))
    }

    private enum Repeatable {
        case nothing, item, repetition
    }

    private func checkRepeatable(_ state: Repeatable, _ start: Int) throws(RegexProblem) {
        switch state {
        case .item: return
        case .nothing:
            throw problem(at: start, "there is nothing to repeat", "write `\\` before the character to match it itself")
        case .repetition:
            throw problem(
                at: start, "a repetition cannot be repeated, and possessive repetitions are not supported",
                "write it in a group: (?:a*)+")
        }
    }

    /// Parses an item other than a repetition. `nil` for flags.
    private mutating func item() throws(RegexProblem) -> RegexNode? {
        let scalar = pattern[position]
        switch scalar {
        case "(": return try group()
        case "[": return .set(add(try bracketed()))
        case "\\": return try escape()
        case ".": return advance(.set(add(.dot(matchesLineFeed: flags.dotMatchesLineFeed))))
        case "^": return advance(.assertion(flags.isMultiline ? .lineStart : .textStart))
        case "$": return advance(.assertion(flags.isMultiline ? .lineEnd : .textEnd))
        default:
            position += 1
            return literal(scalar)
        }
    }

    private mutating func advance(_ node: RegexNode) -> RegexNode {
        position += 1
        return node
    }

    /// Parses a group. Its flags end with it.
    private mutating func group() throws(RegexProblem) -> RegexNode? {
        let start = position
        guard depth < RegexLimits.depth else {
            throw problem("groups nest deeper than \(RegexLimits.depth)", "use fewer groups")
        }
        position += 1
        let before = flags
        let kind = try groupKind(start)
        if kind == .flags { return nil }
        if case .capturing = kind { groups += 1 }
        let number = groups
        depth += 1
        let inner = try choice()
        depth -= 1
        guard take(")") else {
            throw problem(at: start, "the group is not closed", "add `)`, or write `\\(` for the character")
        }
        flags = before
        return kind == .capturing ? try bounded(.group(inner, number), at: start) : inner
    }

    /// Returns a node for a literal character.
    mutating func literal(_ scalar: Unicode.Scalar) -> RegexNode {
        guard flags.foldsCase else { return .scalar(scalar.value) }
        let variants = CaseVariants(of: scalar.value)
        guard variants.count > 1 else { return .scalar(scalar.value) }
        return .set(add(ScalarSet((0..<variants.count).map { variants[$0]...variants[$0] })))
    }

    mutating func add(_ set: ScalarSet) -> Int {
        sets.append(set)
        return sets.count - 1
    }

    /// Returns the node, or throws if it is too large.
    private func bounded(_ node: RegexNode, at start: Int? = nil) throws(RegexProblem) -> RegexNode {
        guard node.size <= RegexLimits.instructions else {
            throw problem(
                at: start ?? position,
                "with expanded repeats, the pattern has more than \(RegexLimits.instructions) instructions",
                "use fewer repeats: a{1000} has a thousand instructions, a* has two")
        }
        return node
    }
}

extension RegexParser {
    /// The current character. `nil` at the end.
    var current: Unicode.Scalar? { position < pattern.count ? pattern[position] : nil }

    /// Returns the character at a distance from the current one.
    func peek(_ distance: Int) -> Unicode.Scalar? {
        position + distance < pattern.count ? pattern[position + distance] : nil
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    func problem(at offset: Int? = nil, _ what: String, _ remedy: String) -> RegexProblem {
        RegexProblem(offset: offset ?? position, what: what, remedy: remedy)
    }

    /// Returns a part of the pattern for a message: at most 40 characters on one line.
    func text(from start: Int, to end: Int) -> String {
        pattern[start..<min(end, pattern.count)].prefix(40).map(Self.shown).joined()
    }

    private static func shown(_ scalar: Unicode.Scalar) -> String {
        PrintableText.isPrintable(scalar)
            ? String(Character(scalar)) : "\\x{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
}

/// The reason that a text is not a regular expression: position, problem and remedy.
package struct RegexProblem: Error, Hashable {
    /// The position in the pattern in Unicode scalars, from 0.
    package let offset: Int
    /// The problem on one line.
    package let what: String
    /// The remedy on one line.
    package let remedy: String
}
