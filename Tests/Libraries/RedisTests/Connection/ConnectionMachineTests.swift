import Testing

@testable import Redis

/// The machine with a manual clock in milliseconds. Waiters are numbers.
struct MachineFixture {
    var machine: ConnectionMachine<Int>
    var now: UInt64 = 10_000

    init(maximumInFlight: Int = 10, role: RoleDemand = .any, heartbeat: UInt64 = 500) {
        let timing = ConnectionMachine<Int>.Timing(opening: 2000, silenceLimit: 1000, heartbeat: heartbeat)
        machine = ConnectionMachine(timing: timing, maximumInFlight: maximumInFlight, role: role)
    }

    /// Returns a ready machine. The default heartbeat interval is longer than the tests.
    static func ready(
        maximumInFlight: Int = 10, role: RoleDemand = .any, heartbeat: UInt64 = 1_000_000
    ) throws -> MachineFixture {
        var fixture = MachineFixture(maximumInFlight: maximumInFlight, role: role, heartbeat: heartbeat)
        fixture.open()
        _ = try fixture.receive("+PONG\r\n")
        _ = try fixture.receive(Replies.echo)
        return fixture
    }

    mutating func open() {
        machine.open(.server(RedisConfiguration(host: "h"), role: .any), at: now)
    }

    mutating func send(_ waiter: Int, replies: Int = 1, timeout: UInt64) -> ConnectionMachine<Int>.Admission {
        machine.admit(waiter, replies: replies, deadline: now + timeout)
    }

    mutating func receive(_ text: String) throws -> Delivered {
        machine.receivedBytes(at: now)
        return try Replies.with(text) { Delivered(machine.received($0, at: now)) }
    }

    mutating func wake(after time: UInt64) -> ConnectionMachine<Int>.Wake {
        now += time
        return machine.wake(at: now)
    }

    mutating func expectNoEffect(after time: UInt64) {
        let wake = wake(after: time)
        #expect(wake.expired.isEmpty && wake.action == .none)
    }

    /// The time until the next wake of the machine.
    var wakesIn: UInt64 { machine.wakeAt - now }
}

enum Delivered: Equatable {
    case waiter(Int)
    case discard
    case opened
    case authenticated(Bool)
    case close(RedisProblem.Code)

    init(_ delivery: ConnectionMachine<Int>.Delivery) {
        switch delivery {
        case .to(let waiter): self = .waiter(waiter)
        case .discard: self = .discard
        case .opened: self = .opened
        case .authenticated(let isAccepted): self = .authenticated(isAccepted)
        case .close(let code, _): self = .close(code)
        }
    }
}

struct ConnectionMachineTests {
    @Test func `commands are sent only after the handshake`() throws {
        var fixture = MachineFixture()
        #expect(fixture.send(1, timeout: 50) == .notReady)
        fixture.open()
        #expect(fixture.send(1, timeout: 50) == .notReady)
        _ = try fixture.receive("+PONG\r\n")
        #expect(try fixture.receive(Replies.echo) == .opened)
        #expect(fixture.send(1, timeout: 50) == .admitted)
    }

    @Test(arguments: [("+OK\r\n", true), ("-WRONGPASS a\r\n", false)])
    func `another authentication has its place between two commands`(reply: String, isAccepted: Bool) throws {
        var fixture = try MachineFixture.ready(maximumInFlight: 2)
        #expect(fixture.send(1, timeout: 5000) == .admitted)
        #expect(fixture.machine.admitAuthentication(at: fixture.now) == true)
        #expect(fixture.send(2, timeout: 50) == .overloaded)
        #expect(try fixture.receive(":1\r\n") == .waiter(1))
        #expect(fixture.send(2, timeout: 50) == .admitted)
        #expect(try fixture.receive(reply) == .authenticated(isAccepted))
        #expect(try fixture.receive(":2\r\n") == .waiter(2))
        #expect(try fixture.receive(":3\r\n") == .close(.unaskedReply))
    }

    @Test func `a server that never replies to another authentication is silent`() throws {
        var fixture = try MachineFixture.ready()
        #expect(fixture.send(1, timeout: 5000) == .admitted)
        #expect(fixture.machine.admitAuthentication(at: fixture.now) == true)
        #expect(try fixture.receive(":1\r\n") == .waiter(1))
        fixture.expectNoEffect(after: 6999)
        #expect(fixture.wake(after: 1).action == .close(.silent))
    }

