package import GatewayCore
package import Logging
package import NIOCore

/// What those who ask others need of the world; tests put their own in its place.
package struct AskingEnvironment: Sendable {
    package var asker: any HTTPAsking
    package var clock: GatewayClock
    package var logger: Logger
    /// Calls the body once the monotonic clock has reached the time, or somewhat before or after it.
    var wake: @Sendable (UInt64, @escaping @Sendable () -> Void) -> Void

    /// The world as it is.
    package static func live(
        _ asker: any HTTPAsking, loop: any EventLoop, clock: GatewayClock, logger: Logger
    ) -> AskingEnvironment {
        AskingEnvironment(asker: asker, clock: clock, logger: logger) { time, body in
            let now = clock.monotonic()
            let delay = min(max(time, now) - now, 60_000_000_000)
            loop.scheduleTask(in: .nanoseconds(Int64(delay)), body)
        }
    }
}
