import Foundation

/// A test did not get what it waited for.
struct Impatience: Error, CustomStringConvertible {
    let description: String
}

/// Looks again and again until `condition` gives something: another process cannot tell us that it is ready.
func eventually<Value>(
    _ what: @autoclosure () -> String, within limit: Duration = .seconds(15), _ condition: () throws -> Value?
) async throws -> Value {
    let limit = Allowance.time(limit)
    let end = ContinuousClock.now + limit
    while true {
        if let value = try condition() { return value }
        guard ContinuousClock.now < end else { throw Impatience(description: "waited \(limit) for \(what())") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Seconds since 1970.
func unixNow() -> Int64 { Int64(Date().timeIntervalSince1970) }
