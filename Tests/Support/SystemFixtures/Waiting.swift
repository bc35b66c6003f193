/// A test did not get what it waited for.
struct Impatience: Error, CustomStringConvertible {
    /// What it waited for.
    let description: String

    /// Tells what was waited for in vain.
    init(_ description: String) {
        self.description = description
    }
}

/// Looks again and again until `condition` gives something: another process cannot tell us that it is ready.
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
