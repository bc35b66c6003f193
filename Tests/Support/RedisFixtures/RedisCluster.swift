import Foundation

@testable import SystemFixtures

/// A Redis Cluster of real servers: three masters with a third of the slots each, and their replicas.
///
/// A master that does not respond is replaced within one or two seconds.
final class RedisCluster: Sendable {
    private static let slots = [0...5460, 5461...10922, 10923...16383]

    /// The servers. The first three are the initial masters.
    let servers: [RedisServer]

    /// Starts all servers and returns when each knows the others and their roles.
    ///
    /// - Parameters:
    ///   - replicas: The number of replicas of each master.
    ///   - configuration: Additional lines for the servers.
    ///   - tls: The authority of the servers' certificates, for clients and among the servers.
    init(replicas: Int = 0, _ configuration: [String] = [], tls: TestAuthority? = nil) async throws {
        var servers: [RedisServer] = []
        var busPorts: [Int] = []
        for _ in 0..<(3 * (1 + replicas)) {
            let busPort = try Ports.free()
            busPorts.append(busPort)
            let lines = [
                "cluster-enabled yes", "cluster-port \(busPort)", "cluster-node-timeout 1000",
                "repl-diskless-sync-delay 0", "repl-ping-replica-period 1",
            ]
            let encryption = tls == nil ? [] : ["tls-cluster yes", "tls-replication yes"]
            servers.append(try await RedisServer(lines + encryption + configuration, tls: tls))
        }
        self.servers = servers
        for (number, server) in servers.enumerated() {
            try Self.run(server, "CLUSTER", "SET-CONFIG-EPOCH", "\(number + 1)")
        }
        for (server, range) in zip(servers, Self.slots) {
            try Self.run(server, "CLUSTER", "ADDSLOTSRANGE", "\(range.lowerBound)", "\(range.upperBound)")
        }
        for (server, busPort) in zip(servers, busPorts).dropFirst() {
            try Self.run(servers[0], "CLUSTER", "MEET", "127.0.0.1", "\(server.port)", "\(busPort)")
        }
        let count = servers.count
        try await eventually("the nodes to know each other") {
            try servers.allSatisfy { try Self.nodes(at: $0).count { $0.isConnected } == count } ? true : nil
        }
        for (number, server) in servers.enumerated().dropFirst(3) {
            try Self.run(server, "CLUSTER", "REPLICATE", servers[number % 3].cli("CLUSTER", "MYID"))
        }
        try await eventually("the replicas and the state of the cluster") {
            try servers.allSatisfy { server in
                let nodes = try Self.nodes(at: server)
                let isSynchronized = try server.cli("INFO", "replication").contains("master_link_status:up")
                return try server.cli("CLUSTER", "INFO").contains("cluster_state:ok")
                    && nodes.count { $0.isMaster } == 3
                    && isSynchronized != nodes.contains { $0.isSelf && $0.isMaster }
            } ? true : nil
        }
    }

    /// The ports of all nodes on 127.0.0.1.
    var ports: [Int] { servers.map(\.port) }

    /// Returns the server that is a master and serves a slot, as its own view and that of another master say.
    func master(of slot: Int) async throws -> RedisServer {
        try await eventually("a master of slot \(slot)") { () -> RedisServer? in
            let views = servers.compactMap { try? Self.nodes(at: $0) }.filter {
                $0.contains { $0.isSelf && $0.isMaster }
            }
            let ports = Set(views.map { view in view.first { $0.isMaster && $0.serves(slot) }?.port })
            guard views.count == 3, ports.count == 1 else { return nil }
            return servers.first { $0.port == ports.first }
        }
    }

