/// The syntax of an expression.
struct Expression: Sendable {
    var kind: Kind
    var range: SourceRange

    indirect enum Kind: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        case float(Double)
        case string(String)
        case bytes([UInt8])
        case list([Expression])
        /// Keys are expressions, as in CEL.
        case map([MapEntry])
        /// `/a/$(b)/c`
        case path([PathPart])
        case name(String)
        /// `base.name` without a call.
        case member(Expression, Name)
        /// `base[index]`
        case index(Expression, Expression)
        /// `base[from:to]`
        case slice(Expression, from: Expression, to: Expression)
        /// `name(...)`
        case call(Name, [Expression])
        /// `base.name(...)`. For a namespace, the base is a `name`.
        case methodCall(Expression, Name, [Expression])
        case unary(UnaryOperator, Expression)
        case binary(BinaryOperator, Expression, Expression)
        /// A whole chain of one operator with at least two operands.
        case logical(LogicalOperator, [Expression])
        /// `operand is type`
        case typeTest(Expression, Name)
        case conditional(Expression, then: Expression, otherwise: Expression)
    }

    struct MapEntry: Sendable {
        var key: Expression
        var value: Expression
    }

    /// A part of a path literal.
    enum PathPart: Sendable {
        /// A text with decoded escapes.
        case literal(String)
        case expression(Expression)
    }
}

extension Expression {
    /// The direct operands.
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

    /// Calls `body` for all calls of functions by name, in the order of the text.
    func forEachCall(_ body: (Name) -> Void) {
        if case .call(let name, _) = kind { body(name) }
        for operand in operands { operand.forEachCall(body) }
    }
}

/// An identifier with its range.
struct Name: Sendable {
    var text: String
    var range: SourceRange
}

enum UnaryOperator: String, Sendable {
    case not = "!"
    case negate = "-"
}

enum LogicalOperator: String, Sendable {
    case and = "&&"
    case or = "||"
}

enum BinaryOperator: String, Sendable, CaseIterable {
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case add = "+"
    case subtract = "-"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains = "in"
    case equal = "=="
    case notEqual = "!="
}
