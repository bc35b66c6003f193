import Testing

@testable import Redis

/// The machine with a clock that the test turns, in milliseconds; waiters are numbers.
struct Turned {
    static let timing = ConnectionMachine<Int>.Timing(opening: 2000, patience: 1000, heartbeat: 500)
    var machine: ConnectionMachine<Int>
    var now: UInt64 = 10_000

    init(maximumInFlight: Int = 10, role: RoleDemand = .any, heartbeat: UInt64 = 500) {
        var timing = Self.timing
        timing.heartbeat = heartbeat
        machine = ConnectionMachine(timing: timing, maximumInFlight: maximumInFlight, role: role)
    }

    /// One that is ready, and does not ask whether the server is there for a long time.
    static func ready(maximumInFlight: Int = 10, role: RoleDemand = .any, heartbeat: UInt64 = 1_000_000) throws
        -> Turned
    {
        var turned = Turned(maximumInFlight: maximumInFlight, role: role, heartbeat: heartbeat)
        turned.open()
        _ = try turned.receive("+PONG\r\n")
        _ = try turned.receive(Replies.echo)
        return turned
    }

    mutating func open() {
        machine.open(.server(RedisConfiguration(host: "h"), role: .any), at: now)
    }

    mutating func send(_ waiter: Int, replies: Int = 1, timeout: UInt64) -> ConnectionMachine<Int>.Admission {
        machine.admit(waiter, replies: replies, deadline: now + timeout)
    }

    mutating func receive(_ text: String) throws -> Told {
        machine.heard(at: now)
        return try Replies.with(text) { Told(machine.received($0, at: now)) }
    }

    mutating func wake(after time: UInt64) -> ConnectionMachine<Int>.Wake {
        now += time
        return machine.wake(at: now)
    }

    /// When the machine wants to be woken, from now on.
    var wakesIn: UInt64 { machine.wakeAt - now }
}

enum Told: Equatable {
    case waiter(Int)
    case nobody
    case opened
    case close(RedisProblem.Code)

    init(_ delivery: ConnectionMachine<Int>.Delivery) {
        switch delivery {
        case .to(let waiter): self = .waiter(waiter)
        case .nobody: self = .nobody
        case .opened: self = .opened
        case .close(let code, _): self = .close(code)
        }
    }
}

@Suite("the state of a connection")
struct ConnectionMachineTests {
    @Test("nothing is sent before the server has answered")
    func notReady() throws {
        var turned = Turned()
        #expect(turned.send(1, timeout: 50) == .notReady)
        turned.open()
        #expect(turned.send(1, timeout: 50) == .notReady)
        _ = try turned.receive("+PONG\r\n")
        #expect(try turned.receive(Replies.echo) == .opened)
        #expect(turned.send(1, timeout: 50) == .admitted)
    }

    @Test("a server that does not answer at first is given up after a while")
    func opening() {
        var turned = Turned()
        turned.open()
        #expect(turned.wakesIn == 2000)
        #expect(turned.wake(after: 1999).action == .none)
        #expect(turned.wake(after: 1).action == .close(.connectTimedOut))
    }

    @Test("a refusal at first ends the connection")
    func refused() throws {
        var turned = Turned()
        turned.open()
        #expect(try turned.receive("-NOAUTH x\r\n") == .close(.passwordRequired))
    }

