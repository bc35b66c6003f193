/// An `allow`: a statement of a rules file, or the condition of a route.
public struct RuleStatement: Sendable, Hashable {
    /// Where it begins.
    public let location: RuleLocation
    /// What logs call it: `FILE:LINE`.
    public let label: String
    /// As it is written.
    public let text: String
    /// What it names, as `allow` does: `get, write`; empty for a route's condition, which is asked for every method.
    public let methods: String
    /// The whole pattern, blocks around it included: `/v1/users/{uid}`; empty for a route's condition.
    public let pattern: String
    /// Its condition, by its number in `Ruleset.expressions`; nil: unconditional.
    public let condition: Int?
}

/// An expression of rules that is evaluated by itself, so that its outcome can be told.
public struct RuleExpression: Sendable {
    /// The `allow` that it stands in, by its number in `Ruleset.rules`; nil in a function.
    public let rule: Int?
    /// The function that it stands in; nil in an `allow`.
    public let function: String?
    /// The expression that it is part of, by its number, which is the smaller one; nil for conditions, `let`s and results of functions.
    public let parent: Int?
    /// Whether it is true or false whenever it has a value at all, and can be either: what coverage counts.
    public let isBoolean: Bool
    let source: RuleSource
    let range: SourceRange

    /// As it is written.
    public var text: String { source.text(range) }
    /// Where it begins.
    public var location: RuleLocation { source.location(range.start) }
    /// Where it ends: the place behind its last character.
    public var end: RuleLocation { source.location(range.end) }
}
