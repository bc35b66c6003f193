import Foundation

/// An error of a test whose condition was not met in time.
struct Impatience: Error, CustomStringConvertible {
    /// The condition that was not met.
    let description: String

    init(_ description: String) { self.description = description }
}

extension Duration {
    /// The limit of a wait that ends earlier unless something hangs. It allows for a busy machine, where a thread can
    /// pause for seconds.
    static let hangLimit = Allowance.hang
}

/// Returns the processor time that `body` takes on this thread. It does not depend on other programs on the machine.
func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}

/// Polls `condition` until it returns a value, because another process cannot notify the test.
///
/// The limit only ends a test that would wait forever.
@discardableResult
func eventually<Value>(
    _ what: @autoclosure () -> String, _ condition: () async throws -> Value?
) async throws -> Value {
    let limit = Allowance.hang
    let end = ContinuousClock.now + limit
    var pause = Duration.milliseconds(5)
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < end else { throw Impatience("waited \(limit) for \(what())") }
        try await Task.sleep(for: pause)
        // Conditions that take long are polled less often, because a poll can start a process.
        pause = min(pause * 5 / 4, .milliseconds(50))
    }
}

/// The amount of work of tests that repeat one statement for many inputs.
enum Thoroughness {
    /// Whether such tests use all their inputs. Otherwise they use a sample that is the same in every run.
    static let isFull = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_THOROUGH"] == "1"

    /// The number of rounds: `usual`, or `full` in a thorough run.
    static func rounds(_ usual: Int, full: Int) -> Int { isFull ? full : usual }
}

extension Sequence {
    /// One of `count` elements at random, or all elements in a thorough run.
    func sample(oneOf count: Int) -> [Element] {
        var random = SeededRandom(seed: 1)
        return filter { _ in Int.random(in: 0..<count, using: &random) == 0 || Thoroughness.isFull }
    }
}

/// The factors for limits of time and memory, for slow machines and sanitizers.
enum Allowance {
    /// The factor, at least 1. By default 4, so that no limit requires an otherwise idle machine.
    static let factor = value(of: "GATEHOUSE_TEST_ALLOWANCE", default: 4)
    private static let memoryFactor = value(of: "GATEHOUSE_TEST_MEMORY_ALLOWANCE", default: 1)

    /// The limit for a condition that never becomes true, long enough for a machine that is busy otherwise.
    static let hang = Duration.seconds(hangSeconds)
    static let hangSeconds = 30 * factor
    /// A timeout for the gateway's configuration that suffices on a slow machine.
    static func setting(milliseconds usual: Int) -> String { "\(usual * factor)ms" }
    static func memory(kilobytes usual: Int) -> Int { usual * memoryFactor }

    private static func value(of variable: String, default usual: Int) -> Int {
        max(1, Int(ProcessInfo.processInfo.environment[variable] ?? "") ?? usual)
    }
}
