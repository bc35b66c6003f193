package import GatewayConfiguration
package import Logging
import NIOCore
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A service that runs a gateway until the process is asked to stop, then drains.
package struct GatewayService: Service {
    /// How the configuration is reloaded while the gateway runs.
    package struct Reloads: Sendable {
        let files: Set<String>
        let load: @Sendable () throws -> Configuration
        let signals: @Sendable (@Sendable () async -> Void) async -> Void

        /// Creates the settings.
        ///
        /// - Parameters:
        ///   - files: The files of the first configuration.
        ///   - load: Reads the next configuration.
        ///   - signals: Calls its argument whenever a reload is requested, until the task is cancelled.
        package init(
            files: Set<String>, load: @escaping @Sendable () throws -> Configuration,
            signals: @escaping @Sendable (@Sendable () async -> Void) async -> Void
        ) {
            self.files = files
            self.load = load
            self.signals = signals
        }
    }

    /// The additional time for a stop after the drain, in which store and logs are closed.
    package static let stopMargin = Duration.seconds(15)

    let configuration: Configuration
    let logger: Logger
    let reloads: Reloads?
    let supervisor: Supervisor?
    let onStart: @Sendable (Gateway) -> Void

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - reloads: How the configuration is reloaded. `nil` if it never is.
    ///   - supervisor: The service manager. `nil` without one.
    ///   - onStart: Called once when the gateway accepts connections.
    package init(
        _ configuration: Configuration, logger: Logger, reloads: Reloads? = nil, supervisor: Supervisor? = nil,
        onStart: @escaping @Sendable (Gateway) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.reloads = reloads
        self.supervisor = supervisor
        self.onStart = onStart
    }

    /// Starts the gateway, waits for the graceful shutdown, and drains.
    package func run() async throws {
        let gateway = try await Gateway.start(
            configuration, reloads: reloads, supervisor: supervisor, logger: logger)
        onStart(gateway)
        // Unstructured tasks, so that stopping does not wait for a running reload.
        var tasks: [Task<Void, Never>] = []
        if let reloads, let reloader = gateway.reloader {
            tasks.append(Task { await reloader.watch() })
            tasks.append(Task { await reloads.signals { try? await reloader.reload() } })
        }
        let delivery = supervisor.map { supervisor in Task { await supervisor.deliver() } }
        if let supervisor { tasks.append(Task { await supervisor.announce { gateway.servingStatus } }) }
        try? await gracefulShutdown()
        for task in tasks { task.cancel() }
        supervisor?.stopping(within: gateway.drainTime + Self.stopMargin)
        await gateway.stop()
        delivery?.cancel()
    }
}

/// The reason why a gateway could not start, and the remedy.
package struct GatewayStartError: Error, CustomStringConvertible, Sendable {
    /// The error and its remedy.
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    init(cannotListenOn address: String, _ error: any Error) {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        self.init("cannot listen on \(address): \(reason); free the address or choose another")
    }
}
