package import NIOCore

extension NIOLoopBound where Value: AnyObject {
    /// Runs a closure on the event loop.
    package func execute(_ body: @escaping @Sendable (Value) -> Void) {
        eventLoop.execute { body(value) }
    }

    /// Runs a closure on the event loop and returns its result.
    package func onLoop<Output: Sendable>(_ body: @escaping @Sendable (Value) throws -> Output) async throws -> Output {
        try await eventLoop.submit { try body(value) }.get()
    }
}
