import Testing

@testable import GatewayCore
@testable import OutboundHTTP

/// The lookups at one service, as a state machine with a clock that the test advances.
@Suite struct LookupFlightsTests {
    private static let second: UInt64 = 1_000_000_000

    private var flights = LookupFlights<String, Int>(LookupLimits(concurrency: 2, waiting: 4))
    private var now = 1000 * Self.second
    private var lastWaiter = 0
    private var rejected: [Int: LookupRejection] = [:]
    private var logged: [LookupEvent] = []
    private var running: [LookupFlights<String, Int>.Call] = []

    private mutating func perform(_ actions: [LookupFlights<String, Int>.Action]) {
        for action in actions {
            switch action {
            case .reject(let waiters, let rejection): for waiter in waiters { rejected[waiter] = rejection }
            case .log(let event): logged.append(event)
            }
        }
        while let call = flights.next(now: now) { running.append(call) }
    }

    /// Adds waiters for keys, numbered from 1, and starts the calls that may start.
    private mutating func enter(
        _ keys: String..., of network: UInt32 = 1, payload: [UInt8] = [], notBefore: UInt64 = 0
    ) {
        for key in keys {
            lastWaiter += 1
            perform(
                flights.enter(
                    key, payload: payload, of: .version4(network), notBefore: notBefore, lastWaiter, now: now))
        }
    }

    private mutating func advance(_ seconds: Double) {
        now += UInt64((seconds * 1e9).rounded())
        perform(flights.expire(now: now))
    }

    /// Completes the first running call.
    private mutating func finish() throws -> LookupFlights<String, Int>.Call {
        let call = flights.finish(running.removeFirst().number)
        return try #require(call)
    }

    /// Completes the first running call with a result, and returns its waiters.
    @discardableResult
    private mutating func succeed() throws -> [Int] {
        let call = try finish()
        perform(flights.succeeded())
        return call.allWaiters
    }

    private mutating func fail(_ failure: LookupFailure, opensBreaker: Bool = true) {
        _ = flights.finish(running.removeFirst().number)
        perform(flights.failed(failure, opensBreaker: opensBreaker, now: now))
    }

    @Test mutating func `waiters for the same key share one call`() throws {
        enter("a", "a", "a")
        #expect(running.map(\.keys) == [["a"]])
        #expect(try succeed() == [1, 2, 3])
        #expect(flights.counters.calls == 1 && flights.counters.shared == 2)
        enter("a")
        #expect(running.count == 1, "the ended call is not joined")
    }

    @Test mutating func `a running call that started too early is not joined`() throws {
        enter("a")
        advance(1)
        enter("a", notBefore: now - Self.second)
        enter("a", "a", notBefore: now)
        #expect(running.map(\.keys) == [["a"], ["a"]])
        #expect(try succeed() == [1, 2])
        #expect(try succeed() == [3, 4])
    }

    @Test mutating func `a payload is passed to the start of a call and not kept`() {
        enter("a", payload: [0xAB])
        #expect(running.map(\.payloads) == [[[0xAB]]])
        var shown = ""
        dump(flights, to: &shown)
        #expect(!shown.contains("- 171\n"))
    }

    @Test mutating func `G-08: the next call starts when one of those that may run ends`() throws {
        enter("a", "b", "c", "d")
        #expect(running.map(\.keys) == [["a"], ["b"]])
        #expect(flights.status(now: now).running == 2 && flights.status(now: now).waiting == 2)
        try succeed()
        #expect(running.map(\.keys) == [["b"], ["c"]])
    }

    @Test mutating func `G-08: the calls per second are limited by the rate`() {
        flights = LookupFlights(LookupLimits(concurrency: 100, waiting: 100, rate: 10))
        for number in 0..<30 { enter("\(number)") }
        #expect(running.count == 10)
        #expect(flights.deadline == now + Self.second / 10)
        advance(0.1)
        #expect(running.count == 11)
        advance(0.9)
        #expect(running.count == 20)
    }

    @Test mutating func `waiting keys are combined in calls of bounded size`() throws {
        flights = LookupFlights(LookupLimits(concurrency: 1, batch: 3, waiting: 10))
        enter("a", "b", "c", "d", "e", "c")
        try succeed()
        #expect(running.map(\.keys) == [["b", "c", "d"]])
        #expect(running[0].waiters["c"] == [3, 6])
        try succeed()
        #expect(running.map(\.keys) == [["e"]])
    }

    @Test mutating func `G-08: a full queue rejects the client with the most entries`() {
        enter("a", "b", "c", "d", "e", "f", "g", of: 1)
        #expect(rejected == [7: .overloaded])
        enter("h", of: 2)
        #expect(rejected == [6: .overloaded, 7: .overloaded])
        #expect(flights.counters.overflowed == 2)
        #expect(logged == [.overloaded], "logged once a minute")
    }

