import Testing

@testable import Forwarding
@testable import SystemFixtures

@Suite struct UpstreamPoolMachineTests {
    typealias Machine = UpstreamPoolMachine<Int, String>

    private var machine = Machine(servers: 1, limit: 2, waitingLimit: 2)
    private var one = Machine(servers: 1, limit: 1, waitingLimit: 4)

    /// Acquires a connection and releases it.
    private func used(_ machine: Machine) -> Machine {
        var machine = machine
        _ = machine.acquire()
        _ = machine.released(1, server: 0, now: 0)
        return machine
    }

    @Test mutating func `the connection released last is used first`() {
        for _ in 1...2 { _ = machine.acquire() }
        #expect("\(machine.released(1, server: 0, now: 0))" == "kept")
        #expect("\(machine.released(2, server: 0, now: 1))" == "kept")
        #expect("\(machine.acquire())" == "use(2)")
        #expect(machine.idleCount == 1 && machine.open == 2)
    }

    @Test func `a second attempt uses a new connection`() {
        var machine = used(machine)
        #expect("\(machine.acquire(reuse: false))" == "connect(server: 0)")
        #expect(machine.open == 2 && machine.idleCount == 1)
    }

    @Test func `a second attempt in a full pool replaces an idle connection`() {
        var machine = used(one)
        #expect("\(machine.acquire(reuse: false))" == "replace(1, server: 0)")
        #expect(machine.open == 1 && machine.idleCount == 0)
    }

