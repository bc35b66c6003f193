import Foundation
import Testing

@testable import SystemFixtures

/// One run of a command, to its end.
struct CommandRun {
    let exitCode: Int32
    let output: String
    let errors: String

    /// Runs `gatehouse` with `arguments` in a folder.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], in folder: ScratchFolder
    ) async throws -> CommandRun {
        try await run(arguments, environment: environment, in: folder)
    }

    /// Runs `gatehouse` with `arguments` in a folder.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: ScratchFolder
    ) async throws -> CommandRun {
        let name = UUID().uuidString
        let child = try ChildProcess(
            arguments, environment: environment, in: folder.url,
            output: (folder.path(name + ".out"), folder.path(name + ".err")))
        // A gateway that should not have started would run for ever.
        let limit = Task {
            try await Task.sleep(for: .seconds(60))
            child.signal(SIGKILL)
        }
        defer { limit.cancel() }
        let code = await child.exitCode()
        return CommandRun(exitCode: code, output: folder.read(name + ".out"), errors: folder.read(name + ".err"))
    }

    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}
