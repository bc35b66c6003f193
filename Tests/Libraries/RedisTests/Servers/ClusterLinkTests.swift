import Redis
import Synchronization
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// A client of scripted nodes of a cluster.
struct ClusterLinkTests {
    private static func join(
        _ cluster: FakeCluster, _ change: (inout RedisConfiguration) -> Void = { _ in }
    ) -> Joined {
        Joined(.cluster(cluster.endpoints, ClusterKeyspace(tag: "t")), isWatching: false, change)
    }

    @Test func `the owner of the slot is found through any node, and keys have the hash tag`() async throws {
        let cluster = try FakeCluster(3, owner: 2)
        let joined = try await Self.join(cluster).ready()
        #expect(joined.client.status.endpoint == cluster.endpoints[2])
        #expect(try await joined.query("GET", "a") == .status("2"))
        #expect(cluster.commands(of: 2) == ["GET {t}a"])
    }

    @Test func `MOVED is followed to the new owner, and no command is lost`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let activity = ClusterActivity()
        let joined = try await Self.join(cluster) { $0.clusterActivity = activity }.ready()
        cluster.owner = 1
        let client = joined.client
        try await withThrowingTaskGroup(of: [RedisValue].self) { group in
            for _ in 0..<100 {
                group.addTask { try await client.outcome(of: RedisCommand(["GET", "a"]), timeout: .hangLimit).get() }
            }
            for try await value in group { #expect(value == [.status("1")]) }
        }
        #expect(joined.client.status.endpoint == cluster.endpoints[1])
        // The lookup, the owner that it named, and the new owner.
        #expect(cluster.nodes.map(\.connectionCount).reduce(0, +) == 3)
        #expect(activity.redirects[.moved, default: 0] >= 1)
    }

