import Testing

@testable import Redis

/// Returns the largest number of the range, so that a delay equals its limit.
private struct Largest: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
}

struct LinkMachineTests {
    private typealias Machine = LinkMachine<Largest>
    private static let second: UInt64 = 1_000_000_000

    private static func endpoint(_ number: Int) -> RedisEndpoint { RedisEndpoint(host: "h\(number)", port: number) }

    private static func machine(_ location: RedisConfiguration.Location = .server(endpoint(1))) -> Machine {
        LinkMachine(location, backoff: RedisBackoff(), random: Largest())
    }

    private static func sentinels(_ count: Int) -> Machine {
        machine(.sentinels((1...count).map(endpoint), master: "m"))
    }

    private static func connecting(_ number: Int) -> Machine.Action {
        .connect(.sentinel(endpoint(number), master: "m"))
    }

    private static func milliseconds(_ action: Machine.Action) -> UInt64? {
        if case .wait(let nanoseconds) = action { nanoseconds / 1_000_000 } else { nil }
    }

    @Test func `the delays double up to a bound and restart after a lasting connection`() {
        var machine = Self.machine()
        #expect(machine.start() == .connect(.server(Self.endpoint(1))))
        var waits: [UInt64?] = []
        for _ in 0..<8 {
            waits.append(Self.milliseconds(machine.failed(at: 0)))
            #expect(machine.waited() == .connect(.server(Self.endpoint(1))))
        }
        #expect(waits == [50, 100, 200, 400, 800, 1600, 2000, 2000])
        #expect(machine.opened(.usable(.echo), at: 0) == .none)
        #expect(Self.milliseconds(machine.failed(at: 2 * Self.second)) == 50)
    }

    @Test func `a short connection counts as a failure`() {
        var machine = Self.machine()
        _ = machine.start()
        for expected: UInt64 in [50, 100, 200] {
            _ = machine.opened(.usable(.echo), at: 0)
            #expect(Self.milliseconds(machine.failed(at: Self.second)) == expected)
            _ = machine.waited()
        }
    }

    @Test func `a delay is random between zero and its bound`() {
        var generator = SystemRandomNumberGenerator()
        let backoff = RedisBackoff()
        let delays = (0..<1000).map { _ in backoff.delay(afterFailures: 3, using: &generator) }
        #expect(delays.allSatisfy { $0 <= 200_000_000 })
        #expect(Set(delays.map { $0 / 50_000_000 }).isSuperset(of: [0, 1, 2, 3]))
    }

    @Test(arguments: [0, 1, 33, 64, 1_000_000, Int.max])
    func `a delay is valid for any number of failures and any configured time`(failures: Int) {
        var generator = Largest()
        let most = RedisBackoff(first: .seconds(Int64.max), maximum: .seconds(Int64.max))
        #expect(most.delay(afterFailures: failures, using: &generator) > 0)
        let none = RedisBackoff(first: .zero, maximum: .seconds(-1))
        #expect(none.delay(afterFailures: failures, using: &generator) == 1_000_000)
    }

    @Test func `an unexpected event changes nothing`() {
        var machine = Self.machine()
        #expect(machine.waited() == .none)
        #expect(machine.failed(at: 0) == .none)
        #expect(machine.opened(.usable(.echo), at: 0) == .none)
        _ = machine.start()
        #expect(machine.start() == .none)
        #expect(machine.waited() == .none)
        machine.stop()
        #expect(machine.failed(at: 0) == .none)
        #expect(machine.waited() == .none)
        #expect(machine.start() == .connect(.server(Self.endpoint(1))))
    }

    @Test func `the first sentinel that replies names the server`() {
        var machine = Self.sentinels(3)
        #expect(machine.isNamedByOthers)
        #expect(machine.start() == Self.connecting(1))
        #expect(machine.failed(at: 0) == Self.connecting(2))
        #expect(machine.opened(.master(Self.endpoint(9)), at: 0) == .connect(.server(Self.endpoint(9))))
        #expect(machine.opened(.usable(.echo), at: 0) == .none)
    }

    @Test func `the sentinel that replied is queried first the next time`() {
        var machine = Self.sentinels(3)
        _ = machine.start()
        _ = machine.failed(at: 0)
        _ = machine.opened(.master(Self.endpoint(9)), at: 0)
        _ = machine.opened(.usable(.echo), at: 0)
        #expect(Self.milliseconds(machine.failed(at: 0)) != nil)
        #expect(machine.waited() == Self.connecting(2))
        #expect(machine.failed(at: 0) == Self.connecting(1))
        #expect(machine.failed(at: 0) == Self.connecting(3))
    }

    @Test func `a sentinel that named a replica is queried last the next time`() {
        var machine = Self.sentinels(3)
        _ = machine.start()
        _ = machine.opened(.master(Self.endpoint(9)), at: 0)
        #expect(Self.milliseconds(machine.failed(at: 0)) == 50)
        #expect(machine.waited() == Self.connecting(2))
    }

    @Test func `after a failure of all sentinels all are queried again with a delay`() {
        var machine = Self.sentinels(2)
        _ = machine.start()
        for expected: UInt64 in [50, 100] {
            #expect(machine.failed(at: 0) == Self.connecting(2))
            #expect(Self.milliseconds(machine.failed(at: 0)) == expected)
            #expect(machine.waited() == Self.connecting(1))
        }
    }

    @Test func `without sentinels there are only delays`() {
        var machine = Self.machine(.sentinels([], master: "m"))
        #expect(Self.milliseconds(machine.start()) == 50)
        #expect(Self.milliseconds(machine.waited()) == 100)
    }