    @Test mutating func `G-08: the number of waiters is bounded, whatever they wait for`() throws {
        for _ in 0..<LookupLimits.waiters { enter("a") }
        enter("a", "b")
        #expect(rejected.keys.sorted() == [LookupLimits.waiters + 1, LookupLimits.waiters + 2])
        #expect(try succeed().count == LookupLimits.waiters)
        enter("b")
        #expect(running.map(\.keys) == [["b"]])
    }

    @Test mutating func `a key that waits too long for its call is rejected`() {
        enter("a", "b", "c")
        #expect(flights.deadline == now + LookupLimits.waitLimit)
        advance(2)
        enter("d", "c")
        advance(3)
        #expect(rejected == [3: .overloaded, 5: .overloaded])
        #expect(flights.deadline == now + LookupLimits.waitLimit - 3 * Self.second)
        #expect(flights.status(now: now).waiting == 1)
    }

    @Test(arguments: [(nil, 1), (7, 7)] as [(Int?, UInt64)])
    mutating func `G-13: a failure rejects all waiters until the pause ends`(retryAfter: Int?, pause: UInt64) throws {
        enter("a", "b", "c")
        fail(LookupFailure(.status, "503", retryAfter: retryAfter))
        let rejection = LookupRejection.paused(.status, until: now + pause * Self.second)
        #expect(rejected == [3: rejection])
        #expect(flights.status(now: now).pausedFor == pause * Self.second)
        advance(Double(pause) - 0.1)
        enter("d", "b")
        #expect(rejected == [3: rejection, 4: rejection])
        #expect(flights.counters.paused == 2)
        #expect(try succeed() == [2, 5], "a running call continues and can be joined")
        advance(0.1)
        enter("e")
        #expect(running.map(\.keys) == [["e"]])
    }

    @Test mutating func `G-13: while half-open, one call probes the service`() throws {
        enter("a")
        fail(LookupFailure(.timedOut))
        advance(1)
        enter("b", "c", "d")
        #expect(running.map(\.keys) == [["b"]])
        fail(LookupFailure(.timedOut))
        #expect(rejected.keys.sorted() == [3, 4])
        advance(1)
        enter("e", "f", "g")
        #expect(running.map(\.keys) == [["e"]])
        try succeed()
        #expect(running.map(\.keys) == [["f"], ["g"]])
    }

    @Test mutating func `a retried call runs before waiting keys and keeps its waiters`() throws {
        flights = LookupFlights(LookupLimits(concurrency: 1, waiting: 10))
        enter("a", "a", "b")
        let call = try finish()
        #expect(!call.isRetry)
        flights.retry(call)
        #expect(flights.status(now: now).waiting == 2)
        perform([])
        #expect(running.map(\.keys) == [["a"]] && running[0].isRetry)
        #expect(try succeed() == [1, 2])
    }

    @Test mutating func `a call is retried in halves, each with its own waiters`() throws {
        flights = LookupFlights(LookupLimits(concurrency: 1, batch: 3, waiting: 10))
        enter("x", "a", "b", "c", "b")
        try succeed()
        flights.retryInHalves(try finish())
        perform([])
        #expect(running[0].keys == ["a"] && running[0].waiters == ["a": [2]])
        try succeed()
        #expect(running[0].keys == ["b", "c"] && running[0].waiters == ["b": [3, 5], "c": [4]])
    }

    @Test mutating func `a kind of failure is logged once a minute, and so is a recovery from it`() throws {
        for kind in [.status, .status, .timedOut] as [LookupFailure.Kind] {
            enter("a")
            fail(LookupFailure(kind))
            advance(1)
        }
        #expect(logged == [.failing(LookupFailure(.status)), .failing(LookupFailure(.timedOut))])
        for _ in 0..<20 {
            enter("a")
            try succeed()
            enter("a")
            fail(LookupFailure(.status))
            advance(1)
        }
        #expect(logged.dropFirst(2) == [.recovered(failures: 3)])
        advance(60)
        enter("a")
        fail(LookupFailure(.status))
        #expect(logged.last == .failing(LookupFailure(.status)) && logged.count == 4)
    }

    @Test mutating func `at shutdown each waiter is returned once`() {
        enter("a", "a", "b", "c")
        #expect(flights.stop().sorted() == [1, 2, 3, 4])
        #expect(flights.stop().isEmpty)
        for call in running { #expect(flights.finish(call.number) == nil) }
        #expect(flights.deadline == nil && !flights.hasWork(now: now))
    }
}
