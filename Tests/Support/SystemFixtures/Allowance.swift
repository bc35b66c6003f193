import Foundation

/// How many times as long everything may take, and as much memory, as usual: sanitizers and busy machines slow the tests.
enum Allowance {
    /// At least 1.
    static let factor = value(of: "GATEHOUSE_TEST_ALLOWANCE")
    private static let memoryFactor = value(of: "GATEHOUSE_TEST_MEMORY_ALLOWANCE")

    static func time(_ usual: Duration) -> Duration { usual * factor }
    /// A timeout of the gateway's configuration, long enough for a busy machine.
    static func setting(milliseconds usual: Int) -> String { "\(usual * factor)ms" }
    static func memory(kilobytes usual: Int) -> Int { usual * memoryFactor }

    private static func value(of variable: String) -> Int {
        max(1, Int(ProcessInfo.processInfo.environment[variable] ?? "") ?? 1)
    }
}
