import Foundation
import Synchronization

/// The built `gatehouse` as a child process. Its output goes to files, which remain after a kill.
final class ChildProcess: Sendable {
    private struct State {
        var process: Process
        var exitCode: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    private let state: Mutex<State>
    let pid: Int32

    /// The program, which is in the same folder as the tests.
    static let program: URL = {
        let bundles = [Bundle.main.executableURL] + Bundle.allBundles.map(\.bundleURL)
        let folders = bundles.compactMap { $0?.deletingLastPathComponent() }
        let programs = folders.map { $0.appending(path: "gatehouse") }
        return programs.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? programs[0]
    }()

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
        let process = Process()
        if let descriptorLimit {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let script = "ulimit -n \(descriptorLimit); exec \"$0\" \"$@\""
            process.arguments = ["-c", script, Self.program.path] + arguments
        } else if !launcher.isEmpty {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = launcher + [Self.program.path] + arguments
        } else {
            process.executableURL = Self.program
            process.arguments = arguments
        }
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input ?? .nullDevice
        process.standardOutput = try pipes.0?.writing ?? Self.appending(to: output.0)
        process.standardError = try pipes.1?.writing ?? Self.appending(to: output.1)
        let exits = Exits()
        process.terminationHandler = { exits.ended($0.terminationStatus) }
        try process.run()
        pid = process.processIdentifier
        state = Mutex(State(process: process))
        exits.whenEnded { [weak self] code in self?.ended(code) }
    }

    deinit {
        if isRunning { kill(pid, SIGKILL) }
    }

    var isRunning: Bool { state.withLock { $0.exitCode == nil } }

    func signal(_ number: Int32) {
        guard isRunning else { return }
        kill(pid, number)
    }

    /// The exit code. If a signal ended the process, the number of the signal.
    func exitCode() async -> Int32 {
        await withCheckedContinuation { continuation in
            let code = state.withLock { state in
                if state.exitCode == nil { state.waiting.append(continuation) }
                return state.exitCode
            }
            if let code { continuation.resume(returning: code) }
        }
    }

    private func ended(_ code: Int32) {
        let waiting = state.withLock { state in
            state.exitCode = code
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: code) }
    }

    private static func appending(to path: String) throws -> FileHandle {
        let url = URL(fileURLWithPath: path)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: url) }
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        return handle
    }
}

/// Delivers the exit code to a listener that is set before or after the exit.
private final class Exits: Sendable {
    private let state = Mutex<(code: Int32?, listener: (@Sendable (Int32) -> Void)?)>((nil, nil))

    func ended(_ code: Int32) {
        state.withLock { state in
            state.code = code
            return state.listener
        }?(code)
    }

    func whenEnded(_ listener: @escaping @Sendable (Int32) -> Void) {
        let code = state.withLock { state in
            state.listener = listener
            return state.code
        }
        if let code { listener(code) }
    }
}
