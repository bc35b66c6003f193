/// An expression as it was written.
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
        /// Keys are expressions too, as in CEL.
        case map([MapEntry])
        /// `/a/$(b)/c`
        case path([PathPart])
        case name(String)
        /// `base.name`, not called.
        case member(Expression, Name)
        /// `base[index]`
        case index(Expression, Expression)
        /// `base[from:to]`
        case slice(Expression, from: Expression, to: Expression)
        /// `name(...)`
        case call(Name, [Expression])
        /// `base.name(...)`; of a namespace too, whose base is a `name`.
        case methodCall(Expression, Name, [Expression])
        case unary(UnaryOperator, Expression)
        case binary(BinaryOperator, Expression, Expression)
        /// A whole chain of one operator: two operands or more.
        case logical(LogicalOperator, [Expression])
        /// `operand is type`
        case typeTest(Expression, Name)
        case conditional(Expression, then: Expression, otherwise: Expression)
    }

    struct MapEntry: Sendable {
        var key: Expression
        var value: Expression
    }

    /// A segment of a raw path.
    enum PathPart: Sendable {
        /// Escapes decoded.
        case literal(String)
        case expression(Expression)
    }
}

/// An identifier where it stands.
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
