/// Compiled rules: flat arrays with references by number. Immutable. A class, so that one reference suffices.
final class Program: Sendable {
    /// A declared function.
    struct Function: Sendable {
        /// The number of parameters.
        var parameters: Int32 = 0
        /// The index of its first `let` in `operands`.
        var lets: Int32 = 0
        var letCount: Int32 = 0
        /// The result.
        var result: Int32 = -1
    }

    /// An `allow`.
    struct Rule: Sendable {
        var operations: RuleOperationSet
        /// The condition, or -1.
        var condition: Int32
    }

    let nodes: [ProgramNode]
    let operands: [Int32]
    let constants: [RuleValue]
    let names: [String]
    /// The compiled literal patterns.
    let patterns: [RuleRegex]
    let functions: [Function]
    let rules: [Rule]
    let matches: MatchTree
    /// The text.
    let source: RuleSource
    /// The counters of results. `nil` unless they are counted.
    let counters: RuleCounters?

    init(
        nodes: [ProgramNode], operands: [Int32], constants: [RuleValue], names: [String],
        patterns: [RuleRegex], functions: [Function], rules: [Rule], matches: MatchTree, source: RuleSource
    ) {
        self.nodes = nodes
        self.operands = operands
        self.constants = constants
        self.names = names
        self.patterns = patterns
        self.functions = functions
        self.rules = rules
        self.matches = matches
        self.source = source
        counters = nil
    }

    /// Creates a copy whose results are counted.
    init(_ other: Program, counters: RuleCounters) {
        nodes = other.nodes
        operands = other.operands
        constants = other.constants
        names = other.names
        patterns = other.patterns
        functions = other.functions
        rules = other.rules
        matches = other.matches
        source = other.source
        self.counters = counters
    }
}
