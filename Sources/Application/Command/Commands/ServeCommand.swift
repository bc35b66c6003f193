import ArgumentParser
import Gatehouse
import GatewayConfiguration
import GatewayCore
import Logging
import Observability
import ServiceLifecycle
import Synchronization
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway until SIGTERM, SIGINT or SIGQUIT, then drain.",
        discussion: """
            With a file:     gatehouse serve config/gatehouse.yaml
            Without a file:  gatehouse serve --firebase-project my-app --upstream http://127.0.0.1:3000
            """)

    @Argument(help: ArgumentHelp("The configuration file, as with --config.", valueName: "file"))
    var file: String?

    @OptionGroup var source: ConfigurationOptions

    mutating func validate() throws {
        try source.use(file)
    }

    func run() async throws {
        // The variables are for this process only, and the configuration must not depend on them.
        let supervision = SupervisorSettings.takeFromEnvironment()
        // A reload reads the file of the start, even if another default file appears.
        let (source, ledger) = (source.resolved, FileLedger())
        // SIGHUP must be trapped first, because it ends the process by default.
        var hangups: UnixSignalsSequence?
        if source.file != nil { hangups = await UnixSignalsSequence(trapping: .sighup) }
        let configuration = try ledger.record { () throws(Refused) in try source.load() }
        let log = ProcessLog(configuration.log)
        LoggingSystem.bootstrap { log.handler(label: $0) }
        let logger = log.logger(level: configuration.log.level)
        let logWarnings = { @Sendable (configuration: Configuration) in
            for warning in configuration.warnings {
                logger.warning(
                    "configuration",
                    metadata: ["at": "\(warning.location)", "warning": "\(warning.what); \(warning.remedy)"])
            }
        }
        logWarnings(configuration)
        let reloads = hangups.map { hangups in
            let load = { @Sendable in
                let next = try source.load()
                logWarnings(next)
                return next
            }
            return GatewayService.Reloads(files: ledger.files, load: load) { reload in
                for await _ in hangups { await reload() }
            }
        }
        let running = RunningGateway()
        let supervisor = supervision.flatMap { Supervisor($0, logger: logger) }
        let service = GatewayService(
            configuration, logger: logger, reloads: reloads, supervisor: supervisor
        ) { gateway in
            running.started(gateway)
            for address in gateway.listenNames { logger.notice("listening", metadata: ["address": "\(address)"]) }
            if let decisions = gateway.decisionListenName {
                logger.notice("decisions listening", metadata: ["address": "\(decisions)"])
            }
            if let admin = gateway.adminListenAddress {
                let isOpen = configuration.admin.token != nil
                logger.notice(
                    "admin listening", metadata: ["address": "\(admin)", "api": "\(isOpen ? "on" : "off, no token")"])
            }
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: log.logger(level: .error)))
        let signals = ServeSignals(canReload: reloads != nil, drain: { running.drainTime }) { stop in
            if stop == .immediate { running.endDrain() }
            await group.triggerGracefulShutdown()
        }
        let failure: (any Error)?
        do {
            try await group.run()
            failure = nil
        } catch {
            failure = error
        }
        withExtendedLifetime(signals) {}
        if let failure { log.write("\(failure)") }
        await log.close()
        if failure != nil { throw ExitCode.failure }
    }
}

/// The gateway for the handlers of signals, which may arrive before it has started.
private final class RunningGateway: Sendable {
    private let state = Mutex<(gateway: Gateway?, skipsDrain: Bool)>((nil, false))

    var drainTime: Duration { state.withLock { $0.gateway?.drainTime } ?? .zero }

    func started(_ gateway: Gateway) {
        let skipsDrain = state.withLock { state in
            state.gateway = gateway
            return state.skipsDrain
        }
        if skipsDrain { gateway.endDrain() }
    }

    func endDrain() {
        state.withLock { state in
            state.skipsDrain = true
            return state.gateway
        }?.endDrain()
    }
}
