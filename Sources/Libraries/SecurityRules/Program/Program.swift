/// Rules in the form in which they are evaluated: flat arrays that refer to each other by number. Immutable; a class, so that one reference
/// leads to all of it.
final class Program: Sendable {
    /// A declared function.
    struct Function: Sendable {
        /// How many arguments it takes.
        var parameters: Int32 = 0
        /// Where its `let`s begin among the operands, in their order.
        var lets: Int32 = 0
        var letCount: Int32 = 0
        /// What it returns.
        var result: Int32 = -1
    }

    /// An `allow`.
    struct Rule: Sendable {
        var operations: RuleOperationSet
        /// -1: unconditional.
        var condition: Int32
    }

    let nodes: [ProgramNode]
    let operands: [Int32]
    let constants: [RuleValue]
    let names: [String]
    /// The patterns that are literals.
    let patterns: [RuleRegex]
    let functions: [Function]
    let rules: [Rule]
    let matches: MatchTree

    init(
        nodes: [ProgramNode], operands: [Int32], constants: [RuleValue], names: [String],
        patterns: [RuleRegex], functions: [Function], rules: [Rule], matches: MatchTree
    ) {
        self.nodes = nodes
        self.operands = operands
        self.constants = constants
        self.names = names
        self.patterns = patterns
        self.functions = functions
        self.rules = rules
        self.matches = matches
    }
}
