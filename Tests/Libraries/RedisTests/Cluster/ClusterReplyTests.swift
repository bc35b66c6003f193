import Testing

@testable import Redis

/// The replies of a cluster's nodes.
struct ClusterReplyTests {
    private static let slot = HashSlot(of: Array("gatehouse".utf8))

    private static func string(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    private static func node(_ host: String?, _ port: Int, _ id: String) -> String {
        "*4\r\n" + (host.map(string) ?? "$-1\r\n") + ":\(port)\r\n" + string(id) + "*0\r\n"
    }

    private static func range(_ first: Int, _ last: Int, _ nodes: String...) -> String {
        "*\(nodes.count + 2)\r\n:\(first)\r\n:\(last)\r\n" + nodes.joined()
    }

    private static func topology(_ ranges: String...) throws -> ClusterTopology? {
        try Replies.with("*\(ranges.count)\r\n" + ranges.joined()) {
            ClusterTopology($0, slot: slot, host: "asked")
        }
    }

    private static func names(_ topology: ClusterTopology?) -> [String]? { topology?.masters.map { "\($0.endpoint)" } }

    @Test func `the master of the slot and all masters are read`() throws {
        let topology = try Self.topology(
            Self.range(0, 5460, Self.node("a", 1, "A"), Self.node("x", 4, "X")),
            Self.range(5461, 10922, Self.node("b", 2, "B")), Self.range(10923, 12000, Self.node("::1", 3, "C")),
            Self.range(12001, 16383, Self.node("a", 1, "A")))
        #expect(Self.names(topology) == ["a:1", "b:2", "[::1]:3"])
        #expect(topology?.owner?.endpoint == RedisEndpoint(host: "b", port: 2))
        #expect(topology?.owner?.id == Array("B".utf8))
    }

    @Test func `a node without an address is at the host of the query`() throws {
        for host in [nil, ""] as [String?] {
            let topology = try Self.topology(Self.range(0, 16383, Self.node(host, 7, "A")))
            #expect(Self.names(topology) == ["asked:7"])
        }
    }

    @Test func `a slot without a master, or with one that announces no name, has no owner`() throws {
        let topology = try Self.topology(
            Self.range(0, 5460, Self.node("a", 1, "A")), Self.range(7000, 8000, Self.node("?", 2, "B")))
        #expect(topology?.owner == nil)
        #expect(Self.names(topology) == ["a:1"])
        let empty = try Self.topology()
        #expect(empty?.masters == [])
    }

    @Test(arguments: [
        "+OK\r\n", "-ERR This instance has cluster support disabled\r\n", "*1\r\n*0\r\n", "*1\r\n:5\r\n",
        "*1\r\n*2\r\n:0\r\n:16383\r\n", "*1\r\n*3\r\n:0\r\n:16383\r\n*0\r\n",
        "*1\r\n*3\r\n:9\r\n:8\r\n*3\r\n$1\r\na\r\n:1\r\n$1\r\nA\r\n",
        "*1\r\n*3\r\n:0\r\n:9\r\n*3\r\n$1\r\na\r\n:0\r\n$1\r\nA\r\n",
        "*1\r\n*3\r\n:0\r\n:9\r\n*3\r\n$1\r\na\r\n:65536\r\n$1\r\nA\r\n",
        "*1\r\n*3\r\n:0\r\n:9\r\n*3\r\n$2\r\na \r\n:1\r\n$1\r\nA\r\n",
        "*1\r\n*3\r\n:0\r\n:9\r\n*3\r\n$1\r\na\r\n:1\r\n:5\r\n",
    ])
    func `another reply is no topology`(reply: String) throws {
        let topology = try Replies.with(reply) { ClusterTopology($0, slot: Self.slot, host: "asked") }
        #expect(topology == nil)
    }

    @Test func `the number of masters is bounded`() throws {
        let count = ClusterTopology.maximumMasters
        for extra in [0, 1] {
            let ranges = (0..<(count + extra)).map { Self.range($0, $0, Self.node("h", 1, "n\($0)")) }
            let topology = try Replies.with("*\(ranges.count)\r\n" + ranges.joined()) {
                ClusterTopology($0, slot: Self.slot, host: "asked")
            }
            #expect((topology == nil) == (extra == 1))
        }
    }

    @Test func `a topology whose slots are all separate ranges is read, and not a longer one`() throws {
        let limits = RedisConfiguration(.cluster([], ClusterKeyspace(tag: "t"))).connectionLimits
        for extra in [0, 1] {
            let nodes = (0..<3).map { Self.node("10.0.0.\($0)", 6379, String(repeating: "\($0)", count: 40)) }
            let range = { (slot: Int) in "*5\r\n:\(slot)\r\n:\(slot)\r\n" + nodes.joined() }
            let text = "*\(HashSlot.count + extra)\r\n" + (0..<(HashSlot.count + extra)).map(range).joined()
            let topology = try Replies.with(text, limits: limits) {
                ClusterTopology($0, slot: Self.slot, host: "asked")
            }
            #expect(topology?.masters.count == (extra == 0 ? 1 : nil))
        }
    }

    @Test(arguments: [
        ("myself,master - 0 0 1 connected 0-16383", ClusterSlotState.complete),
        ("myself,master - 0 0 1 connected 5 7783", .complete), ("myself,master - 0 0 1 connected 0-7782", .foreign),
        ("myself,slave B 0 0 1 connected", .foreign),
        ("myself,master - 0 0 1 connected 0-16383 [7783->-bbbb]", .moving),
        ("myself,master - 0 0 1 connected 0-5 [7783-<-bbbb]", .moving),
        ("myself,master - 0 0 1 connected 0-16383 [7784->-bbbb] [778->-bbbb]", .complete),
        ("master - 0 0 1 connected 0-16383", nil), ("myself", nil),
    ])
    func `the state of the slot is that of the node itself`(own: String, expected: ClusterSlotState?) throws {
        let other = "bbbb 127.0.0.1:2@3 master - 0 0 2 connected 0-16383 [7783->-aaaa]\n"
        let text = other + "aaaa 127.0.0.1:1@2,name \(own)\n"
        let state = try Replies.with(Self.string(text)) { ClusterSlotState($0, of: Self.slot) }
        #expect(state == expected)
    }

    @Test(arguments: [
        ("MOVED 7783 10.0.0.1:7", ClusterRedirect.moved(.init(host: "10.0.0.1", port: 7))),
        ("MOVED 7783 ::1:7", .moved(.init(host: "::1", port: 7))),
        ("MOVED 7783 :7", .moved(.init(host: "asked", port: 7))),
        ("MOVED 7783 ?:7", .moved(nil)), ("MOVED 7783 h:0", .moved(nil)), ("MOVED 7783 h:65536", .moved(nil)),
        ("MOVED 7783 h:", .moved(nil)), ("MOVED 7783 h", .moved(nil)), ("MOVED", .moved(nil)),
        ("MOVED 7783 h:99999999999999999999", .moved(nil)),
        ("ASK 7783 node-2.internal:6379", .ask(.init(host: "node-2.internal", port: 6379))),
        ("ASK 7783 h:x", nil), ("TRYAGAIN Multiple keys request during rehashing of slot", .tryAgain),
        ("CLUSTERDOWN The cluster is down", .down), ("CLUSTERDOWN Hash slot not served", .down),
        ("ERR MOVED 1 h:1", nil), ("ASKING 1 h:1", nil),
    ])
    func `a redirect is an error of the node`(text: String, expected: ClusterRedirect?) throws {
        let redirect = try Replies.with("-\(text)\r\n") { ClusterRedirect($0, host: "asked") }
        #expect(redirect == expected)
        let value = try Replies.with(Self.string(text)) { ClusterRedirect($0, host: "asked") }
        #expect(value == nil)
    }
}
