import ArgumentParser
import Diagnostics
import GatewayConfiguration
import GatewayCore

struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Check the health of a running gateway, for containers and scripts.",
        discussion: """
            Example: gatehouse healthcheck --config config/gatehouse.yaml

            It calls /readyz of the admin listener. The exit code is 0 if the gateway is ready, otherwise 1, with the \
            reason on standard error. It prints nothing if the gateway is ready, and it needs no token.

            It reads only admin.address of the configuration. Without a file, the gateway is expected at 127.0.0.1:9901.
            """)

    /// The maximum timeout, in seconds.
    private static let longestTimeout: Int64 = 60

    @Option(
        help: ArgumentHelp(
            "The gateway's configuration, which has the address of its admin listener. \(ConfigurationFile.help)",
            valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The address of the admin listener. No configuration is read then.", valueName: "host:port"))
    var admin: String?

    @Flag(help: "Call /livez, which also succeeds while key sets or the store are not read yet.")
    var live = false

    @Option(help: ArgumentHelp("How long to wait for the response, 1s to 60s.", valueName: "duration"))
    var timeout = DurationOption(seconds: 3)

    func validate() throws {
        guard (1...Self.longestTimeout).contains(timeout.seconds) else {
            throw ValidationError("--timeout must be 1s to \(Self.longestTimeout)s")
        }
        if config != nil, admin != nil {
            throw ValidationError("--config and --admin exclude each other; give one of them")
        }
    }

    func run() async throws {
        let (settings, limit) = (try settings(), Duration.seconds(timeout.seconds))
        do throws(AdminClientError) {
            let client = try AdminClient(settings, needsToken: false)
            guard !live else { return try await client.checkLiveness(within: limit) }
            let reasons = try await client.readiness(within: limit)
            guard !reasons.isEmpty else { return }
            Console.complain("the gateway at \(client.address) is not ready: \(reasons.joined(separator: "; "))")
        } catch {
            throw Refused(error)
        }
        throw ExitCode.failure
    }

    private func settings() throws(Refused) -> Configuration.Admin {
        var settings = Configuration.Admin()
        do {
            if let admin {
                settings.address = try ListenAddress(parsing: admin)
                guard settings.address?.path == nil else { throw Refused("--admin: a unix: address; write HOST:PORT") }
            } else if let file = config ?? Configuration.defaultFile() {
                settings = try Configuration.admin(file: file)
            }
            return settings
        } catch let error as ListenAddress.ParseError {
            throw Refused("--admin: \(error.what); \(error.remedy)")
        } catch {
            throw Refused(error)
        }
    }
}
