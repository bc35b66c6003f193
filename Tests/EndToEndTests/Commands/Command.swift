import Foundation
import Testing

@testable import SystemFixtures

/// A run of a command until its exit.
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

    /// Runs `gatehouse` with `arguments` in a folder, with the text `input` on its standard input.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil, in folder: ScratchFolder
    ) async throws -> CommandRun {
        let name = UUID().uuidString
        if let input { try folder.write(input, to: name + ".in") }
        let child = try ChildProcess(
            arguments, environment: environment, in: folder.url,
            input: input.map { _ in try FileHandle(forReadingFrom: folder.url.appending(path: name + ".in")) },
            output: (folder.path(name + ".out"), folder.path(name + ".err")))
        // A gateway that should have failed to start would otherwise run forever.
        let limit = Task {
            try await Task.sleep(for: Allowance.hang)
            child.signal(SIGKILL)
        }
        defer { limit.cancel() }
        let code = await child.exitCode()
        return CommandRun(exitCode: code, output: folder.read(name + ".out"), errors: folder.read(name + ".err"))
    }

    /// Runs `gatehouse check` on a configuration, which is `gatehouse.yaml` in a temporary folder.
    static func check(
        _ yaml: String, environment: [String: String] = [:], files: [String: String] = [:]
    ) async throws -> CommandRun {
        let folder = try ScratchFolder()
        for (name, text) in files.merging(["gatehouse.yaml": yaml], uniquingKeysWith: { $1 }) {
            try folder.write(text, to: name)
        }
        return try await run(["check", "--config", "gatehouse.yaml"], environment: environment, in: folder)
    }

    /// Runs a command of the admin API with `arguments` against a running gateway.
    ///
    /// - Parameter token: The token in the configuration of the command. `nil` for a configuration without a token.
    static func admin(
        _ arguments: [String], at gateway: GatewayProcess, token: String? = GatewayConfiguration.adminToken
    ) async throws -> CommandRun {
        let token = token.map { ", token: \($0)" } ?? ""
        let file = "client-\(UUID().uuidString).yaml"
        try gateway.folder.write(
            "admin: { address: 127.0.0.1:\(gateway.adminPort)\(token) }\n" + CheckTests.valid, to: file)
        return try await run(arguments + ["--config", file], in: gateway.folder)
    }

    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}