    @Test("replies go to who asked, in the order of asking")
    func order() throws {
        var turned = try Turned.ready()
        for waiter in 1...3 { #expect(turned.send(waiter, timeout: 50) == .admitted) }
        for waiter in 1...3 { #expect(try turned.receive(":\(waiter)\r\n") == .waiter(waiter)) }
    }

    @Test("a pipeline gets as many replies as it has commands")
    func pipeline() throws {
        var turned = try Turned.ready()
        _ = turned.send(1, replies: 2, timeout: 50)
        _ = turned.send(2, timeout: 50)
        #expect(try turned.receive(":1\r\n") == .waiter(1))
        #expect(try turned.receive("-ERR\r\n") == .waiter(1))
        #expect(try turned.receive(":3\r\n") == .waiter(2))
    }

    @Test("a reply that nobody asked for ends the connection")
    func unasked() throws {
        var turned = try Turned.ready()
        #expect(try turned.receive(":1\r\n") == .close(.unaskedReply))
    }

    @Test("more than may wait is turned away, until replies came")
    func overload() throws {
        var turned = try Turned.ready(maximumInFlight: 3)
        #expect(turned.send(1, replies: 2, timeout: 50) == .admitted)
        #expect(turned.send(2, replies: 2, timeout: 50) == .overloaded)
        #expect(turned.send(3, timeout: 50) == .admitted)
        #expect(turned.send(4, timeout: 50) == .overloaded)
        _ = try turned.receive(":1\r\n")
        #expect(turned.send(5, timeout: 50) == .admitted)
    }

    @Test("who was told that it took too long still counts among those who wait")
    func overloadByLate() throws {
        var turned = try Turned.ready(maximumInFlight: 1)
        _ = turned.send(1, timeout: 50)
        #expect(turned.wake(after: 50).expired == [1])
        #expect(turned.send(2, timeout: 50) == .overloaded)
    }

    @Test("each is told at its own time, whatever the order of asking")
    func deadlines() throws {
        var turned = try Turned.ready()
        _ = turned.send(1, timeout: 300)
        _ = turned.send(2, timeout: 50)
        _ = turned.send(3, timeout: 100)
        #expect(turned.wakesIn == 50)
        #expect(turned.wake(after: 50).expired == [2])
        #expect(turned.wakesIn == 50)
        #expect(turned.wake(after: 49).expired.isEmpty)
        #expect(turned.wake(after: 1).expired == [3])
        #expect(turned.wake(after: 200).expired == [1])
    }

    @Test("a late reply is dropped, and the next goes to whom it belongs")
    func late() throws {
        var turned = try Turned.ready()
        _ = turned.send(1, replies: 2, timeout: 50)
        #expect(try turned.receive(":1\r\n") == .waiter(1))
        _ = turned.send(2, timeout: 200)
        #expect(turned.wake(after: 60).expired == [1])
        #expect(try turned.receive(":1\r\n") == .nobody)
        #expect(try turned.receive(":2\r\n") == .waiter(2))
    }

    @Test("a server that stays silent beyond the oldest command's time is given up")
    func silent() throws {
        var turned = try Turned.ready()
        _ = turned.send(1, timeout: 50)
        #expect(turned.wake(after: 50).expired == [1])
        #expect(turned.wakesIn == 1000)
        #expect(turned.wake(after: 999).action == .none)
        #expect(turned.wake(after: 1).action == .close(.silent))
    }

    @Test("a server that sends something has more time, but not for ever")
    func slow() throws {
        var turned = try Turned.ready()
        _ = turned.send(1, timeout: 50)
        _ = turned.wake(after: 50)
        for _ in 0..<7 {
            #expect(turned.wake(after: 500).action == .none)
            turned.machine.heard(at: turned.now)
        }
        #expect(turned.wake(after: 500).action == .close(.silent))
    }

    @Test("an answered command leaves no time limit behind")
    func answered() throws {
        var turned = try Turned.ready()
        _ = turned.send(1, timeout: 50)
        _ = try turned.receive(":1\r\n")
        let wake = turned.wake(after: 5000)
        #expect(wake.expired.isEmpty)
        #expect(wake.action == .none)
    }

    @Test("an idle server is asked whether it is there, one question at a time")
    func heartbeat() throws {
        var turned = try Turned.ready(heartbeat: 500)
        #expect(turned.wakesIn == 500)
        #expect(turned.wake(after: 500).action == .sendHeartbeat)
        #expect(turned.wake(after: 500).action == .none)
        #expect(try turned.receive("+PONG\r\n") == .nobody)
        #expect(turned.wakesIn == 500)
        #expect(turned.wake(after: 500).action == .sendHeartbeat)
    }

    @Test("a server that does not say whether it is there is given up")
    func heartbeatUnanswered() throws {
        var turned = try Turned.ready(heartbeat: 500)
        _ = turned.wake(after: 500)
        #expect(turned.wakesIn == 2000)
        #expect(turned.wake(after: 1999).action == .none)
        #expect(turned.wake(after: 1).action == .close(.silent))
    }

    @Test("a question behind a command that blocks has that command's time as well")
    func heartbeatBehindBlocking() throws {
        var turned = try Turned.ready(heartbeat: 500)
        _ = turned.send(1, timeout: 6000)
        #expect(turned.wake(after: 500).action == .sendHeartbeat)
        #expect(turned.wake(after: 5400).action == .none)
        #expect(try turned.receive("*-1\r\n") == .waiter(1))
        #expect(turned.wake(after: 1500).action == .none)
        #expect(try turned.receive("+PONG\r\n") == .nobody)
    }

    @Test("the answer to a question is nobody else's reply")
    func heartbeatAmongCommands() throws {
        var turned = try Turned.ready(heartbeat: 500)
        _ = turned.send(1, timeout: 900)
        #expect(turned.wake(after: 500).action == .sendHeartbeat)
        _ = turned.send(2, timeout: 900)
        #expect(try turned.receive(":1\r\n") == .waiter(1))
        #expect(try turned.receive("+PONG\r\n") == .nobody)
        #expect(try turned.receive(":2\r\n") == .waiter(2))
    }

    @Test("a server that is the master no more is left", arguments: [RoleDemand.master, .noCopy])
    func demoted(role: RoleDemand) throws {
        var turned = try Turned.ready(role: role, heartbeat: 500)
        #expect(turned.machine.heartbeat == RedisCommand(["ROLE"]))
        _ = turned.wake(after: 500)
        #expect(try turned.receive("*3\r\n$6\r\nmaster\r\n:1\r\n*0\r\n") == .nobody)
        _ = turned.wake(after: 500)
        #expect(try turned.receive("*1\r\n$5\r\nslave\r\n") == .close(.notMaster))
    }

    @Test(
        "a server that may not tell its role any more is left, one that is busy is not",
        arguments: [RoleDemand.master, .noCopy])
    func roleRefused(role: RoleDemand) throws {
        var turned = try Turned.ready(role: role, heartbeat: 500)
        _ = turned.wake(after: 500)
        #expect(try turned.receive("-BUSY Redis is busy running a script\r\n") == .nobody)
        _ = turned.wake(after: 500)
        #expect(try turned.receive("-NOPERM x\r\n") == .close(.noPermission))
    }

    @Test("the end tells who still waits, without who was told already")
    func end() throws {
        var turned = try Turned.ready()
        _ = turned.send(1, timeout: 50)
        _ = turned.send(2, timeout: 500)
        _ = turned.wake(after: 60)
        #expect(turned.machine.close() == [2])
        #expect(turned.machine.close().isEmpty)
        #expect(turned.send(3, timeout: 50) == .notReady)
        #expect(try turned.receive(":1\r\n") == .nobody)
        #expect(turned.wake(after: 10_000).action == .none)
    }

    @Test("times near the end of the clock do not wrap")
    func farFuture() throws {
        var turned = try Turned.ready()
        #expect(turned.machine.admit(1, replies: 1, deadline: .max) == .admitted)
        let wake = turned.wake(after: 5000)
        #expect(wake.expired.isEmpty)
        #expect(wake.action == .none)
    }

    @Test("waking too early or too often does no harm")
    func spurious() throws {
        var turned = try Turned.ready(heartbeat: 500)
        _ = turned.send(1, timeout: 50)
        for _ in 0..<49 {
            let wake = turned.wake(after: 1)
            #expect(wake.expired.isEmpty)
            #expect(wake.action == .none)
        }
        #expect(turned.wake(after: 1).expired == [1])
    }
}
