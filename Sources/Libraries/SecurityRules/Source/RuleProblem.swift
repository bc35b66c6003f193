internal import PrintableText

/// An error or warning about rules: location, problem and remedy.
public struct RuleProblem: Sendable, Hashable, CustomStringConvertible {
    /// The location.
    public let location: RuleLocation
    /// The problem on one line.
    public let what: String
    /// The remedy on one line.
    public let remedy: String

    /// Creates a problem.
    public init(location: RuleLocation, what: String, remedy: String) {
        self.location = location
        self.what = what
        self.remedy = remedy
    }

    /// `SOURCE:LINE:COLUMN: problem; remedy`, escaped to one line.
    public var description: String { PrintableText.escaped("\(location): \(what); \(remedy)") }
}

/// The errors of rules in the order of the text: at least one, at most `maximumCount`.
public struct RuleProblems: Error, Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of reported problems of one source.
    public static let maximumCount = 50

    /// The problems.
    public let problems: [RuleProblem]

    /// Sorts the problems and drops those beyond `maximumCount`.
    public init(_ problems: [RuleProblem]) {
        self.problems = Array(problems.sorted { $0.location < $1.location }.prefix(Self.maximumCount))
    }

    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A collector of errors and warnings while a source is read.
struct RuleFindings {
    let source: RuleSource
    private(set) var errors: [RuleProblem] = []
    private(set) var warnings: [RuleProblem] = []

    init(_ source: RuleSource) {
        self.source = source
    }

    /// Whether there is no error.
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
