import ArgumentParser
import Gatehouse

@main
struct GatehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "An HTTP gateway that verifies Firebase sign-ins and forwards the verified identity.",
        discussion: """
            Example: gatehouse serve --firebase-project my-app --upstream http://127.0.0.1:3000
            To see it work first: gatehouse demo

            Exit codes: 0 done, 1 refused or invalid, 2 not verified (token inspect), 64 wrong usage.
            """,
        version: GatehouseVersion.current,
        subcommands: [
            InitCommand.self, CheckCommand.self, ServeCommand.self, StatusCommand.self, HealthcheckCommand.self,
            ReloadCommand.self, UserCommand.self, SessionCommand.self, RevokeCommand.self, AccountCommand.self,
            EventsCommand.self,
            ExplainCommand.self, TokenCommand.self, RulesCommand.self, DemoCommand.self, CompletionCommand.self,
        ])

    /// Runs the command like the parser's own `main`. Errors of type `Refused` are printed without a prefix, so that
    /// editors recognise `FILE:LINE:COLUMN`.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let refusal as Refused {
            Console.complain(refusal.description)
            exit(withError: ExitCode.failure)
        } catch {
            exit(withError: error)
        }
    }
}
