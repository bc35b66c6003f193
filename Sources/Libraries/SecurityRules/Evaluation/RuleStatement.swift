/// An `allow` statement of a rules file, or the condition of a route.
public struct RuleStatement: Sendable, Hashable {
    /// The start of the statement.
    public let location: RuleLocation
    /// The name in logs: `FILE:LINE`.
    public let label: String
    /// The source text.
    public let text: String
    /// The methods as in the text: `get, write`. Empty for a route's condition, which applies to all methods.
    public let methods: String
    /// The whole pattern, including enclosing blocks: `/v1/users/{uid}`. Empty for a route's condition.
    public let pattern: String
    /// The condition, as an index of `Ruleset.expressions`. `nil` if there is no condition.
    public let condition: Int?
}

/// An expression of rules whose result is recorded separately.
public struct RuleExpression: Sendable {
    /// The enclosing `allow`, as an index of `Ruleset.rules`. `nil` in a function.
    public let rule: Int?
    /// The enclosing function. `nil` in an `allow`.
    public let function: String?
    /// The index of the enclosing expression, which is smaller. `nil` for conditions, `let`s and results of functions.
    public let parent: Int?
    /// Whether the value, if any, is a boolean that can be true or false. Coverage counts such expressions.
    public let isBoolean: Bool
    let source: RuleSource
    let range: SourceRange

    /// The source text.
    public var text: String { source.text(range) }
    /// The start of the expression.
    public var location: RuleLocation { source.location(range.start) }
    /// The position after the last character.
    public var end: RuleLocation { source.location(range.end) }
}
