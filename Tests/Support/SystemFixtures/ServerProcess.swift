import Foundation
import Synchronization

/// A server that ends when it is told to, when nobody holds it any more, and when the tests are killed.
final class ServerProcess: Sendable {
    private struct State: ~Copyable {
        let process: Process
        /// Its end is the server's end.
        let lifeline: Pipe
    }

    private let state: Mutex<State>
    let pid: Int32

    /// - Parameter log: what the server prints goes to this file of `folder`, after what stands there.
    init(_ program: String, _ arguments: [String], in folder: ScratchFolder, log: String) async throws {
        let process = Process()
        let lifeline = Pipe()
        let pidFile = "pid-\(UUID().uuidString)"
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let script = """
            "$0" "$@" >>\(log) 2>&1 </dev/null & server=$!
            echo $server >\(pidFile).new; mv \(pidFile).new \(pidFile); read -r line; kill -9 $server; wait $server
            """
        process.arguments = ["-c", script, Program.path(program)] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        state = Mutex(State(process: process, lifeline: lifeline))
        pid = try await eventually("the shell that starts \(program)") {
            Int32(folder.read(pidFile).trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    deinit {
        end()
    }

    func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// Kills the server and returns when it is gone.
    func end() {
        state.withLock { state in
            try? state.lifeline.fileHandleForWriting.close()
            state.process.waitUntilExit()
        }
    }
}
