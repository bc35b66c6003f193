import Testing

@testable import Redis

struct RedirectMachineTests {
    private typealias Machine = RedirectMachine
    private static let target = RedisEndpoint(host: "t", port: 1)
    private static let second: UInt64 = 1_000_000_000

    private static func machine(_ count: Int = 1) -> Machine { Machine(count: count, deadline: second) }

    @Test func `replies without a redirect are delivered`() {
        var machine = Self.machine(3)
        for _ in 0..<3 { #expect(machine.received(nil, at: 0) == .deliver) }
    }

    @Test func `a key at the next node is asked for there at once`() {
        var machine = Self.machine()
        #expect(machine.received(.ask(Self.target), at: 0) == .resend(0, asking: Self.target, after: 0))
        #expect(machine.received(nil, at: 0) == .deliver)
    }

    @Test func `the rest of a pipeline is executed again after the redirected command`() {
        var machine = Self.machine(4)
        #expect(machine.received(nil, at: 0) == .deliver)
        #expect(machine.received(.ask(Self.target), at: 0) == .ignore)
        #expect(machine.received(nil, at: 0) == .ignore)
        // The redirect of a later command of the pipeline does not matter.
        #expect(machine.received(.down, at: 0) == .resend(1, asking: Self.target, after: 0))
        #expect(machine.received(nil, at: 0) == .deliverAndSend(2))
        #expect(machine.received(nil, at: 0) == .deliverAndSend(3))
        #expect(machine.received(.ask(Self.target), at: 0) == .resend(3, asking: Self.target, after: 0))
        #expect(machine.received(nil, at: 0) == .deliver)
    }

    @Test(arguments: [ClusterRedirect.tryAgain, .moved(target), .moved(nil), .down])
    func `a slot that is not served yet is asked for after growing pauses until the deadline`(
        _ redirect: ClusterRedirect
    ) {
        var machine = Self.machine()
        var pauses: [UInt64] = []
        var now: UInt64 = 0
        while case .resend(0, nil, let pause) = machine.received(redirect, at: now) {
            pauses.append(pause / 1_000_000)
            now += pause
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 200, 200, 200])
        #expect(machine.received(redirect, at: now) == .fail)
    }

    @Test func `nodes that refer to each other are asked a few times without a pause`() {
        var machine = Self.machine()
        var hops = 0
        while case .resend(0, Self.target, 0) = machine.received(.ask(Self.target), at: 0) { hops += 1 }
        #expect(hops == Machine.maximumHops)
    }

    @Test func `a connection that is lost after a redirect costs only the ignored replies`() {
        var machine = Self.machine(2)
        #expect(machine.lostRest(at: 0) == nil)
        #expect(machine.received(.ask(Self.target), at: 0) == .ignore)
        #expect(machine.lostRest(at: 0) == .resend(0, asking: Self.target, after: 0))
        #expect(machine.lostRest(at: 0) == nil)
        #expect(machine.received(nil, at: 0) == .deliverAndSend(1))
        #expect(machine.lostRest(at: 0) == nil)
    }

    @Test func `a command without a connection is sent after a pause`() {
        var machine = Self.machine(2)
        #expect(machine.notSent(at: 0) == .resend(0, asking: nil, after: Machine.firstPause))
        #expect(machine.received(nil, at: 0) == .deliverAndSend(1))
        #expect(machine.notSent(at: 0) == .resend(1, asking: nil, after: Machine.firstPause))
        #expect(machine.received(nil, at: 0) == .deliver)
        #expect(machine.notSent(at: Self.second) == .fail)
    }
}
