import GatewayCore

extension CountersSnapshot {
    /// How many requests ended with a code, on all routes and none.
    func requests(_ code: DecisionCode) -> UInt64 {
        (-1..<routes).reduce(0) { $0 + requests(route: $1, code: code) }
    }
}
