package import GatewayCore
package import Logging
package import NIOCore
package import OutboundHTTP

/// The external dependencies of the export, which tests replace.
package struct ExportEnvironment: Sendable {
    /// Creates the client of the receiver.
    let makeTransport: @Sendable () -> any OutboundTransport
    let clock: GatewayClock
    /// Waits for a number of nanoseconds. It throws if the task is cancelled.
    let sleep: @Sendable (UInt64) async throws -> Void
    let random: @Sendable () -> UInt64
    let logger: Logger
    /// The version of the program.
    let version: String

    package init(
        clock: GatewayClock, logger: Logger, version: String,
        makeTransport: @escaping @Sendable () -> any OutboundTransport,
        sleep: @escaping @Sendable (UInt64) async throws -> Void = { try await Task.sleep(nanoseconds: $0) },
        random: @escaping @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
    ) {
        self.makeTransport = makeTransport
        self.clock = clock
        self.sleep = sleep
        self.random = random
        self.logger = logger
        self.version = version
    }

    /// Returns an environment with real connections, on the event loops of the group.
    package static func live(
        group: any EventLoopGroup, clock: GatewayClock, logger: Logger, version: String
    ) -> ExportEnvironment {
        ExportEnvironment(
            clock: clock, logger: logger, version: version,
            makeTransport: {
                OutboundHTTPClient(group: group, connections: 2, size: OTLPSender.responseLimit, longest: .seconds(60))
            })
    }
}
