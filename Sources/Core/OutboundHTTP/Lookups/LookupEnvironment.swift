package import GatewayCore
package import Logging
package import NIOCore

/// What lookups need from outside; tests replace it.
package struct LookupEnvironment: Sendable {
    package let transport: any OutboundTransport
    package let clock: GatewayClock
    package let logger: Logger
    /// Calls the body once the monotonic clock has reached the time, or somewhat before or after it.
    let wake: @Sendable (UInt64, @escaping @Sendable () -> Void) -> Void

    /// The real clock and timers of an event loop.
    package static func live(
        _ transport: any OutboundTransport, loop: any EventLoop, clock: GatewayClock, logger: Logger
    ) -> LookupEnvironment {
        LookupEnvironment(transport: transport, clock: clock, logger: logger) { time, body in
            let now = clock.monotonic()
            let delay = min(max(time, now) - now, 60_000_000_000)
            loop.scheduleTask(in: .nanoseconds(Int64(delay)), body)
        }
    }
}
