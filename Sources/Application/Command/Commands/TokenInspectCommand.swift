import ArgumentParser
import Diagnostics
import GatewayConfiguration
import GatewayCore

struct TokenInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode a token and, with a configuration or project, verify it.",
        discussion: """
            Example: gatehouse token inspect - --firebase-project my-app < token.txt

            It accepts a token as it is pasted: with Bearer, as an Authorization or Cookie field, with quotes and line \
            breaks.

            Other users of this machine can see the arguments of a process, and so a token on the command line. \
            Prefer standard input (-) or --file.

            It prints everything but the signature. It queries the provider of an opaque token and prints nothing of \
            that token. Revocations are not checked; `gatehouse explain` checks them.

            Exit codes: 0 verified and valid, 1 invalid, 2 decoded without verification, for lack of a configuration.
            """)

    /// The exit code of a token that was decoded, but not verified.
    private static let unverified = ExitCode(2)

    @Argument(help: "The token; - or nothing reads it from standard input.")
    var token: [String] = []

    @Option(
        help: ArgumentHelp("A file that contains the token.", valueName: "file"), completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file, if any. \(ConfigurationFile.help)", valueName: "file"),
        completion: .file())
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
        if file != nil, !token.isEmpty {
            throw ValidationError("--file and a token exclude each other; give one of them")
        }
    }

    func run() async throws {
        let configuration: Configuration?
        do throws(ConfigurationErrors) { configuration = try load() } catch { throw Refused(error) }
        let pasted = try file.map(Console.secretText) ?? Console.secret(token.isEmpty ? "-" : joined)
        let cookie = configuration?.identity.credentials.cookie ?? Self.defaultCookie
        let text = PastedToken(pasted, cookie: cookie).text
        guard let configuration else { return try decode(text) }
        try await verify(text, configuration)
    }

    /// The default of `identity.credentials.cookie`.
    private static let defaultCookie = "__session"

    /// The arguments as one text: a shell splits an unquoted `Bearer TOKEN`.
    private var joined: String { token.joined(separator: " ") }

    private func decode(_ token: String) throws {
        let decoded = DecodedToken(token)
        try show(decoded.header, decoded.payload, decoded.steps)
        let verification = decoded.remedy.map { "NOT VERIFIED. To verify it: gatehouse token inspect - \($0)" }
        try Console.say(verification ?? "NOT A TOKEN")
        throw decoded.header == nil ? ExitCode.failure : Self.unverified
    }

    private func verify(_ token: String, _ configuration: Configuration) async throws {
        let inspector: TokenInspector
        do throws(ConfigurationErrors) { inspector = try TokenInspector(configuration) } catch { throw Refused(error) }
        let inspection: TokenInspection
        do throws(TokenInspectionError) {
            inspection = try await inspector.inspect(token, provider: provider)
        } catch {
            throw Refused(error)
        }
        try show(inspection.header, inspection.payload, inspection.steps)
        guard inspection.isValid else {
            try Console.say("NOT VALID: \(inspection.code.wire), \(inspection.code.status)")
            throw ExitCode.failure
        }
        try Console.say("VALID")
    }

    private func show(_ header: String?, _ payload: String?, _ steps: [ExplanationStep]) throws {
        if let header { try Console.say("header  \(header)") }
        if let payload { try Console.say("payload \(payload)\n") }
        try Console.say(StepLines.text(of: steps))
        try Console.say()
    }

    /// Loads the configuration. `nil` if none is named and there is no default file.
    private func load() throws(ConfigurationErrors) -> Configuration? {
        if let firebaseProject {
            // No request is forwarded; the upstream only completes the configuration.
            return try Configuration.shortcut(
                project: firebaseProject, upstream: "http://127.0.0.1:3000", environment: keys.environment)
        }
        guard let file = config ?? Configuration.defaultFile() else { return nil }
        return try Configuration.load(file: file, environment: keys.environment)
    }
}

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Inspect tokens, and mint tokens for development.",
        discussion: "Example: gatehouse token inspect - --firebase-project my-app < token.txt",
        subcommands: [TokenInspectCommand.self, TokenMintCommand.self])
}
