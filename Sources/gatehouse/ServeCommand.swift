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
        let configuration = try source.load()
        let logger = makeLogger(level: configuration.log.level)
        for warning in configuration.warnings { logger.warning("\(warning)") }
        let service = GatewayService(configuration, logger: logger) { gateway in
            for address in gateway.addresses { logger.notice("listening", metadata: ["address": "\(address)"]) }
            if let admin = gateway.adminAddress { logger.notice("admin", metadata: ["address": "\(admin)"]) }
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
}
