import Foundation
import Testing

@testable import SystemFixtures

/// The configuration file of commands without `--config`. The tests replace `/etc`, which needs a mount namespace.
struct DefaultFileTests {
    private static let canMount =
        (try? Program.run("unshare", ["--mount", "--map-root-user", "sh", "-c", "mount --bind /tmp /etc"])) != nil

    private static func yaml(_ path: String) -> String {
        CheckTests.valid + "admin: { address: 127.0.0.1:1, token: 0123456789abcdef }\n# \(path)\n"
    }

    /// Runs a command in a folder, with the folder `etc` in place of `/etc`.
    private func run(_ arguments: [String], files: [String]) async throws -> CommandRun {
        let folder = try ScratchFolder()
        for name in ["etc/gatehouse", "config"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: name), withIntermediateDirectories: true)
        }
        for file in files { try folder.write(Self.yaml(file), to: file) }
        let child = try ChildProcess(
            arguments, in: folder.url, output: (folder.path("out"), folder.path("err")),
            launcher: [
                "unshare", "--mount", "--map-root-user", "sh", "-c", "mount --bind etc /etc && exec \"$0\" \"$@\"",
            ])
        return CommandRun(exitCode: await child.exitCode(), output: folder.read("out"), errors: folder.read("err"))
    }

    private static let etc = "/etc/gatehouse/gatehouse.yaml"

    @Test(
        .enabled(if: canMount),
        arguments: [
            (["config/gatehouse.yaml"], "config/gatehouse.yaml"), (["etc/gatehouse/gatehouse.yaml"], etc),
            (["config/gatehouse.yaml", "etc/gatehouse/gatehouse.yaml"], etc),
        ])
    func `check reads the first default file that exists`(files: [String], expected: String) async throws {
        let run = try await run(["check"], files: files)
        #expect(run.exitCode == 0 && run.output.contains("\n\(expected): valid"), "\(run.output)\(run.errors)")
    }

    @Test(
        .enabled(if: canMount),
        arguments: [
            "status", "reload", "user show x", "session revoke x 1", "revoke x", "healthcheck",
        ])
    func `the commands of operators read it too`(command: String) async throws {
        let arguments = command.split(separator: " ").map(String.init)
        let run = try await run(arguments, files: ["etc/gatehouse/gatehouse.yaml"])
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("no gateway responds at 127.0.0.1:1"), "\(run.errors)")
    }

    @Test(.enabled(if: canMount)) func `explain reads it too`() async throws {
        let run = try await run(["explain", "GET", "/x", "--no-fetch"], files: ["etc/gatehouse/gatehouse.yaml"])
        #expect(run.output.contains("REFUSED with 401 auth/missing-credential"), "\(run.output)\(run.errors)")
    }

    @Test(.enabled(if: canMount)) func `without any file the message names both`() async throws {
        let run = try await run(["check"], files: [])
        #expect(run.exitCode == 1 && run.errors.hasPrefix("config/gatehouse.yaml:1:1: "), "\(run.errors)")
        #expect(run.errors.contains("create it or /etc/gatehouse/gatehouse.yaml"))
    }
}
