import Foundation

/// A test did not get what it waited for.
struct Impatience: Error, CustomStringConvertible {
    /// The condition that was not met.
    let description: String

    init(_ description: String) { self.description = description }
}

/// Polls `condition` until it returns a value: another process cannot notify the test.
@discardableResult
func eventually<Value>(
    _ what: @autoclosure () -> String, within limit: Duration = .seconds(15), _ condition: () async throws -> Value?
) async throws -> Value {
    let limit = limit * Allowance.factor
    let end = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < end else { throw Impatience("waited \(limit) for \(what())") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// The factors for limits of time and memory, for busy machines and sanitizers.
enum Allowance {
    /// At least 1. Four by default, so that no limit depends on a machine without other work.
    static let factor = value(of: "GATEHOUSE_TEST_ALLOWANCE", default: 4)
    private static let memoryFactor = value(of: "GATEHOUSE_TEST_MEMORY_ALLOWANCE", default: 1)

    static func time(_ usual: Duration) -> Duration { usual * factor }
    /// A timeout of the gateway's configuration, long enough for a busy machine.
    static func setting(milliseconds usual: Int) -> String { "\(usual * factor)ms" }
    static func memory(kilobytes usual: Int) -> Int { usual * memoryFactor }

    private static func value(of variable: String, default usual: Int) -> Int {
        max(1, Int(ProcessInfo.processInfo.environment[variable] ?? "") ?? usual)
    }
}