    @Test func `nodes that refer to each other are asked at a bounded rate`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let joined = try await Self.join(cluster).ready()
        let moved = cluster.moved(to: 1)
        cluster.script { number, _ in number == 0 ? moved : nil }
        let result = await joined.client.outcome(of: RedisCommand(["GET", "a"]), timeout: .milliseconds(300))
        #expect(throws: RedisFailure.self) { try result.get() }
        #expect(cluster.nodes.map(\.connectionCount).reduce(0, +) < 60)
    }

    @Test func `ASK is followed by ASKING to the next node, and the link stays`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let joined = try await Self.join(cluster).ready()
        let ask = cluster.ask(1)
        cluster.script { number, _ in number == 0 ? ask : nil }
        for _ in 0..<3 { #expect(try await joined.query("GET", "a") == .status("1")) }
        #expect(cluster.commands(of: 1) == ["ASKING", "GET {t}a", "ASKING", "GET {t}a", "ASKING", "GET {t}a"])
        #expect(joined.client.status.endpoint == cluster.endpoints[0])
    }

    @Test func `a later command of a pipeline never precedes a redirected one`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let joined = try await Self.join(cluster).ready()
        let ask = cluster.ask(1)
        cluster.script { number, command in
            number == 0 && command.name == "SET" ? ask : "+\(number) COUNT\r\n"
        }
        let pipeline = RedisCommand(["GET", "a"]) + RedisCommand(["SET", "b", "1"]) + RedisCommand(["XADD", "c"])
        let values = try await joined.client.send(pipeline)
        #expect(values.map(\.text).map { $0?.first } == ["0", "1", "0"])
        let others = cluster.commands(of: 0).filter { $0 != "SET {t}b 1" }
        #expect(others == ["GET {t}a", "XADD {t}c", "XADD {t}c"])
        let places = values.compactMap { $0.text?.split(separator: " ").last }.compactMap { Int($0) }
        #expect(places.count == 3 && places[2] > places[1])
    }

    @Test func `reads of different records after an ASK are executed together`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let joined = try await Self.join(cluster).ready()
        let ask = cluster.ask(1)
        // Every second record was moved.
        cluster.script { number, command in
            let key = command.arguments[1]
            return number == 0 && "13579".contains(key.suffix(1)) ? ask : "+\(number) \(key)\r\n"
        }
        let commands = (0..<250).map { RedisCommand(["HMGET", "k\($0)", "f"]) }
        let values = try await joined.client.send(commands.dropFirst().reduce(commands[0], +))
        #expect(values == (0..<250).map { .status("\($0 % 2) {t}k\($0)") })
        // One by one, the commands would alternate between the nodes.
        #expect(cluster.turns < 60)
    }

    @Test func `an executed command of an independent pipeline is not executed again`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let joined = try await Self.join(cluster).ready()
        let ask = cluster.ask(1)
        cluster.script { number, command in number == 0 && command.arguments[1] == "{t}k3" ? ask : nil }
        var pipeline = RedisCommand(["INCR", "k0"])
        pipeline.isIndependent = true
        for number in 1..<5 { pipeline.append(RedisCommand(["INCR", "k\(number)"])) }
        let values = try await joined.client.send(pipeline)
        #expect(values == ["0", "0", "0", "1", "0"].map { .status($0) })
        let executed = cluster.commands(of: 0).filter { $0 != "INCR {t}k3" }
        #expect(executed == ["INCR {t}k0", "INCR {t}k1", "INCR {t}k2", "INCR {t}k4"])
        #expect(cluster.commands(of: 1) == ["ASKING", "INCR {t}k3"])
    }

    @Test func `a slot that moves to another node and back costs no failed attempt`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let joined = try await Self.join(cluster).ready()
        let moved = cluster.moved(to: 1)
        // The first connection was the lookup.
        cluster.script { number, command in number == 0 && command.connection == 1 ? moved : nil }
        #expect(try await joined.query("GET", "a") == .status("0"))
        #expect(joined.client.status.endpoint == cluster.endpoints[0])
        #expect(joined.client.status.failures == 0)
        #expect(cluster.nodes.map(\.connectionCount) == [3, 1])
    }

    @Test func `TRYAGAIN is repeated until the slot has moved`() async throws {
        let cluster = try FakeCluster(1, owner: 0)
        let joined = try await Self.join(cluster).ready()
        cluster.script { _, _ in "-TRYAGAIN Multiple keys\r\n" }
        async let value = joined.query("GET", "a")
        try await eventually("several attempts") { cluster.commands(of: 0).count > 3 ? true : nil }
        cluster.script { _, _ in nil }
        #expect(try await value == .status("0"))
    }

    @Test func `without an owner commands fail at their deadline, and the link recovers`() async throws {
        let cluster = try FakeCluster(2, owner: 0)
        let joined = try await Self.join(cluster).ready()
        cluster.script { _, _ in "-CLUSTERDOWN The cluster is down\r\n" }
        let result = await joined.client.outcome(of: RedisCommand(["GET", "a"]), timeout: .milliseconds(50))
        #expect(throws: RedisFailure.self) { try result.get() }
        #expect(joined.log.lines.contains { $0.contains("cluster-down") })
        cluster.script { _, _ in nil }
        try await joined.ready()
        #expect(try await joined.query("GET", "a") == .status("0"))
    }

    @Test func `a single server is no cluster`() async throws {
        let server = try await RedisServer()
        let endpoint = RedisEndpoint(host: "127.0.0.1", port: server.port)
        let joined = Joined(.cluster([endpoint], ClusterKeyspace(tag: "t")), isWatching: false)
        try await joined.problem(.notCluster)
    }

    @Test func `the masters move all links, and fewer than half of them are no evidence`() async throws {
        let cluster = try FakeCluster(3, owner: 0)
        let activity = ClusterActivity()
        let joined = try await Joined(.cluster([cluster.endpoints[2]], ClusterKeyspace(tag: "t"))) {
            $0.agreement = MasterAgreement()
            $0.clusterActivity = activity
            $0.quorumLimit = .milliseconds(100)
        }.ready()
        try await eventually("a topology") { activity.confirmedAt }
        // All masters are asked, although one node is configured.
        try await eventually("the masters") { cluster.nodes[1].connectionCount > 0 ? true : nil }
        cluster.owner = 2
        try await joined.ready(at: cluster.nodes[2].port)
        cluster.isolate(except: 2)
        try await joined.problem(.noQuorum)
        cluster.endIsolation()
        try await joined.ready(at: cluster.nodes[2].port)
    }

    @Test func `replicas among the listed nodes have no vote`() async throws {
        let cluster = try FakeCluster(6, masters: [0, 1, 2], owner: 0)
        // Half of the listed nodes, but one of three masters.
        cluster.isolate(except: 0, 3, 4)
        let joined = Joined(.cluster(cluster.endpoints, ClusterKeyspace(tag: "t"))) {
            $0.agreement = MasterAgreement()
            $0.quorumLimit = .milliseconds(100)
        }
        try await joined.problem(.noQuorum)
        cluster.endIsolation()
        try await joined.ready(at: cluster.nodes[0].port)
    }

    @Test func `masters whose addresses change at the same time are found through one that remains`() async throws {
        let cluster = try FakeCluster(5, masters: [0, 1, 2], owner: 0)
        let joined = try await Joined(.cluster([cluster.endpoints[0]], ClusterKeyspace(tag: "t"))) {
            $0.agreement = MasterAgreement()
            $0.quorumLimit = .milliseconds(100)
        }.ready()
        try await eventually("the masters") { cluster.nodes[2].connectionCount > 0 ? true : nil }
        cluster.isolate(except: 0, 3, 4)
        try await joined.problem(.noQuorum)
        cluster.masters = [0, 3, 4]
        try await eventually("the new addresses") { cluster.nodes[4].connectionCount > 0 ? true : nil }
        try await joined.ready(at: cluster.nodes[0].port)
    }
}