    @Test mutating func `a full pool queues requests, then refuses`() {
        for _ in 1...2 { _ = machine.acquire() }
        for outcome in ["wait", "wait", "refuse"] { #expect("\(machine.acquire())" == outcome) }
        #expect(machine.waiting == 2 && machine.open == 2)
    }

    @Test mutating func `a released connection serves the waiting request`() {
        _ = one.acquire()
        for name in ["a", "b"] { _ = one.acquire(name) }
        for name in ["a", "b"] { #expect(one.serves(1) == name) }
        #expect(one.waiting == 0 && one.idleCount == 0)
    }

    @Test mutating func `the end of a connection makes room for a waiting request`() {
        _ = one.acquire()
        _ = one.acquire("a")
        one.closed(isUpload: false)
        #expect(one.nextText() == "connect(0, a)")
        #expect(one.open == 1 && one.waiting == 0)
        one.closed(isUpload: false)
        #expect(one.nextText() == nil)
        #expect(one.open == 0)
    }

    @Test mutating func `a cancelled request is not served`() {
        _ = one.acquire()
        _ = one.acquire("a")
        one.gaveUp { $0 == "a" }
        #expect("\(one.released(1, server: 0, now: 0))" == "kept")
    }

    @Test func `a closed idle connection is removed`() {
        var machine = used(machine)
        for _ in 1...2 { machine.idleClosed(1, server: 0) }
        #expect(machine.open == 0 && machine.idleCount == 0)
    }

    @Test func `only connections that are idle for long expire`() {
        var machine = Machine(servers: 1, limit: 3, waitingLimit: 2)
        for _ in 1...3 { _ = machine.acquire() }
        for number in 1...3 { _ = machine.released(number, server: 0, now: UInt64(number)) }
        #expect(machine.expire(idleSince: 3) == [1, 2])
        #expect(machine.open == 1)
        #expect(machine.expire(idleSince: .max) == [3])
        #expect(machine.open == 0)
    }

    @Test func `servers take turns`() {
        var machine = Machine(servers: 3, limit: 9, waitingLimit: 2)
        for server in [0, 1, 2, 0] { #expect("\(machine.acquire())" == "connect(server: \(server))") }
        #expect(machine.open == 4)
    }

    @Test func `a full pool uses an idle connection to another server`() {
        var machine = used(Machine(servers: 2, limit: 1, waitingLimit: 2))
        #expect("\(machine.acquire())" == "use(1)")
    }

    @Test mutating func `a request that waited too long is removed`() {
        _ = one.acquire()
        for name in ["late", "late too", "early"] { _ = one.acquire(name) }
        #expect(one.expireWaiting { $0.hasPrefix("late") } == ["late", "late too"])
        #expect(one.waiting == 1)
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

    mutating func closed(isUpload: Bool) { closed(server: 0, isUpload: isUpload) }

    mutating func acquire(_ waiter: String = "", reuse: Bool = true, isUpload: Bool = false) -> Acquired {
        acquire(reuse: reuse, isUpload: isUpload, orWait: waiter)
    }

    /// The request that a released connection serves. `nil` if the connection is kept.
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

/// Uploads can use only a part of the pool.
@Suite struct UploadShareTests {
    typealias Machine = UpstreamPoolMachine<Int, String>

    private var machine = Machine(servers: 1, limit: 4, waitingLimit: 8)

    /// Adds the maximum number of uploads, and one that waits.
    private mutating func fill(waiting: String? = nil) {
        for _ in 1...3 { _ = machine.acquire(isUpload: true) }
        if let waiting { _ = machine.acquire(waiting, isUpload: true) }
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (8, 6), (256, 192)])
    func `the share is three quarters and at least one`(total: Int, share: Int) {
        #expect(UploadShare.of(total) == share)
    }

    @Test mutating func `an upload beyond the share waits and other requests pass`() {
        fill()
        #expect("\(machine.acquire("upload", isUpload: true))" == "wait")
        #expect("\(machine.acquire("get"))" == "connect(server: 0)")
        #expect(machine.uploads == 3)
    }

    @Test mutating func `a released connection skips uploads beyond the share`() {
        fill(waiting: "upload")
        _ = machine.acquire("first")
        _ = machine.acquire("second")
        #expect(machine.serves(9) == "second")
        #expect(machine.serves(9) == nil)
        #expect(machine.waiting == 1)
    }

    @Test mutating func `the end of a body gives the next upload an idle connection`() {
        fill()
        _ = machine.acquire("get")
        _ = machine.acquire("upload", isUpload: true)
        #expect(machine.serves(9) == nil)
        machine.uploadEnded()
        #expect(machine.nextText() == "use(9, upload)")
        #expect(machine.nextText() == nil)
        #expect(machine.uploads == 3)
    }

    @Test(arguments: [false, true])
    mutating func `the end of a body or its connection lets the next upload connect`(isClosed: Bool) {
        fill(waiting: "upload")
        if isClosed { machine.closed(isUpload: true) } else { machine.uploadEnded() }
        #expect(machine.nextText() == "connect(0, upload)")
        #expect(machine.uploads == 3 && machine.open == (isClosed ? 3 : 4))
    }

    @Test mutating func `a full pool serves in order of arrival`() {
        for _ in 1...4 { _ = machine.acquire() }
        _ = machine.acquire("upload", isUpload: true)
        _ = machine.acquire("get")
        #expect(machine.serves(1) == "upload")
        #expect(machine.serves(2) == "get")
    }

    @Test mutating func `a request whose body has arrived is not an upload`() {
        fill()
        for name in ["a", "b"] { _ = machine.acquire(name, isUpload: true) }
        machine.uploadsArrived { $0 == "b" }
        #expect(machine.nextText() == "connect(0, b)")
        #expect(machine.uploads == 3)
        #expect(machine.nextText() == nil)
    }

    @Test mutating func `uploads have a share of the queue`() {
        fill()
        _ = machine.acquire()
        for _ in 1...6 { #expect("\(machine.acquire(isUpload: true))" == "wait") }
        #expect("\(machine.acquire(isUpload: true))" == "refuse")
        for _ in 1...2 { #expect("\(machine.acquire())" == "wait") }
        #expect("\(machine.acquire())" == "refuse")
    }

    @Test mutating func `a pool with one connection accepts uploads`() {
        machine = Machine(servers: 1, limit: 1, waitingLimit: 8)
        #expect("\(machine.acquire(isUpload: true))" == "connect(server: 0)")
        #expect("\(machine.acquire())" == "wait")
    }
}

/// Random events of a pool, and the invariants after each.
@Suite struct UpstreamPoolFuzzTests {
    /// The owner of the pool: the connections and requests that it received and has not returned.
    private struct Owner {
        var machine = UpstreamPoolMachine<Int, String>(servers: 2, limit: 4, waitingLimit: 4)
        /// The lent connections. `true` for a connection of an upload.
        var lent: [Bool] = []
        var idle: [Int: Int] = [:]
        var names = 0

        mutating func took(_ connection: Int?, isUpload: Bool) {
            if let connection { idle[connection] = nil }
            lent.append(isUpload)
        }

        mutating func acquire(reuse: Bool, isUpload: Bool) {
            names += 1
            switch machine.acquire("\(names)", reuse: reuse, isUpload: isUpload) {
            case .use(let id), .replace(let id, _): took(id, isUpload: isUpload)
            case .connect: took(nil, isUpload: isUpload)
            case .wait, .refuse: break
            }
        }

        mutating func serveWaiting() {
            while let next = machine.next() {
                switch next {
                case .use(let id, let entry): took(id, isUpload: entry.isUpload)
                case .connect(_, let entry): took(nil, isUpload: entry.isUpload)
                }
            }
        }

        mutating func endUpload(at index: Int) {
            guard lent[index] else { return }
            lent[index] = false
            machine.uploadEnded()
            serveWaiting()
        }

        mutating func release(at index: Int) {
            endUpload(at: index)
            lent.remove(at: index)
            names += 1
            switch machine.released(names, server: names % 2, now: 0) {
            case .kept: idle[names] = names % 2
            case .serve(let entry): lent.append(entry.isUpload)
            case .close: break
            }
        }

        mutating func close(at index: Int) {
            machine.closed(isUpload: lent.remove(at: index))
            serveWaiting()
        }

        mutating func closeIdle() {
            guard let (id, server) = idle.first else { return }
            idle[id] = nil
            machine.idleClosed(id, server: server)
            serveWaiting()
        }
    }

    @Test func `any order of events keeps the counts`() {
        var random = SystemRandomNumberGenerator()
        var owner = Owner()
        for _ in 0..<Thoroughness.rounds(4000, full: 20_000) {
            let index = owner.lent.indices.randomElement(using: &random)
            switch (Int.random(in: 0..<8, using: &random), index) {
            case (0...3, _):
                owner.acquire(reuse: Bool.random(using: &random), isUpload: Bool.random(using: &random))
            case (4, let index?): owner.endUpload(at: index)
            case (5, let index?): owner.release(at: index)
            case (6, let index?): owner.close(at: index)
            case (7, _): owner.closeIdle()
            default: break
            }
            check(owner)
        }
    }

    private func check(_ owner: Owner) {
        #expect(owner.machine.open == owner.lent.count + owner.idle.count)
        #expect(owner.machine.idleCount == owner.idle.count)
        #expect(owner.machine.uploads == owner.lent.filter { $0 }.count)
        #expect(owner.machine.open <= 4)
        #expect(owner.machine.uploads <= 3)
        #expect(owner.machine.waiting <= 4)
        // No request waits for an available connection.
        var copy = owner.machine
        #expect(copy.nextText() == nil)
    }
}
