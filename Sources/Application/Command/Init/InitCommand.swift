import ArgumentParser
import Foundation
import GatewayConfiguration
import GatewayCore

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a commented starter configuration.",
        discussion: """
            Example: gatehouse init --firebase-project my-app --upstream http://127.0.0.1:3000

            An existing file is not replaced, unless --force is given.
            """)

    /// The project of a configuration without `--firebase-project`, which its user has to replace.
    private static let exampleProject = "my-app"

    @Option(help: ArgumentHelp("The Firebase project whose tokens are accepted.", valueName: "id"))
    var firebaseProject = InitCommand.exampleProject

    @Option(help: ArgumentHelp("The service that receives the requests.", valueName: "url"))
    var upstream = "http://127.0.0.1:3000"

    @Option(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var config = "gatehouse.yaml"

    @Flag(help: "Replace an existing file.")
    var force = false

    func run() throws {
        do throws(ConfigurationErrors) {
            // Reports invalid values by the names of their options.
            _ = try Configuration.shortcut(project: firebaseProject, upstream: upstream, environment: [:])
        } catch {
            throw Refused(error)
        }
        let text = String(decoding: PackageResources.starter_yaml, as: UTF8.self)
            .replacing("'PROJECT'", with: Self.quoted(firebaseProject))
            .replacing("'UPSTREAM'", with: Self.quoted(upstream))
        do {
            try Data(text.utf8).write(to: URL(filePath: config), options: force ? .atomic : .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw Refused("\(config) exists; name another file by --config, or replace it with --force")
        } catch {
            throw Refused("\(config) cannot be written; name a file in a folder that is there and writable (--config)")
        }
        try Console.say("\(config) is written.")
        if firebaseProject == Self.exampleProject {
            try Console.say("Replace \(Self.exampleProject) in it by the ID of your Firebase project.")
        }
        try Console.say(
            """

            Next:
              gatehouse check --online --config \(config)
              gatehouse serve --config \(config)
            """)
    }

    /// Returns a text as a YAML scalar in single quotes.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
}
