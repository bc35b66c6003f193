/// One open client connection in the ``ConnectionBudget``.
final class ConnectionSeat: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: asks the connection to end.
    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    func makeRoom() { end() }
}
