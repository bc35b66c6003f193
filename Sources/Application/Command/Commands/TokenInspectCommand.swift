import ArgumentParser
import Diagnostics
import GatewayConfiguration
import GatewayCore

struct TokenInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode and verify a token, with one line per check.",
        discussion: """
            Example: gatehouse token inspect - --config config/gatehouse.yaml < token.txt

            Prints everything but the signature. An opaque token is put to its provider, and nothing of it is printed. The exit code is 0 when the token is valid, else 1. Whether it was revoked \
            is for `gatehouse explain` to say.
            """)

    @Argument(help: "The token; - or nothing reads it from standard input.")
    var token = "-"

    @Option(help: ArgumentHelp("The configuration file. Default: config/gatehouse.yaml.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Without a file: the Firebase project whose tokens are accepted.", valueName: "id"))
    var firebaseProject: String?

    @Option(
        help: ArgumentHelp(
            "The provider that introspects an opaque token, such as github.com. Default: the only one that accepts them.",
            valueName: "id"))
    var provider: String?

    @OptionGroup var keys: KeyURLOptions

    func validate() throws {
        if config != nil, firebaseProject != nil {
            throw ValidationError("--config and --firebase-project exclude each other; give one of them")
        }
    }

    func run() async throws {
        let inspector: TokenInspector
        do throws(ConfigurationErrors) {
            inspector = try TokenInspector(try load())
        } catch {
            throw Refused(error)
        }
        let token = try Console.secret(token)
        let inspection: TokenInspection
        do throws(TokenInspectionError) {
            inspection = try await inspector.inspect(token, provider: provider)
        } catch {
            throw Refused(error)
        }
        if let header = inspection.header { try Console.say("header  \(header)") }
        if let payload = inspection.payload { try Console.say("payload \(payload)\n") }
        try Console.say(StepLines.text(of: inspection.steps))
        try Console.say()
        guard inspection.isValid else {
            try Console.say("NOT VALID: \(inspection.code.wire), \(inspection.code.status)")
            throw ExitCode.failure
        }
        try Console.say("VALID")
    }

    private func load() throws(ConfigurationErrors) -> Configuration {
        guard let firebaseProject else {
            return try Configuration.load(file: config ?? Configuration.defaultFile, environment: keys.environment)
        }
        // No request is forwarded; the upstream only completes the configuration.
        return try Configuration.shortcut(
            project: firebaseProject, upstream: "http://127.0.0.1:3000", environment: keys.environment)
    }
}

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Inspect tokens, and mint tokens for development.",
        discussion: "Example: gatehouse token inspect --firebase-project my-app \"$TOKEN\"",
        subcommands: [TokenInspectCommand.self, TokenMintCommand.self])
}
