import Foundation
import Testing

@testable import SystemFixtures

/// Help texts, manual pages and completion scripts. The source of all of them is the parser's description of the
/// commands.
struct HelpTextTests {
    /// A command of the parser's description.
    private struct Command: Decodable {
        struct Argument: Decodable {
            let shouldDisplay: Bool
            let valueName: String?
            let abstract: String?
        }

        let commandName: String
        let abstract: String?
        let discussion: String?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    private struct Description: Decodable {
        let command: Command
    }

    private func commands() async throws -> [(path: String, command: Command)] {
        let run = try await CommandRun.run("--experimental-dump-help", in: ScratchFolder())
        func all(_ command: Command, _ path: [String]) -> [(path: String, command: Command)] {
            let path = path + [command.commandName]
            return [(path.joined(separator: "-"), command)] + (command.subcommands ?? []).flatMap { all($0, path) }
        }
        return all(try JSONDecoder().decode(Description.self, from: Data(run.output.utf8)).command, [])
            .filter { $0.command.commandName != "help" }
    }

    @Test func `each command and each option has a help text`() async throws {
        let commands = try await commands()
        #expect(commands.count > 20)
        for (path, command) in commands {
            #expect(command.abstract?.isEmpty == false && command.discussion?.isEmpty == false, "\(path)")
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                #expect(argument.abstract?.isEmpty == false, "\(path): \(argument.valueName ?? "")")
            }
        }
    }

    @Test func `script/man writes a page for each command`() async throws {
        let folder = try ScratchFolder()
        let script = Repository.root.appending(path: "script/man").path
        try Program.run("env", ["python3", script, BuiltProgram.gatehouse.path, folder.path])
        for (path, command) in try await commands() {
            let page = folder.read("man1/\(path).1")
            #expect(page.hasPrefix(".TH \"") && page.contains(".SH SYNOPSIS"), "\(path)")
            // The page has the text of each option, wrapped differently and with the hyphens of roff.
            let words = page.replacing("\\-", with: "-").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for argument in command.arguments ?? [] where argument.shouldDisplay {
                #expect(words.contains(argument.abstract ?? ""), "\(path): \(argument.abstract ?? "")")
            }
        }
    }

    @Test(arguments: [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
    func `a completion script is printed for each shell`(shell: String, option: String) async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun.run("completion", shell, in: folder)
        #expect(run.exitCode == 0 && run.output.contains("gatehouse") && run.output.contains("unrevoke"))
        try folder.write(run.output, to: "script")
        // Other shells are often not installed.
        if shell == "bash" { try Program.run(shell, [option, folder.path("script")]) }
    }

    @Test func `completion of another shell is wrong usage`() async throws {
        #expect(try await CommandRun.run("completion", "tcsh", in: ScratchFolder()).exitCode == 64)
    }
}
