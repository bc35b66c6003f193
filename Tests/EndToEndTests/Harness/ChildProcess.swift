import Foundation

@testable import SystemFixtures

/// The built `gatehouse` as a child process. Its output goes to files, which remain after a kill.
final class ChildProcess: Sendable {
    private let process: SpawnedProcess
    var pid: Int32 { process.pid }

    /// - Parameters:
    ///   - environment: Variables in addition to the environment of the tests.
    ///   - input: Standard input. `nil` for the null device.
    ///   - output: The paths of the files to which standard output and standard error are appended.
    ///   - pipes: Destinations of standard output and standard error instead of the files.
    ///   - descriptorLimit: The soft and hard limit of file descriptors.
    ///   - launcher: A program on the PATH that runs `gatehouse`, with its arguments.
    init(
        _ arguments: [String], environment: [String: String] = [:], in folder: URL, input: FileHandle? = nil,
        output: (String, String), pipes: (PausableReader?, PausableReader?) = (nil, nil), descriptorLimit: Int? = nil,
        launcher: [String] = []
    ) throws {
        let command =
            if let descriptorLimit {
                ["/bin/sh", "-c", "ulimit -n \(descriptorLimit); exec \"$0\" \"$@\""]
            } else if launcher.isEmpty {
                [String]()
            } else {
                ["/usr/bin/env"] + launcher
            }
        let line = command + [BuiltProgram.gatehouse.path] + arguments
        process = try SpawnedProcess(
            line[0], Array(line.dropFirst()), in: folder.path,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: input.map { .file($0) } ?? .null,
            output: .file(pipes.0?.writing ?? Self.appending(to: output.0)),
            errors: .file(pipes.1?.writing ?? Self.appending(to: output.1)))
    }

    deinit {
        if isRunning { kill(pid, SIGKILL) }
    }

    var isRunning: Bool { process.status == nil }

    func signal(_ number: Int32) {
        guard isRunning else { return }
        kill(pid, number)
    }

    /// The exit code. If a signal ended the process, the number of the signal.
    func exitCode() async -> Int32 {
        await withCheckedContinuation { continuation in process.whenEnded { continuation.resume(returning: $0) } }
    }

    private static func appending(to path: String) throws -> FileHandle {
        let url = URL(fileURLWithPath: path)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: url) }
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        return handle
    }
}