    @Test func `a ready link moves to another server and looks it up after a failure`() {
        var machine = Self.sentinels(1)
        #expect(machine.move(to: Self.endpoint(9), at: 0) == .none)
        _ = machine.start()
        #expect(machine.move(to: Self.endpoint(9), at: 0) == .none)
        _ = machine.opened(.master(Self.endpoint(8)), at: 0)
        _ = machine.opened(.usable(.echo), at: 0)
        #expect(machine.move(to: Self.endpoint(9), at: 0) == .connect(.server(Self.endpoint(9))))
        #expect(Self.milliseconds(machine.failed(at: 0)) == 50)
        #expect(machine.waited() == Self.connecting(1))
    }

    @Test func `a link to a sentinel is ready with its answer`() {
        var machine = Self.machine(.sentinel(Self.endpoint(1), master: "m"))
        #expect(!machine.isNamedByOthers)
        #expect(machine.start() == Self.connecting(1))
        #expect(Self.milliseconds(machine.failed(at: 0)) == 50)
        #expect(machine.waited() == Self.connecting(1))
        #expect(machine.opened(.master(Self.endpoint(9)), at: 0) == .none)
        #expect(Self.milliseconds(machine.failed(at: 0)) == 100)
        #expect(machine.waited() == Self.connecting(1))
    }

    @Test func `the nodes of a cluster name the server like sentinels`() {
        let keyspace = ClusterKeyspace(tag: "t")
        let node = { Machine.Action.connect(.node(Self.endpoint($0), keyspace.slot)) }
        var machine = Self.machine(.cluster([Self.endpoint(1), Self.endpoint(2)], keyspace))
        #expect(machine.isNamedByOthers)
        #expect(machine.start() == node(1))
        #expect(machine.failed(at: 0) == node(2))
        #expect(machine.opened(.master(Self.endpoint(9)), at: 0) == .connect(.server(Self.endpoint(9))))
        #expect(machine.opened(.usable(.echo), at: 0) == .none)
        machine = Self.machine(.clusterNode(Self.endpoint(1), keyspace))
        #expect(machine.start() == node(1))
        #expect(machine.opened(.master(Self.endpoint(9)), at: 0) == .none)
        #expect(Self.milliseconds(machine.failed(at: 0)) == 50)
    }

    /// A link of a cluster that is ready at node 8.
    private static func clusterMember() -> Machine {
        var machine = machine(.cluster([endpoint(1), endpoint(2)], ClusterKeyspace(tag: "t")))
        _ = machine.start()
        _ = machine.opened(.master(endpoint(8)), at: 0)
        _ = machine.opened(.usable(.echo), at: 0)
        return machine
    }

    private static func node(_ number: Int) -> Machine.Action {
        .connect(.node(endpoint(number), ClusterKeyspace(tag: "t").slot))
    }

    private static func server(_ number: Int) -> Machine.Action { .connect(.server(endpoint(number))) }

    @Test func `after the failure of a node that another one named, the configured nodes are asked once at once`() {
        var machine = Self.clusterMember()
        #expect(!machine.isFollowingSlot)
        #expect(machine.move(to: Self.endpoint(9), at: 0) == Self.server(9))
        #expect(machine.isFollowingSlot)
        #expect(machine.failed(at: 0) == Self.node(1))
        #expect(machine.failed(at: 0) == Self.node(2))
        #expect(machine.opened(.master(Self.endpoint(9)), at: 0) == Self.server(9))
        #expect(machine.isFollowingSlot)
        #expect(Self.milliseconds(machine.failed(at: 0)) == 50)
        #expect(!machine.isFollowingSlot)
        // Node 2 is out of date.
        #expect(machine.waited() == Self.node(1))
    }

    @Test func `a slot that moves and returns is followed without a wait`() {
        var machine = Self.clusterMember()
        #expect(machine.move(to: Self.endpoint(9), at: 0) == Self.server(9))
        #expect(machine.opened(.moved(Self.endpoint(8)), at: 0) == Self.server(8))
        #expect(machine.isFollowingSlot)
        #expect(machine.opened(.usable(.echo), at: 0) == .none)
        #expect(!machine.isFollowingSlot)
        #expect(machine.failures == 0)
    }

    @Test func `nodes that refer to each other are asked again after a wait`() {
        var machine = Self.clusterMember()
        for place in 0..<Machine.maximumHops {
            #expect(machine.move(to: Self.endpoint(9), at: 0) == Self.server(9))
            if place < Machine.maximumHops - 1 { #expect(machine.opened(.usable(.echo), at: 0) == .none) }
        }
        #expect(Self.milliseconds(machine.opened(.moved(Self.endpoint(8)), at: 0)) == 50)
        #expect(!machine.isFollowingSlot)
        #expect(machine.waited() == Self.node(2))
    }

    @Test func `the redirects of a server that kept its slot for a second do not count`() {
        var machine = Self.clusterMember()
        for second in 1...10 {
            let now = UInt64(second) * Self.second
            #expect(machine.move(to: Self.endpoint(9), at: now) == Self.server(9))
            #expect(machine.opened(.usable(.echo), at: now) == .none)
        }
    }

    @Test func `a lost master is looked up through the sentinels`() {
        var machine = Self.sentinels(1)
        _ = machine.start()
        _ = machine.opened(.master(Self.endpoint(8)), at: 0)
        _ = machine.opened(.usable(.echo), at: 0)
        #expect(Self.milliseconds(machine.failed(at: 60 * Self.second)) == 50)
        #expect(machine.waited() == Self.connecting(1))
        #expect(machine.opened(.master(Self.endpoint(9)), at: 0) == .connect(.server(Self.endpoint(9))))
    }
}
