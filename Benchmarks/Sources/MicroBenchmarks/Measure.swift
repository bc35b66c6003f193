/// Calls `body` in seven runs of `calls` each, and prints the best and the median run in nanoseconds per call.
///
/// Compare the best runs: other load on the machine can only make a run longer.
func measure(_ name: String, calls: Int, _ body: () -> Void) {
    let clock = ContinuousClock()
    for _ in 0..<max(calls / 10, 1) { body() }
    let runs = (0..<7).map { _ in
        let elapsed = clock.measure { for _ in 0..<calls { body() } }
        let (seconds, attoseconds) = elapsed.components
        return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(calls)
    }.sorted()
    let label = name.padding(to: 58)
    print("\(label) \(format(runs[0])) \(format(runs[3]))")
}

func heading() {
    print("\("".padding(to: 58))  best ns  median ns")
}

private func format(_ value: Double) -> String {
    let text = "\((value * 10).rounded() / 10)"
    return String(repeating: " ", count: max(9 - text.count, 0)) + text
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}

/// Prevents the optimizer from removing work with an unused result.
@inline(never)
func use<Value>(_ value: Value) {}
