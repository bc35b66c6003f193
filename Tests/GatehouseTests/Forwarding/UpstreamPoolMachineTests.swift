import Testing

@testable import Gatehouse

@Suite struct UpstreamPoolMachineTests {
    typealias Machine = UpstreamPoolMachine<Int>

    private func machine(servers: Int = 1, limit: Int = 2, waiting: Int = 2) -> Machine {
        Machine(servers: servers, limit: limit, waitingLimit: waiting)
    }

    private func text(_ acquired: Machine.Acquired) -> String { "\(acquired)" }

    @Test func anEmptyPoolConnects() {
        var machine = machine()
        #expect(text(machine.acquire(reuse: true)) == "connect(server: 0)")
        #expect(machine.open == 1)
    }

    @Test func whatWasReleasedIsUsedTheLatestFirst() {
        var machine = machine()
        _ = machine.acquire(reuse: true)
        _ = machine.acquire(reuse: true)
        #expect("\(machine.released(1, server: 0, now: 0))" == "kept")
        #expect("\(machine.released(2, server: 0, now: 1))" == "kept")
        #expect(text(machine.acquire(reuse: true)) == "use(2)")
        #expect(machine.idleCount == 1)
        #expect(machine.open == 2)
    }

    @Test func aSecondAttemptTakesAFreshConnection() {
        var machine = machine()
        _ = machine.acquire(reuse: true)
        _ = machine.released(1, server: 0, now: 0)
        #expect(text(machine.acquire(reuse: false)) == "connect(server: 0)")
        #expect(machine.open == 2)
        #expect(machine.idleCount == 1)
    }

    @Test func aSecondAttemptInAFullPoolReplacesAnIdleConnection() {
        var machine = machine(limit: 1)
        _ = machine.acquire(reuse: true)
        _ = machine.released(1, server: 0, now: 0)
        #expect(text(machine.acquire(reuse: false)) == "replace(1, server: 0)")
        #expect(machine.open == 1)
        #expect(machine.idleCount == 0)
    }

    @Test func aFullPoolWaitsThenRefuses() {
        var machine = machine()
        for _ in 1...2 { _ = machine.acquire(reuse: true) }
        #expect(text(machine.acquire(reuse: true)) == "wait")
        #expect(text(machine.acquire(reuse: true)) == "wait")
        #expect(text(machine.acquire(reuse: true)) == "refuse")
        #expect(machine.waiting == 2)
        #expect(machine.open == 2)
    }

    @Test func aReleasedConnectionServesWhoWaits() {
        var machine = machine(limit: 1)
        _ = machine.acquire(reuse: true)
        _ = machine.acquire(reuse: true)
        #expect("\(machine.released(1, server: 0, now: 0))" == "serveNext")
        #expect(machine.waiting == 0)
        #expect(machine.idleCount == 0)
    }

    @Test func theEndOfAConnectionMakesRoomForWhoWaits() {
        var machine = machine(limit: 1)
        _ = machine.acquire(reuse: true)
        _ = machine.acquire(reuse: true)
        #expect(machine.closed() == 0)
        #expect(machine.open == 1)
        #expect(machine.waiting == 0)
        #expect(machine.closed() == nil)
        #expect(machine.open == 0)
    }

    @Test func whoGaveUpIsNotServed() {
        var machine = machine(limit: 1)
        _ = machine.acquire(reuse: true)
        _ = machine.acquire(reuse: true)
        machine.gaveUp()
        #expect("\(machine.released(1, server: 0, now: 0))" == "kept")
    }

    @Test func anIdleConnectionThatClosesLeaves() {
        var machine = machine()
        _ = machine.acquire(reuse: true)
        _ = machine.released(1, server: 0, now: 0)
        machine.idleClosed(1, server: 0)
        machine.idleClosed(1, server: 0)
        #expect(machine.open == 0)
        #expect(machine.idleCount == 0)
    }

    @Test func onlyWhatIsIdleForLongExpires() {
        var machine = machine(limit: 3)
        for _ in 1...3 { _ = machine.acquire(reuse: true) }
        for number in 1...3 { _ = machine.released(number, server: 0, now: UInt64(number)) }
        #expect(machine.expire(idleSince: 3) == [1, 2])
        #expect(machine.open == 1)
        #expect(machine.expire(idleSince: .max) == [3])
        #expect(machine.open == 0)
    }

    @Test func serversTakeTurns() {
        var machine = machine(servers: 3, limit: 9)
        let turns = (1...4).map { _ in text(machine.acquire(reuse: true)) }
        #expect(turns == ["connect(server: 0)", "connect(server: 1)", "connect(server: 2)", "connect(server: 0)"])
    }

    @Test func aFullPoolUsesAnIdleConnectionToAnotherServer() {
        var machine = machine(servers: 2, limit: 1)
        _ = machine.acquire(reuse: true)
        _ = machine.released(1, server: 0, now: 0)
        #expect(text(machine.acquire(reuse: true)) == "use(1)")
    }

    @Test func anyOrderOfEventsKeepsTheCounts() {
        var random = SystemRandomNumberGenerator()
        var machine = machine(servers: 2, limit: 4, waiting: 3)
        var busy = 0
        var nextID = 0
        var idle: [Int: Int] = [:]
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                switch machine.acquire(reuse: Bool.random(using: &random)) {
                case .use(let id):
                    idle[id] = nil
                    busy += 1
                case .replace(let id, _):
                    idle[id] = nil
                    busy += 1
                case .connect: busy += 1
                case .wait, .refuse: break
                }
            case 2 where busy > 0:
                nextID += 1
                if case .kept = machine.released(nextID, server: nextID % 2, now: 0) {
                    busy -= 1
                    idle[nextID] = nextID % 2
                }
            case 3 where busy > 0:
                if machine.closed() == nil { busy -= 1 }
            case 4:
                guard let (id, server) = idle.first else { continue }
                idle[id] = nil
                machine.idleClosed(id, server: server)
            default: break
            }
            #expect(machine.open == busy + idle.count)
            #expect(machine.idleCount == idle.count)
            #expect(machine.open <= 4)
            #expect(machine.waiting <= 3)
        }
    }
}
