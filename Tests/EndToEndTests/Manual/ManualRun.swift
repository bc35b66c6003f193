import Foundation
import Testing

@testable import SystemFixtures

/// A run of the files and commands of a page in an empty folder, which is also the home directory.
///
/// The page is run as printed, with these exceptions:
///
/// - The built program replaces `script/demo`, which builds it, and the checkout (`git clone`, `cd`).
/// - Each port of the page is replaced by a free one. A default port that neither the command nor the file names is
///   given as an option.
/// - The demo has its own terminal. Another start of the demo stops the previous one, as the page states.
/// - After a start of a gateway in the background, the run waits until the gateway is ready.
final class ManualRun {
    private static let ports = [8080, 8090, 9901, 9902, 9903, 9910, 3000]

    let folder: ScratchFolder
    private let replacements: [String: String]
    private let environment: [String: String]
    private let terminal: ShellSession
    private var demo: ChildProcess?

    init() throws {
        folder = try ScratchFolder()
        let free = try Self.ports.map { ("\($0)", "\(try Ports.free())") }
        replacements = Dictionary(uniqueKeysWithValues: free)
        let search = "\(BuiltProgram.gatehouse.deletingLastPathComponent().path):/usr/bin:/bin"
        environment = ["HOME": folder.path, "XDG_STATE_HOME": "", "PATH": search]
        terminal = try ShellSession(in: folder, environment: environment)
    }

    func run(_ page: ManualPage) async throws {
        for part in page.parts {
            switch part {
            case .file(let name, let text):
                let directory = folder.url.appending(path: name).deletingLastPathComponent()
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                try folder.write(substituted(text), to: name)
            case .script(let line) where line.hasPrefix("git clone ") || line.hasPrefix("cd "): break
            case .script(let line) where line.hasPrefix("script/demo"): try await startDemo(line)
            case .script(let line):
                let result = try await run(line)
                #expect(result.exitCode == 0, "\(line)\n\(result.output)")
            case .command(let line, let stated):
                let output = try await run(line).output
                #expect(StatedOutput.matches(substituted(stated), output), "\(line)\n\(output)\nstated:\n\(stated)")
            }
        }
        demo?.signal(SIGTERM)
    }

    private func run(_ line: String) async throws -> (output: String, exitCode: Int) {
        let listens = line.replacing(
            "serve --firebase-project", with: "serve --listen 127.0.0.1:8080 --firebase-project")
        let command = substituted(
            listens.replacing(/gatehouse (serve|check|explain)/) { "\($0.output.0) --admin 127.0.0.1:9901" })
        let result = try await terminal.run(command)
        if command.hasSuffix("&") { try await waitForGateway() }
        return result
    }

    private func startDemo(_ line: String) async throws {
        demo?.signal(SIGTERM)
        _ = await demo?.exitCode()
        var arguments = line.split(separator: " ").dropFirst().map(String.init)
        let defaults = [
            ("--listen", "127.0.0.1:8080"), ("--admin-port", "9901"), ("--provider-port", "9902"),
            ("--echo-port", "9903"),
        ]
        for (option, value) in defaults where !arguments.contains(option) { arguments += [option, value] }
        let name = "demo-\(UUID().uuidString)"
        demo = try ChildProcess(
            ["demo"] + arguments.map(substituted), environment: environment, in: folder.url,
            output: (folder.path(name), folder.path(name)))
        _ = try await eventually("the demo; \(folder.read(name))") {
            folder.read(name).contains("# Each request is logged below") ? true : nil
        }
    }

    /// Waits for the gateway at the page's ports.
    private func waitForGateway() async throws {
        guard let port = replacements["9901"].flatMap({ Int($0) }) else { return }
        _ = try await eventually("the gateway; \(folder.read("gatehouse.log"))") {
            let response = try? RawClient.exchange(port, WireRequest(target: "/readyz", host: "localhost"))
            return response?.status == 200 ? true : nil
        }
    }

    /// Replaces the page's ports.
    private func substituted(_ text: String) -> String {
        text.replacing(/[0-9]+/) { replacements[String($0.output)] ?? String($0.output) }
    }
}
