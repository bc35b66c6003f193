import Testing

@testable import Forwarding

@Suite struct UpstreamPoolMachineTests {
    typealias Machine = UpstreamPoolMachine<Int, String>

    private func machine(servers: Int = 1, limit: Int = 2, waiting: Int = 2) -> Machine {
        Machine(servers: servers, limit: limit, waitingLimit: waiting)
    }

    private func text(_ acquired: Machine.Acquired) -> String { "\(acquired)" }

    @Test func anEmptyPoolConnects() {
        var machine = machine()
        #expect(text(machine.acquire()) == "connect(server: 0)")
        #expect(machine.open == 1)
    }

    @Test func whatWasReleasedIsUsedTheLatestFirst() {
        var machine = machine()
        _ = machine.acquire()
        _ = machine.acquire()
        #expect("\(machine.released(1, server: 0, now: 0))" == "kept")
        #expect("\(machine.released(2, server: 0, now: 1))" == "kept")
        #expect(text(machine.acquire()) == "use(2)")
        #expect(machine.idleCount == 1)
        #expect(machine.open == 2)
    }

    @Test func aSecondAttemptTakesAFreshConnection() {
        var machine = machine()
        _ = machine.acquire()
        _ = machine.released(1, server: 0, now: 0)
        #expect(text(machine.acquire(reuse: false)) == "connect(server: 0)")
        #expect(machine.open == 2)
        #expect(machine.idleCount == 1)
    }

    @Test func aSecondAttemptInAFullPoolReplacesAnIdleConnection() {
        var machine = machine(limit: 1)
        _ = machine.acquire()
        _ = machine.released(1, server: 0, now: 0)
        #expect(text(machine.acquire(reuse: false)) == "replace(1, server: 0)")
        #expect(machine.open == 1)
        #expect(machine.idleCount == 0)
    }

    @Test func aFullPoolWaitsThenRefuses() {
        var machine = machine()
        for _ in 1...2 { _ = machine.acquire() }
        #expect(text(machine.acquire()) == "wait")
        #expect(text(machine.acquire()) == "wait")
        #expect(text(machine.acquire()) == "refuse")
        #expect(machine.waiting == 2)
        #expect(machine.open == 2)
    }

    @Test func aReleasedConnectionServesWhoWaits() {
        var machine = machine(limit: 1)
        _ = machine.acquire()
        _ = machine.acquire("a")
        _ = machine.acquire("b")
        #expect(machine.serves(1) == "a")
        #expect(machine.serves(1) == "b")
        #expect(machine.waiting == 0)
        #expect(machine.idleCount == 0)
    }

    @Test func theEndOfAConnectionMakesRoomForWhoWaits() {
        var machine = machine(limit: 1)
        _ = machine.acquire()
        _ = machine.acquire("a")
        machine.closed(isUpload: false)
        #expect(machine.nextText() == "connect(0, a)")
        #expect(machine.open == 1)
        #expect(machine.waiting == 0)
        machine.closed(isUpload: false)
        #expect(machine.nextText() == nil)
        #expect(machine.open == 0)
    }

    @Test func whoGaveUpIsNotServed() {
        var machine = machine(limit: 1)
        _ = machine.acquire()
        _ = machine.acquire("a")
        machine.gaveUp { $0 == "a" }
        #expect("\(machine.released(1, server: 0, now: 0))" == "kept")
    }

    @Test func anIdleConnectionThatClosesLeaves() {
        var machine = machine()
        _ = machine.acquire()
        _ = machine.released(1, server: 0, now: 0)
        machine.idleClosed(1, server: 0)
        machine.idleClosed(1, server: 0)
        #expect(machine.open == 0)
        #expect(machine.idleCount == 0)
    }

    @Test func onlyWhatIsIdleForLongExpires() {
        var machine = machine(limit: 3)
        for _ in 1...3 { _ = machine.acquire() }
        for number in 1...3 { _ = machine.released(number, server: 0, now: UInt64(number)) }
        #expect(machine.expire(idleSince: 3) == [1, 2])
        #expect(machine.open == 1)
        #expect(machine.expire(idleSince: .max) == [3])
        #expect(machine.open == 0)
    }

    @Test func serversTakeTurns() {
        var machine = machine(servers: 3, limit: 9)
        let turns = (1...4).map { _ in text(machine.acquire()) }
        #expect(turns == ["connect(server: 0)", "connect(server: 1)", "connect(server: 2)", "connect(server: 0)"])
    }

    @Test func aFullPoolUsesAnIdleConnectionToAnotherServer() {
        var machine = machine(servers: 2, limit: 1)
        _ = machine.acquire()
        _ = machine.released(1, server: 0, now: 0)
        #expect(text(machine.acquire()) == "use(1)")
    }

    @Test func whoHasWaitedForTooLongIsTakenOut() {
        var machine = machine(limit: 1, waiting: 4)
        _ = machine.acquire()
        for name in ["late", "late too", "early"] { _ = machine.acquire(name) }
        #expect(machine.expireWaiting { $0.hasPrefix("late") } == ["late", "late too"])
        #expect(machine.waiting == 1)
    }
}

extension UpstreamPoolMachine where Connection == Int, Waiter == String {
    /// Servers of the same weight.
    init(servers count: Int, limit: Int, waitingLimit: Int) {
        var servers = UpstreamServers(rule: UpstreamServers.Rule())
        for server in 0..<count { _ = servers.add(name: UInt64(server).mixed, weight: 1) }
        servers.rebuild()
        self.init(servers: servers, limit: limit, waitingLimit: waitingLimit)
    }

    mutating func closed(isUpload: Bool) {
        closed(server: 0, isUpload: isUpload)
    }

    mutating func acquire(_ waiter: String = "", reuse: Bool = true, isUpload: Bool = false) -> Acquired {
        acquire(reuse: reuse, isUpload: isUpload, orWait: waiter)
    }

    /// Who gets a connection that is released; nil: nobody, it is kept.
    mutating func serves(_ connection: Int, server: Int = 0) -> String? {
        guard case .serve(let entry) = released(connection, server: server, now: 0) else { return nil }
        return entry.waiter
    }

    mutating func nextText() -> String? {
        switch next() {
        case .use(let connection, let entry): "use(\(connection), \(entry.waiter))"
        case .connect(let server, let entry): "connect(\(server), \(entry.waiter))"
        case nil: nil
        }
    }
}
