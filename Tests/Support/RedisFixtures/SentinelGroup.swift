import Foundation
import Synchronization

@testable import SystemFixtures

/// A master, two replicas, and three sentinels that monitor them and fail over within one or two seconds.
final class SentinelGroup: Sendable {
    /// The name of the master.
    static let name = "truth"

    /// The data servers. The first one is the initial master.
    let servers: [RedisServer]
    private let sentinels: [Sentinel]

    /// The ports of the sentinels on 127.0.0.1.
    var sentinelPorts: [Int] { sentinels.map(\.port) }

    /// Starts all servers and returns when each sentinel knows the replicas and the other sentinels.
    ///
    /// - Parameters:
    ///   - configuration: Additional lines for the data servers.
    ///   - masterConfiguration: Additional lines for the initial master.
    ///   - sentinelConfiguration: Additional lines for the sentinels.
    init(
        _ configuration: [String] = [], masterConfiguration: [String] = [], sentinelConfiguration: [String] = []
    ) async throws {
        let fast = ["repl-diskless-sync-delay 0", "repl-ping-replica-period 1"]
        let master = try await RedisServer(fast + configuration + masterConfiguration)
        var servers = [master]
        for _ in 0..<2 {
            servers.append(try await RedisServer(fast + configuration + ["replicaof 127.0.0.1 \(master.port)"]))
        }
        self.servers = servers
        try await eventually("the replicas") {
            try master.cli("info", "replication").components(separatedBy: "state=online").count == 3 ? true : nil
        }
        var sentinels: [Sentinel] = []
        for _ in 0..<3 {
            sentinels.append(try await Sentinel(of: master.port, configuration: sentinelConfiguration))
        }
        self.sentinels = sentinels
        try await eventually("the sentinels to know each other") {
            try sentinels.allSatisfy { try $0.knowsAll() } ? true : nil
        }
    }

    /// The server that all running sentinels name as the master.
    func master() throws -> RedisServer {
        let ports = Set(try running.map { try $0.masterPort() })
        guard ports.count == 1, let server = servers.first(where: { $0.port == ports.first }) else {
            throw Impatience("a master, sentinels name \(ports)")
        }
        return server
    }

    private var running: [Sentinel] { sentinels.filter { !$0.isStopped } }

    /// Kills the master and returns the new one after the failover.
    @discardableResult
    func killMaster() async throws -> RedisServer {
        let old = try master()
        old.kill()
        return try await newMaster(after: old)
    }

    /// Waits until all running sentinels name another master than `old` and no failover is in progress.
    func newMaster(after old: RedisServer) async throws -> RedisServer {
        try await eventually("a failover") {
            guard let new = try? master(), new.port != old.port, try running.allSatisfy({ try $0.isAtRest() }) else {
                return nil
            }
            return try new.cli("role").hasPrefix("master") ? new : nil
        }
    }

    /// Forces a failover without a failure, and returns the new master afterwards.
    @discardableResult
    func failOver() async throws -> RedisServer {
        let old = try master()
        let sentinel = running[0]
        try await eventually("a sentinel to begin a failover") {
            try sentinel.cli("sentinel", "failover", Self.name).hasPrefix("OK") ? true : nil
        }
        return try await newMaster(after: old)
    }

    /// Stops one of the sentinels.
    func killSentinel(_ index: Int) { sentinels[index].stop() }
}

/// A `redis-sentinel` with short periods.
private final class Sentinel: Sendable {
    let port: Int
    private let folder: ScratchFolder
    private let process: ServerProcess

    init(of master: Int, configuration: [String]) async throws {
        folder = try ScratchFolder()
        port = try Ports.free()
        let lines = [
            "port \(port)", "bind 127.0.0.1", "dir \(folder.path)", "logfile log",
            "sentinel monitor \(SentinelGroup.name) 127.0.0.1 \(master) 2",
            "sentinel down-after-milliseconds \(SentinelGroup.name) 500",
            "sentinel failover-timeout \(SentinelGroup.name) 3000",
        ]
        try folder.write((lines + configuration).joined(separator: "\n") + "\n", to: "sentinel.conf")
        process = try await ServerProcess("redis-sentinel", ["sentinel.conf"], in: folder, log: "log")
        try await eventually("redis-sentinel to be ready: \(folder.read("log"))") {
            folder.read("log").contains("Sentinel ID is") ? true : nil
        }
        // Short periods: while the master is down, a sentinel trusts its knowledge of a replica for five pings. It
        // reverts an unknown promotion after four publications.
        try cli("sentinel", "debug", "info-period", "300", "ping-period", "300", "ask-period", "100")
        try cli("sentinel", "debug", "publish-period", "500")
    }

    private let stopped = Mutex(false)

    var isStopped: Bool { stopped.withLock { $0 } }

    func stop() {
        stopped.withLock { $0 = true }
        process.end()
    }

    func knowsAll() throws -> Bool {
        let fields = try fields()
        return fields["num-slaves"] == "2" && fields["num-other-sentinels"] == "2"
    }

    /// Whether no failover is in progress.
    func isAtRest() throws -> Bool { try fields()["flags"] == "master" }

    private func fields() throws -> [String: String] {
        let lines = try cli("sentinel", "master", SentinelGroup.name).split(separator: "\n")
        let pairs = stride(from: 0, to: lines.count - 1, by: 2).map { (String(lines[$0]), String(lines[$0 + 1])) }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    func masterPort() throws -> Int? {
        try cli("sentinel", "get-master-addr-by-name", SentinelGroup.name).split(separator: "\n").last.flatMap {
            Int($0)
        }
    }

    @discardableResult
    func cli(_ arguments: String...) throws -> String {
        try RedisCommandLine.run(arguments, port: port)
    }
}
