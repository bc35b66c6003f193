import DevelopmentIdentity
import Testing

extension Scenario {
    /// The scenario of the suite.
    @TaskLocal static var shared: Scenario?
}

/// A suite whose tests share the scenario that the trait ``SharedScenarioTrait`` starts.
protocol SharedScenarioSuite {}

extension SharedScenarioSuite {
    var scenario: Scenario {
        guard let scenario = Scenario.shared else { preconditionFailure("the suite lacks the trait .sharedScenario") }
        return scenario
    }
}

/// One scenario for all tests of a suite, which run sequentially on its thread.
struct SharedScenarioTrait: SuiteTrait, TestScoping {
    let configure: @Sendable (DevelopmentProvider, inout GatewayConfiguration) -> Void

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Scenario.run(arrange: { configure($0, &$2) }) { scenario in
            try await Scenario.$shared.withValue(scenario) { try await function() }
        }
    }
}

extension Trait where Self == SharedScenarioTrait {
    /// One gateway for the whole suite.
    static var sharedScenario: Self { sharedScenario { _ in } }

    /// One gateway for the whole suite, configured by `configure`.
    static func sharedScenario(_ configure: @escaping @Sendable (inout GatewayConfiguration) -> Void) -> Self {
        SharedScenarioTrait { configure(&$1) }
    }
}
