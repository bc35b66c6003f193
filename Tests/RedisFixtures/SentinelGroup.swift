import Foundation
import Synchronization

/// A master, two replicas, and three sentinels that watch them and fail over within a second or two.
public final class SentinelGroup: Sendable {
    /// What the sentinels call the master.
    public static let name = "truth"

    /// The data servers; the first begins as the master.
    public let servers: [RedisServer]
    private let sentinels: [Sentinel]

    /// Where the sentinels listen, on 127.0.0.1.
    public var sentinelPorts: [Int] { sentinels.map(\.port) }

    /// Starts all and returns when each sentinel knows the replicas and the other sentinels.
    ///
    /// - Parameters:
    ///   - configuration: lines for the data servers.
    ///   - sentinelConfiguration: lines for the sentinels.
    public init(_ configuration: [String] = [], sentinelConfiguration: [String] = []) async throws {
        let fast = ["repl-diskless-sync-delay 0", "repl-ping-replica-period 1"]
        let master = try await RedisServer(fast + configuration)
        var servers = [master]
        for _ in 0..<2 {
            servers.append(try await RedisServer(fast + configuration + ["replicaof 127.0.0.1 \(master.port)"]))
        }
        self.servers = servers
        try await eventually("the replicas", within: .seconds(20)) {
            try master.cli("info", "replication").components(separatedBy: "state=online").count == 3 ? true : nil
        }
        var sentinels: [Sentinel] = []
        for _ in 0..<3 {
            sentinels.append(try await Sentinel(of: master.port, configuration: sentinelConfiguration))
        }
        self.sentinels = sentinels
        try await eventually("the sentinels to know each other", within: .seconds(20)) {
            try sentinels.allSatisfy { try $0.knowsAll() } ? true : nil
        }
    }

    /// The server that a majority of the sentinels calls the master.
    public func master() throws -> RedisServer {
        let ports = sentinels.compactMap { try? $0.masterPort() }
        let counted = Dictionary(ports.map { ($0, 1) }, uniquingKeysWith: +)
        guard let port = counted.first(where: { $0.value >= 2 })?.key,
            let server = servers.first(where: { $0.port == port })
        else { throw Impatience("a master, sentinels name \(ports)") }
        return server
    }

    /// Kills the master; returns when the sentinels have made another server the master, which is returned.
    @discardableResult
    public func killMaster() async throws -> RedisServer {
        let old = try master()
        old.kill()
        return try await newMaster(after: old)
    }

    /// Waits until the sentinels name another master than `old`.
    public func newMaster(after old: RedisServer) async throws -> RedisServer {
        try await eventually("a failover", within: .seconds(30)) {
            guard let new = try? master(), new.port != old.port else { return nil }
            return try new.cli("role").hasPrefix("master") ? new : nil
        }
    }

    /// Has the sentinels fail over although nothing is wrong.
    public func failOver() throws {
        try sentinels[0].cli("sentinel", "failover", Self.name)
    }

    /// Ends one of the sentinels.
    public func killSentinel(_ index: Int) { sentinels[index].stop() }
}

/// One `redis-sentinel` with short periods.
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
        try cli("sentinel", "debug", "info-period", "200", "ping-period", "100", "ask-period", "100")
        try cli("sentinel", "debug", "publish-period", "100")
    }

    func stop() { process.end() }

    func knowsAll() throws -> Bool {
        let lines = try cli("sentinel", "master", SentinelGroup.name).split(separator: "\n")
        let fields = Dictionary(
            stride(from: 0, to: lines.count - 1, by: 2).map { (lines[$0], lines[$0 + 1]) }, uniquingKeysWith: { $1 })
        return fields["num-slaves"] == "2" && fields["num-other-sentinels"] == "2"
    }

    func masterPort() throws -> Int? {
        try cli("sentinel", "get-master-addr-by-name", SentinelGroup.name).split(separator: "\n").last.flatMap {
            Int($0)
        }
    }

    @discardableResult
    func cli(_ arguments: String...) throws -> String {
        try Program.run("redis-cli", ["-h", "127.0.0.1", "-p", String(port)] + arguments)
    }
}
