/// Whether a server is well, from its checks: a pure value. It counts as well until checks say otherwise.
struct HealthVerdict: Sendable {
    /// After so many good checks in a row it is well, after so many failed ones it is not.
    let healthy: Int
    let unhealthy: Int
    private(set) var isHealthy = true
    private var inRow = 0

    init(healthy: Int, unhealthy: Int) {
        self.healthy = healthy
        self.unhealthy = unhealthy
    }

    /// - Returns: whether it is well now.
    mutating func checked(passed: Bool) -> Bool {
        // Only checks that speak against the verdict count towards another.
        inRow = passed == isHealthy ? 0 : inRow + 1
        if inRow >= (isHealthy ? unhealthy : healthy) {
            isHealthy.toggle()
            inRow = 0
        }
        return isHealthy
    }
}
