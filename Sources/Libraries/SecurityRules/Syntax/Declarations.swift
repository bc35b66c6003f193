/// The syntax of a rules file: the content of its `service` block.
struct RulesetSyntax: Sendable {
    var functions: [FunctionSyntax]
    var matches: [MatchSyntax]
    var range: SourceRange
}

/// `match PATTERN { ... }`
struct MatchSyntax: Sendable {
    /// The block's own segments, without the segments of enclosing blocks.
    var segments: [PatternSegment]
    var allows: [AllowSyntax]
    var functions: [FunctionSyntax]
    var matches: [MatchSyntax]
    /// The range of the keyword and the pattern.
    var range: SourceRange
}

/// A segment of a pattern.
struct PatternSegment: Sendable {
    enum Kind: Sendable {
        /// A literal in the form of canonical paths: unreserved bytes unescaped, others as upper-case escapes or as
        /// permitted by RFC 3986 section 3.3.
        case literal([UInt8])
        /// `{name}`: one segment that is not empty.
        case capture(String)
        /// `{name=**}`: zero or more segments, at most once in a whole pattern.
        case rest(String)
    }

    var kind: Kind
    var range: SourceRange
}

/// `allow METHODS: if CONDITION;`
struct AllowSyntax: Sendable {
    /// The operations, with `read` and `write` expanded.
    var operations: RuleOperationSet
    /// `nil` if there is no condition.
    var condition: Expression?
    /// The range of the whole statement.
    var range: SourceRange
}

/// `function name(parameters) { let ...; return ...; }`
struct FunctionSyntax: Sendable {
    var name: Name
    var parameters: [Name]
    var lets: [LetSyntax]
    var result: Expression
    /// The range of the keyword, name and parameters.
    var range: SourceRange
}

/// `let name = value;`
struct LetSyntax: Sendable {
    var name: Name
    var value: Expression
}
