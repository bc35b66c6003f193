import Foundation
import Synchronization

/// A server process that ends with `end`, with its last reference, and with the tests.
final class ServerProcess: Sendable {
    private struct State: ~Copyable {
        let process: SpawnedProcess
        /// The server ends when this pipe closes.
        let lifeline: Pipe
    }

    private let state: Mutex<State>
    let pid: Int32

    /// - Parameter log: The file of `folder` to which the output of the server is appended.
    init(_ program: String, _ arguments: [String], in folder: ScratchFolder, log: String) async throws {
        let lifeline = Pipe()
        let pidFile = "pid-\(UUID().uuidString)"
        let script = """
            "$0" "$@" >>\(log) 2>&1 </dev/null & server=$!
            echo $server >\(pidFile).new; mv \(pidFile).new \(pidFile); read -r line; kill -9 $server; wait $server
            """
        let process = try SpawnedProcess(
            "/bin/sh", ["-c", script, Program.path(program)] + arguments, in: folder.path, input: .pipe(lifeline))
        state = Mutex(State(process: process, lifeline: lifeline))
        pid = try await eventually("the shell that starts \(program)") {
            Int32(folder.read(pidFile).trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    deinit { end() }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Kills the server and returns after its exit.
    func end() {
        state.withLock { state in
            try? state.lifeline.fileHandleForWriting.close()
            state.process.wait()
        }
    }
}

/// Programs that run until their exit.
enum Program {
    /// The path of a program of Redis or OpenSSL, searched in the usual folders.
    static func path(_ name: String) -> String {
        ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        } ?? name
    }

    /// Runs a program and returns its standard output. Throws if it fails.
    @discardableResult
    static func run(_ name: String, _ arguments: [String], in folder: String = "/", environment: [String: String] = [:])
        throws -> String
    {
        let output = Pipe()
        let process = try SpawnedProcess(
            path(name), arguments, in: folder,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, output: .pipe(output))
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        guard process.wait() == 0 else { throw Impatience("\(name) \(arguments) to succeed") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
