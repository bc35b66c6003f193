package import SecurityRules

/// The result of one test.
package struct RuleTestResult: Sendable {
    /// The test.
    package let test: RuleTest
    /// The result of the rules.
    package let outcome: RuleTestOutcome
    /// Whether the result is the expected one.
    package let isPassed: Bool
    /// The evaluation of the rules.
    package let trace: RuleTrace
}

/// A run of test files: the results, and the coverage of the rules.
package struct RuleTestRun: Sendable {
    /// The results of one test file.
    package struct File: Sendable {
        /// The test file.
        package let file: String
        /// The results in the order of the file.
        package let results: [RuleTestResult]
    }

    /// The files in the specified order.
    package let files: [File]
    /// The coverage of all rules.
    package let coverage: RuleCoverage

    /// Runs the tests.
    package init(_ files: [RuleTestFile]) {
        var counters = RuleCoverageCounters()
        let runner = RuleTestRunner()
        self.files = files.map { file in
            let results = file.tests.map { runner.run($0, file.rules, &counters) }
            return File(file: file.file, results: results)
        }
        coverage = counters.coverage
    }

    /// The number of tests.
    package var count: Int { files.reduce(0) { $0 + $1.results.count } }
    /// The number of failed tests.
    package var failures: Int { files.reduce(0) { $0 + $1.results.count { !$0.isPassed } } }
}

/// A runner of tests, one after the other.
private struct RuleTestRunner {
    private let evaluator = RuleEvaluator()
    private let recorder = RuleRecorder()

    init() {
        evaluator.recorder = recorder
    }

    func run(_ test: RuleTest, _ rules: RulesUnderTest, _ counters: inout RuleCoverageCounters) -> RuleTestResult {
        recorder.removeAll()
        let verdict = verdict(test, rules.ruleset)
        counters.count(verdict, recorder.entries, of: rules)
        let outcome = RuleTestOutcome(verdict, of: rules.ruleset)
        let isPassed = outcome.meets(test.expectation, line: test.line)
        let trace = RuleTrace(
            recorder.entries, of: rules.ruleset, assumptions: !isPassed && test.expectation.isAboutSignIn)
        return RuleTestResult(test: test, outcome: outcome, isPassed: isPassed, trace: trace)
    }

    private func verdict(_ test: RuleTest, _ ruleset: Ruleset) -> RuleVerdict {
        guard let time = test.request.timestamp else { return .denied(RuleDenial(.limit)) }
        let signIn = test.user?.signIn(at: test.request.time) ?? RuleSignIn()
        return test.request.path.withUnsafeBytes { path in
            let request = RuleRequest(operation: test.request.operation, path: path, time: time, signIn: signIn)
            evaluator.begin(request, RuleTestBindings(test))
            defer { evaluator.end() }
            return evaluator.decide(ruleset)
        }
    }
}

extension RuleTestExpectation {
    /// Whether the expectation depends on how the user signed in.
    fileprivate var isAboutSignIn: Bool {
        switch self {
        case .allow, .deny: false
        case .stepUp, .secondFactor: true
        }
    }
}
