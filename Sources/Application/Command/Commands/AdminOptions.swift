import ArgumentParser
import Diagnostics
import GatewayConfiguration
import GatewayCore

/// The options of commands that call the admin API of a running gateway.
struct AdminOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The gateway's configuration, which has the address and token of its admin API. \(ConfigurationFile.help)",
            valueName: "file"), completion: .file())
    var config: String?

    @Flag(help: "Print the response of the admin API as JSON.")
    var json = false

    private var file: String { ConfigurationFile.path(config) }

    /// Calls the admin API.
    ///
    /// - Parameter needsToken: Whether the call is impossible without the admin token.
    /// - Throws: The reason that the call failed, and the remedy.
    func call<Answer: Sendable>(
        needsToken: Bool = true, _ body: (AdminClient) async throws(AdminClientError) -> Answer
    ) async throws(Refused) -> Answer {
        let configuration: Configuration
        do throws(ConfigurationErrors) {
            configuration = try Configuration.load(file: file)
        } catch {
            throw Refused(error)
        }
        do throws(AdminClientError) {
            return try await body(try AdminClient(configuration.admin, needsToken: needsToken))
        } catch {
            throw Refused("\(file): \(error)")
        }
    }
}
