import Testing

@testable import Redis

private let target = RedisEndpoint(host: "t", port: 1)

/// One command.
struct RedirectMachineTests {
    private typealias Machine = RedirectMachine
    private static let second: UInt64 = 1_000_000_000

    private static func machine() -> Machine { Machine(deadline: second) }

    @Test func `a key at the next node is asked for there at once`() {
        var machine = Self.machine()
        #expect(machine.received(.ask(target), at: 0) == .resend(asking: target, after: 0))
        #expect(machine.received(nil, at: 0) == .deliver)
    }

    @Test(arguments: [ClusterRedirect.tryAgain, .moved(target), .moved(nil), .down])
    func `a slot that is not served yet is asked for after growing pauses until the deadline`(
        _ redirect: ClusterRedirect
    ) {
        var machine = Self.machine()
        var pauses: [UInt64] = []
        var now: UInt64 = 0
        while case .resend(nil, let pause) = machine.received(redirect, at: now) {
            pauses.append(pause / 1_000_000)
            now += pause
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 200, 200, 200])
        #expect(machine.received(redirect, at: now) == .fail)
    }

    @Test func `nodes that refer to each other are asked a few times without a pause`() {
        var machine = Self.machine()
        var hops = 0
        while case .resend(target, 0) = machine.received(.ask(target), at: 0) { hops += 1 }
        #expect(hops == Machine.maximumHops)
    }

    @Test func `a command without a connection is sent after a pause`() {
        var machine = Self.machine()
        #expect(machine.notSent(at: 0) == .resend(asking: nil, after: Machine.firstPause))
        #expect(machine.notSent(at: Self.second) == .fail)
    }
}

struct PipelineMachineTests {
    @Test func `replies without a redirect are delivered`() {
        var machine = PipelineMachine(count: 3)
        for _ in 0..<3 { #expect(machine.received(nil) == .deliver) }
        #expect(machine.lost() == nil)
    }

    @Test func `the rest of a pipeline is executed again from the redirected command on`() {
        var machine = PipelineMachine(count: 4)
        #expect(machine.received(nil) == .deliver)
        #expect(machine.received(.ask(target)) == .ignore)
        #expect(machine.received(nil) == .ignore)
        // The redirect of a later command of the pipeline does not matter.
        #expect(machine.received(.down) == .repeatRest(after: .ask(target)))
        #expect(machine.delivered == 1)
    }

    @Test func `the last command of a pipeline is executed again alone`() {
        var machine = PipelineMachine(count: 2)
        #expect(machine.received(nil) == .deliver)
        #expect(machine.received(.tryAgain) == .repeatRest(after: .tryAgain))
    }

    @Test func `a connection that is lost after a redirect costs only the ignored replies`() {
        var machine = PipelineMachine(count: 2)
        #expect(machine.lost() == nil)
        #expect(machine.received(.ask(target)) == .ignore)
        #expect(machine.lost() == .repeatRest(after: .ask(target)))
    }

    @Test func `a run has reads of different records, up to its bound`() {
        let reads = (0..<150).map { RedisCommand(["HMGET", "k\($0)", "f"]) }
        let scan = RedisCommand(["SCAN", "0"])
        func end(from start: Int = 0, of commands: [RedisCommand]) -> Int {
            RedirectedPipeline.endOfRun(from: start, of: commands, areIndependent: false)
        }
        #expect(end(of: reads) == RedirectedPipeline.maximumRun)
        #expect(end(from: RedirectedPipeline.maximumRun, of: reads) == 150)
        let mixed = [reads[0], reads[1], scan, scan, reads[2]]
        #expect((0..<5).map { end(from: $0, of: mixed) } == [2, 2, 3, 4, 5])
        // The second read of a record must not be older than the first one.
        #expect(end(of: [reads[0], reads[1], reads[0]]) == 2)
        #expect(RedirectedPipeline.endOfRun(from: 1, of: mixed, areIndependent: true) == 5)
    }
}
