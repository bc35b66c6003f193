/// A name that stands for a value.
struct CheckedVariable {
    var name: String
    /// What it is, as messages say it: `a parameter`, `a capture`.
    var role: String
    /// Where it is declared; nil: outside of the rules' text.
    var range: SourceRange?
    var value: Inferred
    var isUsed = false
}

/// The service block or a match block: what is visible in it.
struct CheckedBlock {
    /// The block around it.
    var parent: Int?
    /// Its captures and those of the blocks around it.
    var captures: [CheckedVariable]
    /// Its own functions, by name.
    var functions: [String: Int] = [:]
}

/// A function, and what is known of it.
struct CheckedFunction {
    var syntax: FunctionSyntax
    var block: Int
    /// What its result may be, whatever its arguments are; anything before it was checked.
    var result = KindSet.any
}

extension Expression {
    /// What it is made of, one level down.
    var operands: [Expression] {
        switch kind {
        case .null, .bool, .integer, .float, .string, .bytes, .name: []
        case .list(let elements): elements
        case .map(let entries): entries.flatMap { [$0.key, $0.value] }
        case .path(let parts): parts.compactMap { if case .expression(let part) = $0 { part } else { nil } }
        case .member(let base, _): [base]
        case .index(let base, let index): [base, index]
        case .slice(let base, let from, let to): [base, from, to]
        case .call(_, let arguments): arguments
        case .methodCall(let base, _, let arguments): [base] + arguments
        case .unary(_, let operand): [operand]
        case .binary(_, let left, let right): [left, right]
        case .logical(_, let operands): operands
        case .typeTest(let operand, _): [operand]
        case .conditional(let condition, let then, let otherwise): [condition, then, otherwise]
        }
    }

    /// The functions that it calls by their names, in the order of the text.
    func forEachCall(_ body: (Name) -> Void) {
        if case .call(let name, _) = kind { body(name) }
        for operand in operands { operand.forEachCall(body) }
    }
}
