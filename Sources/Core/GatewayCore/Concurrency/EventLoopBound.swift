package import NIOCore

extension NIOLoopBound where Value: AnyObject {
    /// Does something on the loop.
    package func execute(_ body: @escaping @Sendable (Value) -> Void) {
        eventLoop.execute { body(value) }
    }

    /// Asks something on the loop.
    package func onLoop<Answer: Sendable>(_ body: @escaping @Sendable (Value) throws -> Answer) async throws -> Answer {
        try await eventLoop.submit { try body(value) }.get()
    }
}
