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

/// Runs a gateway until the process is asked to end, then drains.
package struct GatewayService: Service {
    /// How the configuration is read again while the gateway runs.
    package struct Reloads: Sendable {
        let files: Set<String>
        let load: @Sendable () throws -> Configuration
        let signals: @Sendable (@Sendable () async -> Void) async -> Void

        /// - Parameters:
        ///   - files: what was read for the first configuration.
        ///   - load: reads the next one.
        ///   - signals: calls its argument whenever the process is asked to reload, until the task is cancelled.
        package init(
            files: Set<String>, load: @escaping @Sendable () throws -> Configuration,
            signals: @escaping @Sendable (@Sendable () async -> Void) async -> Void
        ) {
            self.files = files
            self.load = load
            self.signals = signals
        }
    }

    let configuration: Configuration
    let logger: Logger
    let reloads: Reloads?
    let onStart: @Sendable (Gateway) -> Void

    /// - Parameters:
    ///   - reloads: `nil`: the configuration stays as it is.
    ///   - onStart: called once the gateway accepts connections.
    package init(
        _ configuration: Configuration, logger: Logger, reloads: Reloads? = nil,
        onStart: @escaping @Sendable (Gateway) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.logger = logger
        self.reloads = reloads
        self.onStart = onStart
    }

    /// Starts, waits for the graceful shutdown, drains.
    package func run() async throws {
        let gateway = try await Gateway.start(configuration, reloads: reloads, logger: logger)
        onStart(gateway)
        // Not children of this task: stopping does not wait for a reload that is under way.
        var tasks: [Task<Void, Never>] = []
        if let reloads, let reloader = gateway.reloader {
            tasks.append(Task { await reloader.watch() })
            tasks.append(Task { await reloads.signals { try? await reloader.reload() } })
        }
        try? await gracefulShutdown()
        for task in tasks { task.cancel() }
        await gateway.stop()
    }
}

/// The reason why a gateway could not start, with what to do.
package struct GatewayStartError: Error, CustomStringConvertible, Sendable {
    /// What went wrong; what to do.
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    init(cannotListenOn address: String, _ error: any Error) {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        self.init("cannot listen on \(address): \(reason); free the address or choose another")
    }
}