    @Test func `a connection that is not ready does not authenticate again`() {
        var fixture = MachineFixture()
        #expect(fixture.machine.admitAuthentication(at: fixture.now) == false)
        fixture.open()
        #expect(fixture.machine.admitAuthentication(at: fixture.now) == false)
    }

    @Test func `a silent server times out during the handshake`() {
        var fixture = MachineFixture()
        fixture.open()
        #expect(fixture.wakesIn == 2000)
        #expect(fixture.wake(after: 1999).action == .none)
        #expect(fixture.wake(after: 1).action == .close(.connectTimedOut))
    }

    @Test func `an error during the handshake closes the connection`() throws {
        var fixture = MachineFixture()
        fixture.open()
        #expect(try fixture.receive("-NOAUTH x\r\n") == .close(.passwordRequired))
    }

    @Test func `replies are delivered in the order of the commands`() throws {
        var fixture = try MachineFixture.ready()
        for waiter in 1...3 { #expect(fixture.send(waiter, timeout: 50) == .admitted) }
        for waiter in 1...3 { #expect(try fixture.receive(":\(waiter)\r\n") == .waiter(waiter)) }
    }

    @Test func `a pipeline gets one reply for each command`() throws {
        var fixture = try MachineFixture.ready()
        _ = fixture.send(1, replies: 2, timeout: 50)
        _ = fixture.send(2, timeout: 50)
        #expect(try fixture.receive(":1\r\n") == .waiter(1))
        #expect(try fixture.receive("-ERR\r\n") == .waiter(1))
        #expect(try fixture.receive(":3\r\n") == .waiter(2))
    }

    @Test func `an unrequested reply closes the connection`() throws {
        var fixture = try MachineFixture.ready()
        #expect(try fixture.receive(":1\r\n") == .close(.unaskedReply))
    }

    @Test func `commands above the limit are rejected until replies arrive`() throws {
        var fixture = try MachineFixture.ready(maximumInFlight: 3)
        #expect(fixture.send(1, replies: 2, timeout: 50) == .admitted)
        #expect(fixture.send(2, replies: 2, timeout: 50) == .overloaded)
        #expect(fixture.send(3, timeout: 50) == .admitted)
        #expect(fixture.send(4, timeout: 50) == .overloaded)
        _ = try fixture.receive(":1\r\n")
        #expect(fixture.send(5, timeout: 50) == .admitted)
    }

    @Test func `an expired command counts towards the limit`() throws {
        var fixture = try MachineFixture.ready(maximumInFlight: 1)
        _ = fixture.send(1, timeout: 50)
        #expect(fixture.wake(after: 50).expired == [1])
        #expect(fixture.send(2, timeout: 50) == .overloaded)
    }

    @Test func `each command expires at its own deadline`() throws {
        var fixture = try MachineFixture.ready()
        _ = fixture.send(1, timeout: 300)
        _ = fixture.send(2, timeout: 50)
        _ = fixture.send(3, timeout: 100)
        #expect(fixture.wakesIn == 50)
        #expect(fixture.wake(after: 50).expired == [2])
        #expect(fixture.wakesIn == 50)
        #expect(fixture.wake(after: 49).expired.isEmpty)
        #expect(fixture.wake(after: 1).expired == [3])
        #expect(fixture.wake(after: 200).expired == [1])
    }

    @Test func `a late reply is dropped, and the next one is delivered`() throws {
        var fixture = try MachineFixture.ready()
        _ = fixture.send(1, replies: 2, timeout: 50)
        #expect(try fixture.receive(":1\r\n") == .waiter(1))
        _ = fixture.send(2, timeout: 200)
        #expect(fixture.wake(after: 60).expired == [1])
        #expect(try fixture.receive(":1\r\n") == .discard)
        #expect(try fixture.receive(":2\r\n") == .waiter(2))
    }

    @Test func `a server that is silent after a deadline is closed`() throws {
        var fixture = try MachineFixture.ready()
        _ = fixture.send(1, timeout: 50)
        #expect(fixture.wake(after: 50).expired == [1])
        #expect(fixture.wakesIn == 1000)
        #expect(fixture.wake(after: 999).action == .none)
        #expect(fixture.wake(after: 1).action == .close(.silent))
    }

    @Test func `a slow server gets more time, but not forever`() throws {
        var fixture = try MachineFixture.ready()
        _ = fixture.send(1, timeout: 50)
        _ = fixture.wake(after: 50)
        for _ in 0..<7 {
            #expect(fixture.wake(after: 500).action == .none)
            fixture.machine.receivedBytes(at: fixture.now)
        }
        #expect(fixture.wake(after: 500).action == .close(.silent))
    }

    @Test func `a completed command leaves no deadline`() throws {
        var fixture = try MachineFixture.ready()
        _ = fixture.send(1, timeout: 50)
        _ = try fixture.receive(":1\r\n")
        fixture.expectNoEffect(after: 5000)
    }

    @Test func `an idle server gets one heartbeat at a time`() throws {
        var fixture = try MachineFixture.ready(heartbeat: 500)
        #expect(fixture.wakesIn == 500)
        #expect(fixture.wake(after: 500).action == .sendHeartbeat)
        #expect(fixture.wake(after: 500).action == .none)
        #expect(try fixture.receive("+PONG\r\n") == .discard)
        #expect(fixture.wakesIn == 500)
        #expect(fixture.wake(after: 500).action == .sendHeartbeat)
    }

    @Test func `a heartbeat without a reply closes the connection`() throws {
        var fixture = try MachineFixture.ready(heartbeat: 500)
        _ = fixture.wake(after: 500)
        #expect(fixture.wakesIn == 2000)
        #expect(fixture.wake(after: 1999).action == .none)
        #expect(fixture.wake(after: 1).action == .close(.silent))
    }

    @Test func `a heartbeat behind a blocking command also waits for the deadline of that command`() throws {
        var fixture = try MachineFixture.ready(heartbeat: 500)
        _ = fixture.send(1, timeout: 6000)
        #expect(fixture.wake(after: 500).action == .sendHeartbeat)
        #expect(fixture.wake(after: 5400).action == .none)
        #expect(try fixture.receive("*-1\r\n") == .waiter(1))
        #expect(fixture.wake(after: 1500).action == .none)
        #expect(try fixture.receive("+PONG\r\n") == .discard)
    }

    @Test func `the reply to a heartbeat is not delivered to a command`() throws {
        var fixture = try MachineFixture.ready(heartbeat: 500)
        _ = fixture.send(1, timeout: 900)
        #expect(fixture.wake(after: 500).action == .sendHeartbeat)
        _ = fixture.send(2, timeout: 900)
        #expect(try fixture.receive(":1\r\n") == .waiter(1))
        #expect(try fixture.receive("+PONG\r\n") == .discard)
        #expect(try fixture.receive(":2\r\n") == .waiter(2))
    }

    @Test(arguments: [RoleDemand.master, .noCopy]) func `the connection to a demoted master is closed`(role: RoleDemand)
        throws
    {
        var fixture = try MachineFixture.ready(role: role, heartbeat: 500)
        #expect(fixture.machine.heartbeat == RedisCommand(["ROLE"]))
        _ = fixture.wake(after: 500)
        #expect(try fixture.receive("*3\r\n$6\r\nmaster\r\n:1\r\n*0\r\n") == .discard)
        _ = fixture.wake(after: 500)
        #expect(try fixture.receive("*1\r\n$5\r\nslave\r\n") == .close(.notMaster))
    }

    @Test(arguments: [RoleDemand.master, .noCopy])
    func `the connection closes if a server denies the role, but not if it is busy`(role: RoleDemand) throws {
        var fixture = try MachineFixture.ready(role: role, heartbeat: 500)
        _ = fixture.wake(after: 500)
        #expect(try fixture.receive("-BUSY Redis is busy running a script\r\n") == .discard)
        _ = fixture.wake(after: 500)
        #expect(try fixture.receive("-NOPERM x\r\n") == .close(.noPermission))
    }

    @Test func `closing fails the waiting commands but not the expired ones`() throws {
        var fixture = try MachineFixture.ready()
        _ = fixture.send(1, timeout: 50)
        _ = fixture.send(2, timeout: 500)
        _ = fixture.wake(after: 60)
        #expect(fixture.machine.close() == [2])
        #expect(fixture.machine.close().isEmpty)
        #expect(fixture.send(3, timeout: 50) == .notReady)
        #expect(try fixture.receive(":1\r\n") == .discard)
        #expect(fixture.wake(after: 10_000).action == .none)
    }

    @Test func `deadlines near the end of the clock do not overflow`() throws {
        var fixture = try MachineFixture.ready()
        #expect(fixture.machine.admit(1, replies: 1, deadline: .max) == .admitted)
        fixture.expectNoEffect(after: 5000)
    }

    @Test func `an early wake has no effect`() throws {
        var fixture = try MachineFixture.ready(heartbeat: 500)
        _ = fixture.send(1, timeout: 50)
        for _ in 0..<49 { fixture.expectNoEffect(after: 1) }
        #expect(fixture.wake(after: 1).expired == [1])
    }
}
