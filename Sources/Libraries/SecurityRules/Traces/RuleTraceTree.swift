/// The tree of a condition's evaluations. They arrive in the order of completion and are placed under their enclosing
/// expressions.
struct RuleTraceTree {
    private struct Node {
        let expression: RuleExpression
        let number: Int
        let outcome: RuleRecorder.Outcome
        var parts: [Node]
    }

    /// The maximum length of an expression's source text, in scalars.
    private static let longestText = 80

    private var roots: [Node] = []

    init(_ entries: some Sequence<RuleRecorder.Entry>, of ruleset: Ruleset) {
        for entry in entries where ruleset.expressions.indices.contains(entry.expression) {
            let expression = ruleset.expressions[entry.expression]
            var parts: [Node] = []
            while let last = roots.last, Self.isPart(last, of: expression, entry.expression) {
                parts.append(roots.removeLast())
            }
            roots.append(
                Node(
                    expression: expression, number: entry.expression, outcome: entry.outcome, parts: parts.reversed()))
        }
    }

    /// Returns whether a node belongs to an expression. A function's `let`s and result belong to the call, which is the
    /// next of their possible parents to complete.
    private static func isPart(_ node: Node, of expression: RuleExpression, _ number: Int) -> Bool {
        if let parent = node.expression.parent { return parent == number }
        guard let function = node.expression.function else { return false }
        let text = expression.text.utf8
        guard text.starts(with: function.utf8), let next = text.dropFirst(function.utf8.count).first else {
            return false
        }
        return !Lexer.isNamePart(next)
    }

    /// The lines, each expression before its parts.
    var lines: [RuleTrace.Line] {
        var lines: [RuleTrace.Line] = []
        for root in roots { Self.append(root, depth: 0, to: &lines) }
        return lines
    }

    private static func append(_ node: Node, depth: Int, to lines: inout [RuleTrace.Line]) {
        let line = line(node, depth)
        // A literal needs no line of its own.
        if depth > 0, node.parts.isEmpty, line.text == line.outcome { return }
        lines.append(line)
        // Prefixes such as `auth` and `auth.token` are omitted if `auth.token.email` has a value.
        if !line.isFailure, isChainOfMembers(node.expression.text) { return }
        for part in node.parts { append(part, depth: depth + 1, to: &lines) }
    }

    private static func isChainOfMembers(_ text: String) -> Bool {
        text.utf8.allSatisfy { Lexer.isNamePart($0) || $0 == UInt8(ascii: ".") }
    }

    private static func line(_ node: Node, _ depth: Int) -> RuleTrace.Line {
        let (outcome, isFailure) =
            switch node.outcome {
            case .value(let value): (value.text, false)
            case .failure(let why): (why, true)
            }
        return RuleTrace.Line(
            depth: depth, text: shortened(node.expression.text), outcome: outcome, isFailure: isFailure,
            location: node.expression.location)
    }

    private static func shortened(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").unicodeScalars
        guard line.count > longestText else { return String(line) }
        return String(line.prefix(longestText - 3)) + "..."
    }
}
