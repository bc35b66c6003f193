import Foundation
import Synchronization

@testable import SystemFixtures

/// `gatehouse serve` on free ports, with a configuration and a store in its own folder. It can be restarted with the
/// same files.
final class GatewayProcess: Sendable {
    private struct Run {
        let child: ChildProcess
        let number: Int
        let port: Int
        let adminPort: Int
        /// The reading ends stay open.
        let pipes: [PausableReader?]
    }

    let folder: ScratchFolder
    private let arguments: [String]
    private let environment: [String: String]
    private let descriptorLimit: Int?
    private let launcher: [String]
    private let terminal: Terminal?
    private let unread: (output: Bool, errors: Bool)
    private let run = Mutex<Run?>(nil)

    /// Writes the configuration; `start` starts it.
    init(_ configuration: GatewayConfiguration) throws {
        folder = try ScratchFolder()
        try folder.write(configuration.text, to: "gatehouse.yaml")
        for (name, text) in configuration.files { try folder.write(text, to: name) }
        arguments = ["serve", "--config", "gatehouse.yaml"]
        environment = configuration.environment
        descriptorLimit = configuration.descriptorLimit
        launcher = configuration.launcher
        terminal = configuration.hasTerminal ? try Terminal() : nil
        unread = (configuration.hasUnreadOutput, configuration.hasUnreadErrors)
    }

    /// Creates a gateway without a file, configured by `arguments`.
    init(arguments: [String], environment: [String: String]) throws {
        folder = try ScratchFolder()
        self.arguments = ["serve"] + arguments
        self.environment = environment
        descriptorLimit = nil
        launcher = []
        terminal = nil
        unread = (false, false)
    }

    /// Replaces the configuration file atomically, by a rename.
    func rewrite(_ text: String, file: String = "gatehouse.yaml") throws {
        try folder.write(text, to: "\(file).next")
        guard rename(folder.path("\(file).next"), folder.path(file)) == 0 else {
            throw Impatience("rename: \(errno)")
        }
    }

    /// Starts the process and returns when it listens for clients and operators.
    func start() async throws {
        let number = run.withLock { $0?.number ?? 0 } + 1
        let output = (folder.path("stdout-\(number)"), folder.path("stderr-\(number)"))
        let pipes = (
            unread.output ? try PausableReader(into: output.0) : nil,
            unread.errors ? try PausableReader(into: output.1) : nil
        )
        pipes.0?.pause()
        let child = try ChildProcess(
            arguments, environment: environment, in: folder.url, input: terminal?.side, output: output, pipes: pipes,
            descriptorLimit: descriptorLimit, launcher: launcher)
        let ports = try await eventually("the ports") {
            try Self.ports(in: self.folder.read("stderr-\(number)"), isRunning: child.isRunning)
        }
        pipes.1?.pause()
        run.withLock {
            $0 = Run(child: child, number: number, port: ports.0, adminPort: ports.1, pipes: [pipes.0, pipes.1])
        }
    }

    /// Waits until the status of `/readyz` is 200.
    func ready() async throws {
        _ = try await eventually("readiness; standard error: \(errors)") {
            try self.readiness().status == 200 ? true : nil
        }
    }

    func readiness() throws -> WireResponse {
        try RawClient.exchange(adminPort, WireRequest(target: "/readyz", host: "localhost"))
    }

    var port: Int { current.port }
    var adminPort: Int { current.adminPort }
    var processID: Int32 { current.child.pid }

    /// The standard output (the access log) and standard error of the latest run.
    var output: String { folder.read("stdout-\(current.number)") }
    var errors: String { folder.read("stderr-\(current.number)") }

    /// Waits until standard error contains `text`. A thread of its own writes the log, so that a line can be later than
    /// the response of its request.
    func untilLogged(_ text: String) async throws {
        try await eventually("'\(text)' in the log") { errors.contains(text) ? true : nil }
    }

    func untilLogged(_ pattern: Regex<Substring>) async throws {
        try await eventually("a line in the log") { errors.contains(pattern) ? true : nil }
    }

    func signal(_ number: Int32) { current.child.signal(number) }

    func exitCode() async -> Int32 { await current.child.exitCode() }

    /// The exit code. `nil` if the process still runs after the timeout.
    func exitCode(within limit: Duration) async throws -> Int32? {
        let end = ContinuousClock.now + limit
        while current.child.isRunning, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        return current.child.isRunning ? nil : await exitCode()
    }

    /// Kills the process, like a power failure, and returns after its exit.
    func kill() async {
        guard let run = run.withLock({ $0 }) else { return }
        run.child.signal(SIGKILL)
        _ = await run.child.exitCode()
    }

    private var current: Run {
        run.withLock { run in
            guard let run else { preconditionFailure("the gateway was not started") }
            return run
        }
    }

    /// The ports of clients and of the admin API, when standard error contains both.
    private static func ports(in log: String, isRunning: Bool) throws -> (Int, Int)? {
        guard let port = listeners(in: log).first, let admin = ports(in: log, of: "\"admin listening\"").first else {
            if !isRunning { throw Impatience("the gateway ended: \(log)") }
            return nil
        }
        return (port, admin)
    }

    /// All ports on which it has listened for clients, in order.
    var listeners: [Int] {
        Self.listeners(in: errors)
    }

    /// The port of the listener for decisions.
    var decisionsPort: Int {
        get throws {
            guard let port = Self.ports(in: errors, of: "\"decisions listening\"").last else {
                throw Impatience("no listener for decisions: \(errors)")
            }
            return port
        }
    }

    private static func listeners(in log: String) -> [Int] {
        ports(in: log, of: "listening") + ports(in: log, of: "\"listening\"")
    }

    /// The ports in the addresses of a message, in either format of the log.
    private static func ports(in log: String, of message: String) -> [Int] {
        log.split(separator: "\n").filter { $0.contains("msg=\(message) ") || $0.contains("\"msg\":\(message),") }
            .compactMap { $0.firstMatch(of: /"?address"?[=:][^ ,]*:([0-9]+)/).flatMap { Int($0.1) } }
    }
}