    /// Returns a replica of a master whose data is complete.
    func replica(of master: RedisServer) async throws -> RedisServer {
        let id = try master.cli("CLUSTER", "MYID")
        return try await eventually("a complete replica") {
            try servers.first { server in
                guard server.port != master.port,
                    let own = try? Self.nodes(at: server).first(where: { $0.isSelf }), own.master == id
                else { return false }
                let offset = try Self.offset("master_repl_offset", of: master)
                return try offset != nil && Self.offset("slave_repl_offset", of: server) == offset
            }
        }
    }

    /// A master that serves another slot.
    func otherMaster(than server: RedisServer) throws -> RedisServer {
        guard
            let other = servers.first(where: { other in
                other.port != server.port
                    && (try? Self.nodes(at: other))?.contains { $0.isSelf && $0.isMaster } == true
            })
        else { throw Impatience("another master") }
        return other
    }

    private static func offset(_ name: String, of server: RedisServer) throws -> String? {
        try server.cli("INFO", "replication").split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix(name + ":") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @discardableResult
    private static func run(_ server: RedisServer, _ command: String...) throws -> String {
        let answer = try server.cli(command)
        guard answer == "OK" else { throw Impatience("OK to \(command), it is \(answer)") }
        return answer
    }
}

// MARK: - Moving slots

extension RedisCluster {
    /// Begins to move a slot. Commands for absent keys are redirected from then on.
    func beginMove(of slot: Int, from source: RedisServer, to target: RedisServer) throws {
        let (sourceID, targetID) = (try source.cli("CLUSTER", "MYID"), try target.cli("CLUSTER", "MYID"))
        try Self.run(target, "CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", sourceID)
        try Self.run(source, "CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", targetID)
    }

    /// Moves some keys of the slot. Returns whether there were any.
    func moveKeys(of slot: Int, from source: RedisServer, to target: RedisServer, atMost count: Int) throws -> Bool {
        let keys = try source.cli("CLUSTER", "GETKEYSINSLOT", "\(slot)", "\(count)").split(separator: "\n")
        if keys.isEmpty { return false }
        let answer = try source.cli(
            ["MIGRATE", "127.0.0.1", "\(target.port)", "", "0", "5000", "KEYS"] + keys.map { String($0) })
        guard answer == "OK" || answer == "NOKEY" else { throw Impatience("the keys to move: \(answer)") }
        return true
    }

    /// Ends the move after the last key.
    func endMove(of slot: Int, from source: RedisServer, to target: RedisServer) throws {
        let id = try target.cli("CLUSTER", "MYID")
        let others = servers.filter { server in
            server.port != source.port && server.port != target.port
                && (try? Self.nodes(at: server))?.contains { $0.isSelf && $0.isMaster } == true
        }
        for server in [target, source] + others { try Self.run(server, "CLUSTER", "SETSLOT", "\(slot)", "NODE", id) }
    }
}

// MARK: - Nodes

extension RedisCluster {
    /// A line of `CLUSTER NODES`.
    struct Node {
        private let words: [Substring]

        fileprivate init?(_ line: Substring) {
            words = line.split(separator: " ")
            if words.count < 8 { return nil }
        }

        private var flags: [Substring] { words[2].split(separator: ",") }
        var isSelf: Bool { flags.contains("myself") }
        var isMaster: Bool { flags.contains("master") && !flags.contains("fail") }
        var isConnected: Bool { !flags.contains("handshake") && (isSelf || words[7] == "connected") }
        var master: String { String(words[3]) }
        var port: Int? { words[1].split(separator: "@")[0].split(separator: ":").last.flatMap { Int($0) } }

        func serves(_ slot: Int) -> Bool {
            words.dropFirst(8).contains { word in
                let bounds = word.split(separator: "-").compactMap { Int($0) }
                guard !word.hasPrefix("["), let first = bounds.first, let last = bounds.last else { return false }
                return (first...last).contains(slot)
            }
        }
    }

    static func nodes(at server: RedisServer) throws -> [Node] {
        try server.cli("CLUSTER", "NODES").split(separator: "\n").compactMap { Node($0) }
    }
}
