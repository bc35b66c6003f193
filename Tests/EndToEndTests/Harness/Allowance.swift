import Foundation

/// How many times as long everything may take, and as much memory, as usual: what sanitizers add to a build is nobody's fault.
enum Allowance {
    static let factor = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_ALLOWANCE"].flatMap { Int($0) } ?? 1

    static func time(_ usual: Duration) -> Duration { usual * factor }
    /// A timeout of the gateway's configuration, long enough for a machine that stands still meanwhile.
    static func setting(milliseconds usual: Int) -> String { "\(usual * factor)ms" }
    static func memory(kilobytes usual: Int) -> Int { usual * memoryFactor }

    private static let memoryFactor =
        ProcessInfo.processInfo.environment["GATEHOUSE_TEST_MEMORY_ALLOWANCE"].flatMap { Int($0) } ?? 1
}
