/// The smallest part of rules that means something.
struct Token: Sendable {
    enum Kind: Sendable {
        /// A name or a keyword: which one it is depends on where it stands.
        case word(String)
        /// Without a sign, which is an operator.
        case integer(UInt64)
        case float(Double)
        case string(String)
        case bytes([UInt8])
        case symbol(Symbol)
        /// Something that was told already and has no meaning.
        case invalid
        case end
    }

    var kind: Kind
    var range: SourceRange
    /// Whether nothing but blanks and comments stands before it on its line.
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
