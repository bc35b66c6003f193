/// A rules file as it was written: what stands in its one `service` block.
struct RulesetSyntax: Sendable {
    var functions: [FunctionSyntax]
    var matches: [MatchSyntax]
    var range: SourceRange
}

/// `match PATTERN { ... }`
struct MatchSyntax: Sendable {
    /// This block's own segments, without those of the blocks around it.
    var segments: [PatternSegment]
    var allows: [AllowSyntax]
    var functions: [FunctionSyntax]
    var matches: [MatchSyntax]
    /// The keyword and the pattern.
    var range: SourceRange
}

/// A segment of a pattern.
struct PatternSegment: Sendable {
    enum Kind: Sendable {
        /// As a canonical path spells it: unreserved bytes as they are, others as upper-case escapes or as RFC 3986 section 3.3 lets them stand.
        case literal([UInt8])
        /// `{name}`: one segment that is not empty.
        case capture(String)
        /// `{name=**}`: any number of segments, none too; once in a whole pattern.
        case rest(String)
    }

    var kind: Kind
    var range: SourceRange
}

/// `allow METHODS: if CONDITION;`
struct AllowSyntax: Sendable {
    /// What it names, `read` and `write` resolved.
    var operations: RuleOperationSet
    /// Nil: unconditional.
    var condition: Expression?
    /// The whole statement.
    var range: SourceRange
}

/// `function name(parameters) { let ...; return ...; }`
struct FunctionSyntax: Sendable {
    var name: Name
    var parameters: [Name]
    var lets: [LetSyntax]
    var result: Expression
    /// The keyword, name and parameters.
    var range: SourceRange
}

/// `let name = value;`
struct LetSyntax: Sendable {
    var name: Name
    var value: Expression
}
