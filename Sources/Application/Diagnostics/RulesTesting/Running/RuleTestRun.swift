import SecurityRules

/// What became of one test.
package struct RuleTestResult: Sendable {
    /// The test.
    package let test: RuleTest
    /// What the rules said.
    package let answer: RuleTestAnswer
    /// Whether that is what the test expects.
    package let isPassed: Bool
    /// How the rules came to it.
    package let trace: RuleTrace
}

/// A run of files of tests: what became of each test, and what of the rules they reach.
package struct RuleTestRun: Sendable {
    /// Of one file the tests' results.
    package struct File: Sendable {
        /// The file of tests.
        package let file: String
        /// In the order of the file.
        package let results: [RuleTestResult]
    }

    /// In the order in which they were given.
    package let files: [File]
    /// What was reached of all rules together.
    package let coverage: RuleCoverage

    /// Runs tests.
    package init(_ files: [RuleTestFile]) {
        var counters = RuleCoverageCounters()
        let runner = RuleTestRunner()
        self.files = files.map { file in
            let results = file.tests.map { runner.run($0, file.rules, &counters) }
            return File(file: file.file, results: results)
        }
        coverage = counters.coverage
    }

    /// How many tests there are.
    package var count: Int { files.reduce(0) { $0 + $1.results.count } }
    /// How many of them failed.
    package var failures: Int { files.reduce(0) { $0 + $1.results.count { !$0.isPassed } } }
}

/// Asks rules about the requests of tests, one after the other.
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
        let answer = RuleTestAnswer(verdict, of: rules.ruleset)
        let isPassed = answer.meets(test.expectation, line: test.line)
        let trace = RuleTrace(
            recorder.entries, of: rules.ruleset, assumptions: !isPassed && test.expectation.isAboutSignIn)
        return RuleTestResult(test: test, answer: answer, isPassed: isPassed, trace: trace)
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
    /// Whether it is about what would be, had the user signed in otherwise.
    fileprivate var isAboutSignIn: Bool {
        switch self {
        case .allow, .deny: false
        case .stepUp, .secondFactor: true
        }
    }
}
