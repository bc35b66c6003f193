import Foundation
import Synchronization

@testable import SystemFixtures

/// A real `redis-server` on a free port of loopback, with its files in a temporary folder.
///
/// It can be frozen, killed and restarted on the same port and files. It ends with this object, and with the tests.
final class RedisServer: Sendable {
    /// The user of `cli`.
    struct User: Sendable {
        let name: String
        let password: String

        /// A user of the server's ACL. `default` if there is only a password.
        init(_ name: String = "default", password: String) {
            self.name = name
            self.password = password
        }
    }

    private let process = Mutex<ServerProcess?>(nil)
    private let place: Mutex<Int>
    private let user: User?
    private let tls: TestAuthority?

    /// The server's files: `dump.rdb`, `appendonlydir`, `log`.
    let folder: ScratchFolder

    /// The port on 127.0.0.1.
    var port: Int { place.withLock { $0 } }

    /// The ID of the last process.
    var pid: Int32 { process.withLock { $0?.pid ?? 0 } }

    /// The log of the server.
    var log: String { folder.read("log") }

    /// Starts a server and returns when it responds.
    ///
    /// - Parameters:
    ///   - configuration: Additional lines, such as `appendonly yes`. By default nothing is saved.
    ///   - user: The user of `cli`, if the server requires a password.
    ///   - tls: The authority of its certificates. The server then accepts only TLS.
    init(_ configuration: [String] = [], user: User? = nil, tls: TestAuthority? = nil) async throws {
        folder = try ScratchFolder()
        self.user = user
        self.tls = tls
        place = Mutex(0)
        for attempt in 1...5 {
            try writeConfiguration(configuration, port: Ports.free())
            do {
                try await start()
                return
            } catch {
                // Another process can have bound the port meanwhile.
                guard attempt < 5, log.contains("in use") else { throw error }
            }
        }
    }

    private func writeConfiguration(_ lines: [String], port: Int) throws {
        place.withLock { $0 = port }
        var all = ["bind 127.0.0.1", "save \"\"", "logfile log", "dir \(folder.path)", "enable-debug-command yes"]
        if let tls {
            all += ["port 0", "tls-port \(port)", "tls-cert-file \(tls.certificate)", "tls-key-file \(tls.key)"]
            all += ["tls-ca-cert-file \(tls.authority)", "tls-auth-clients optional"]
        } else {
            all += ["port \(port)"]
        }
        try folder.write((all + lines).joined(separator: "\n") + "\n", to: "redis.conf")
    }

    /// Restarts the stopped server on the same port and files.
    ///
    /// - Parameter whenLoaded: Whether to return when the data is loaded. Otherwise it returns when the server listens.
    func start(whenLoaded: Bool = true) async throws {
        try folder.write("", to: "log")
        let started = try await ServerProcess("redis-server", ["redis.conf"], in: folder, log: "log")
        process.withLock { $0 = started }
        let line = whenLoaded ? "Ready to accept connections" : "Server initialized"
        try await eventually("redis-server to be ready: \(log)") {
            if log.contains("Failed listening") || log.contains("FATAL") { throw Impatience("the port: \(log)") }
            return log.contains(line) ? true : nil
        }
    }

    /// Kills the server without saving.
    func stop() {
        process.withLock { process in
            process?.end()
            process = nil
        }
    }

    /// Kills the server with SIGKILL, like `stop`.
    func kill() { stop() }

    /// Kills the server and restarts it on the same port and files.
    func restart(whenLoaded: Bool = true) async throws {
        stop()
        try await start(whenLoaded: whenLoaded)
    }

    /// Stops the process with SIGSTOP. The kernel still accepts connections.
    func freeze() { process.withLock { $0?.signal(SIGSTOP) } }

    /// Continues the process.
    func thaw() { process.withLock { $0?.signal(SIGCONT) } }

    /// Runs one command like `redis-cli` and returns its output without the line end.
    @discardableResult
    func cli(_ arguments: String...) throws -> String { try cli(arguments) }

    /// Runs one command and returns its output without the line end.
    @discardableResult
    func cli(_ arguments: [String]) throws -> String {
        guard let tls else { return try RedisCommandLine.run(arguments, port: port, user: user) }
        var options = ["-h", "127.0.0.1", "-p", String(port), "--tls", "--cacert", tls.authority]
        if let user { options += ["--user", user.name, "--pass", user.password, "--no-auth-warning"] }
        let output = try Program.run("redis-cli", options + arguments)
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }
}