/// Nodes that are masters unless a test lists the masters, one of which serves all slots that matter.
private final class FakeCluster: Sendable {
    typealias Script = @Sendable (Int, FakeRedis.Command) -> String?

    private final class Core: Sendable {
        struct State {
            var ports: [Int] = []
            var masters: [Int]
            var owner: Int
            var script: Script = { _, _ in nil }
            var reachable: Set<Int>?
            var commands: [(node: Int, text: String)] = []
        }
        let state: Mutex<State>

        init(masters: [Int], owner: Int) { state = Mutex(State(masters: masters, owner: owner)) }

        func answer(_ command: FakeRedis.Command, _ number: Int) -> String {
            let (ports, owner, script, reachable) = state.withLock { ($0.ports, $0.owner, $0.script, $0.reachable) }
            let masters = state.withLock { $0.masters }
            let moved = "-MOVED 9999 127.0.0.1:\(ports.isEmpty ? 0 : ports[owner])\r\n"
            switch command.name {
            case "ROLE": return "*3\r\n$6\r\nmaster\r\n:5\r\n*0\r\n"
            case "CLUSTER" where command.arguments[1] == "MYID": return "$2\r\nn\(number)\r\n"
            case "CLUSTER":
                // The other masters have one slot each, other than that of the tag.
                if let reachable, !reachable.contains(number) { return "-ERR\r\n" }
                let ranges = masters.map { node in
                    let bounds = node == owner ? (ports.count, 16383) : (node, node)
                    return
                        "*3\r\n:\(bounds.0)\r\n:\(bounds.1)\r\n*3\r\n$9\r\n127.0.0.1\r\n:\(ports[node])\r\n$2\r\nn\(node)\r\n"
                }
                return "*\(ranges.count)\r\n" + ranges.joined()
            default: break
            }
            let count = state.withLock { state in
                state.commands.append((number, command.arguments.joined(separator: " ")))
                return state.commands.count
            }
            if command.name == "ASKING" { return "+OK\r\n" }
            if let reply = script(number, command) { return reply.replacing("COUNT", with: "\(count)") }
            return number == owner || script(owner, command) != nil ? "+\(number)\r\n" : moved
        }
    }

    private let core: Core
    let nodes: [FakeRedis]

    /// - Parameter masters: The numbers of the masters. `nil` for all nodes.
    init(_ count: Int, masters: [Int]? = nil, owner: Int) throws {
        let core = Core(masters: masters ?? Array(0..<count), owner: owner)
        self.core = core
        nodes = try (0..<count).map { number in try FakeRedis { .text(core.answer($0, number)) } }
        let ports = nodes.map(\.port)
        core.state.withLock { $0.ports = ports }
    }

    var endpoints: [RedisEndpoint] { nodes.map { RedisEndpoint(host: "127.0.0.1", port: $0.port) } }

    var owner: Int {
        get { core.state.withLock { $0.owner } }
        set { core.state.withLock { $0.owner = newValue } }
    }

    /// The commands of a node, without the commands that set up a connection.
    func commands(of node: Int) -> [String] {
        core.state.withLock { $0.commands.filter { $0.node == node }.map(\.text) }
    }

    /// The number of commands that another node received than the one before.
    var turns: Int {
        core.state.withLock { state in zip(state.commands, state.commands.dropFirst()).count { $0.node != $1.node } }
    }

    /// Sets replies of nodes. `nil` for the number of the owner, or a redirect to it.
    func script(_ script: @escaping Script) { core.state.withLock { $0.script = script } }

    var masters: [Int] {
        get { core.state.withLock { $0.masters } }
        set { core.state.withLock { $0.masters = newValue } }
    }

    /// Lets only these nodes report the topology.
    func isolate(except nodes: Int...) { core.state.withLock { $0.reachable = Set(nodes) } }

    func endIsolation() { core.state.withLock { $0.reachable = nil } }

    func moved(to node: Int) -> String { "-MOVED 9999 127.0.0.1:\(nodes[node].port)\r\n" }

    func ask(_ node: Int) -> String { "-ASK 9999 127.0.0.1:\(nodes[node].port)\r\n" }
}
