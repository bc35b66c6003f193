/// A token of rules.
struct Token: Sendable {
    enum Kind: Sendable {
        /// A name or a keyword, depending on the position.
        case word(String)
        /// An integer without a sign, which is an operator.
        case integer(UInt64)
        case float(Double)
        case string(String)
        case bytes([UInt8])
        case symbol(Symbol)
        /// A token with a reported error.
        case invalid
        case end
    }

    var kind: Kind
    var range: SourceRange
    /// Whether only blanks and comments precede it on its line.
    var startsLine: Bool

    /// The text of a word.
    var word: String? {
        if case .word(let text) = kind { text } else { nil }
    }

    var symbol: Symbol? {
        if case .symbol(let symbol) = kind { symbol } else { nil }
    }

    var isEnd: Bool {
        if case .end = kind { true } else { false }
    }

    var isInvalid: Bool {
        if case .invalid = kind { true } else { false }
    }
}

/// Punctuation and operators.
enum Symbol: String, Sendable, CaseIterable {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
    case comma = ","
    case semicolon = ";"
    case colon = ":"
    case dot = "."
    case question = "?"
    case assign = "="
    case not = "!"
    case minus = "-"
    case plus = "+"
    case star = "*"
    case slash = "/"
    case percent = "%"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    case and = "&&"
    case or = "||"
}
