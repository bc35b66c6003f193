import ArgumentParser
import Gatehouse
import Logging
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the gateway until SIGTERM, then drain.",
        discussion: """
            With a file:     gatehouse serve --config config/gatehouse.yaml
            Without a file:  gatehouse serve --firebase-project my-app --upstream http://127.0.0.1:3000
            """)

    @OptionGroup var source: ConfigurationOptions

    func run() async throws {
        let (source, ledger) = (source, FileLedger())
        let configuration = try ledger.record { () throws(Refused) in try source.load() }
        let logger = makeLogger(level: configuration.log.level)
        for warning in configuration.warnings {
            logger.warning(
                "configuration",
                metadata: ["at": "\(warning.location)", "warning": "\(warning.what); \(warning.remedy)"])
        }
        let reloads = source.file.map { _ in
            GatewayService.Reloads(files: ledger.files, load: { try source.load() }, signals: onHangup)
        }
        let service = GatewayService(configuration, logger: logger, reloads: reloads) { gateway in
            for address in gateway.listenNames { logger.notice("listening", metadata: ["address": "\(address)"]) }
            if let admin = gateway.adminListenAddress {
                let isOpen = configuration.admin.token != nil
                logger.notice(
                    "admin listening", metadata: ["address": "\(admin)", "api": "\(isOpen ? "on" : "off, no token")"])
            }
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: makeLogger(level: "error")))
        do {
            try await group.run()
        } catch {
            throw Refused(error)
        }
    }

    /// SIGHUP asks for a reload, as of most servers.
    @Sendable private func onHangup(_ reload: @Sendable () async -> Void) async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) { await reload() }
    }
}
