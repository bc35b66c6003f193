import Foundation

@testable import SystemFixtures

/// A shell that runs commands sequentially and keeps its variables, like a terminal.
final class ShellSession {
    private let process: SpawnedProcess
    private let input = Pipe()
    private let folder: ScratchFolder
    private var count = 0

    /// - Parameter environment: Variables in addition to the environment of the tests.
    init(in folder: ScratchFolder, environment: [String: String]) throws {
        self.folder = folder
        try folder.write("", to: "terminal")
        let output = try FileHandle(forWritingTo: folder.url.appending(path: "terminal"))
        process = try SpawnedProcess(
            "/bin/sh", [], in: folder.path,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, input: .pipe(input),
            output: .file(output), errors: .file(output))
    }

    /// Ends the shell and its background commands.
    deinit {
        try? input.fileHandleForWriting.write(contentsOf: Data("kill $(jobs -p) 2> /dev/null; exit\n".utf8))
        process.wait()
    }

    /// Runs a command, and returns its output and errors, and its exit code.
    func run(_ command: String) async throws -> (output: String, exitCode: Int) {
        count += 1
        let start = folder.read("terminal").count
        try input.fileHandleForWriting.write(contentsOf: Data("\(command)\nprintf '\\n<%s:\(count)>' $?\n".utf8))
        let (folder, count) = (folder, count)
        return try await eventually("the end of `\(command)`; \(folder.read("terminal"))") {
            let text = folder.read("terminal").dropFirst(start)
            guard let end = try Regex("\n<([0-9]+):\(count)>$").firstMatch(in: text) else { return nil }
            return (String(text[..<end.range.lowerBound]), end[1].substring.flatMap { Int($0) } ?? -1)
        }
    }
}
