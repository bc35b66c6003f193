package import GatewayCore
package import Logging
package import NIOCore

/// The external dependencies of lookups, which tests replace.
package struct LookupEnvironment: Sendable {
    package let transport: any OutboundTransport
    package let clock: GatewayClock
    package let logger: Logger
    /// Calls the closure at about the given monotonic time; it may be somewhat early or late.
    let wake: @Sendable (UInt64, @escaping @Sendable () -> Void) -> Void

    /// Returns an environment with the real clock and the timers of an event loop.
    package static func live(
        _ transport: any OutboundTransport, loop: any EventLoop, clock: GatewayClock, logger: Logger
    ) -> LookupEnvironment {
        LookupEnvironment(transport: transport, clock: clock, logger: logger) { time, body in
            let now = clock.monotonic()
            let delay = min(max(time, now) - now, 60_000_000_000)
            loop.scheduleTask(in: .nanoseconds(Int64(delay)), body)
        }
    }

    /// Returns an environment of a machine that sends no requests itself.
    package static func timers(loop: any EventLoop, clock: GatewayClock, logger: Logger) -> LookupEnvironment {
        live(NoTransport(), loop: loop, clock: clock, logger: logger)
    }
}

/// A transport without connections.
private struct NoTransport: OutboundTransport {
    func send(
        _ request: OutboundRequest, within timeout: Duration,
        completion: @escaping @Sendable (Result<OutboundResponse, LookupFailure>) -> Void
    ) {
        completion(.failure(LookupFailure(.cancelled)))
    }

    func shutdown() async {}
}
