internal import PrintableText

/// One thing wrong with rules, or worth knowing of them: where, what, and what to do about it.
public struct RuleProblem: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands.
    public let location: RuleLocation
    /// What is wrong, on one line.
    public let what: String
    /// What to do about it, on one line.
    public let remedy: String

    /// A problem at a place.
    public init(location: RuleLocation, what: String, remedy: String) {
        self.location = location
        self.what = what
        self.remedy = remedy
    }

    /// `SOURCE:LINE:COLUMN: what; what to do`, on one line whatever is in its parts.
    public var description: String { PrintableText.escaped("\(location): \(what); \(remedy)") }
}

/// Everything wrong with rules, in the order of the text: at least one problem, at most `maximumCount`.
public struct RuleProblems: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many problems of one source are told at most.
    public static let maximumCount = 50

    /// The problems.
    public let problems: [RuleProblem]

    /// The problems of one source, in any order; those beyond `maximumCount` are dropped.
    public init(_ problems: [RuleProblem]) {
        self.problems = Array(problems.sorted { $0.location < $1.location }.prefix(Self.maximumCount))
    }

    /// One line a problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Collects what is wrong, and what is only worth knowing, while a source is read.
struct RuleFindings {
    let source: RuleSource
    private(set) var errors: [RuleProblem] = []
    private(set) var warnings: [RuleProblem] = []

    init(_ source: RuleSource) {
        self.source = source
    }

    /// Whether nothing was found that keeps the rules from being used.
    var isUsable: Bool { errors.isEmpty }

    mutating func fail(_ range: SourceRange, _ what: String, _ remedy: String) {
        guard errors.count < RuleProblems.maximumCount else { return }
        errors.append(RuleProblem(location: source.location(range.start), what: what, remedy: remedy))
    }

    mutating func warn(_ range: SourceRange, _ what: String, _ remedy: String) {
        guard warnings.count < RuleProblems.maximumCount else { return }
        warnings.append(RuleProblem(location: source.location(range.start), what: what, remedy: remedy))
    }
}
