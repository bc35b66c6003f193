import GatewayCore
import OutboundHTTP
import Revocation
import Testing

@testable import Authorization
@testable import StoreFixtures

@Suite struct WriteBackMachineTests {
    private static let second: UInt64 = 1_000_000_000

    /// A machine whose random durations are the longest ones.
    private struct Rig {
        var machine = WriteBackMachine(random: { $0 })
        var now: UInt64 = 1_000_000_000_000

        /// Polls the queue, if a poll is due, and returns the actions that follow.
        mutating func poll(_ entries: WriteBackEntry..., isHolder: Bool = true) -> [WriteBackMachine.Action] {
            guard machine.tick(now: now) == [.poll] else { return [] }
            return machine.polled(
                WriteBackPoll(isHolder: isHolder, entries: entries, count: entries.count, age: 3), now: now)
        }

        mutating func deliver(
            _ entry: WriteBackEntry, _ result: Result<WriteBackResult, GoogleCallFailure>
        ) -> [WriteBackMachine.Action] {
            machine.delivered(entry, result, now: now)
        }

        mutating func advance(_ seconds: Double) { now += UInt64(seconds * Double(WriteBackMachineTests.second)) }
    }

    private static func entry(
        _ uid: String, _ part: WriteBackPart = .validSince, _ version: Int64 = 1, project: String = "my-app"
    ) -> WriteBackEntry {
        WriteBackEntry(
            user: UserKey(uid), target: WriteBackTarget(project: project, tenant: nil), part: part, version: version)
    }

    private static func lane(
        _ project: String = "my-app", _ destination: WriteBackDestination = .identityToolkit
    ) -> WriteBackStatus.Lane {
        WriteBackStatus.Lane(destination: destination.rawValue, project: project)
    }

    private let ann = WriteBackMachineTests.entry("ann")
    private let bob = WriteBackMachineTests.entry("bob")
    private let outage = Result<WriteBackResult, GoogleCallFailure>.failure(
        GoogleCallFailure(reason: "status", retryAfter: nil))

    @Test func `a delivered entry is removed`() {
        var rig = Rig()
        #expect(rig.poll(ann) == [.deliver(ann)])
        #expect(rig.deliver(ann, .success(.updated)) == [.remove(ann)])
        #expect(rig.machine.settled(ann, now: rig.now) == [])
        #expect(
            rig.machine.status["identity_toolkit"].updated == 1 && rig.machine.status.count == 1
                && rig.machine.status.age == 3)
    }

    @Test func `only the holder of the lease delivers`() {
        var rig = Rig()
        #expect(rig.poll(ann, isHolder: false) == [])
        rig.advance(4.9)
        #expect(rig.poll(ann) == [])
        rig.advance(0.2)
        #expect(rig.poll(ann) == [.deliver(ann)])
    }

    @Test func `no delivery starts that the lease may not cover`() {
        var rig = Rig()
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        rig.advance(16)
        let late = WriteBackPoll(isHolder: true, entries: [ann], count: 1, age: 0)
        #expect(rig.machine.polled(late, now: rig.now) == [], "the lease began with the poll")
    }

    @Test func `one delivery per user and part runs at a time`() {
        var rig = Rig()
        #expect(rig.poll(ann) == [.deliver(ann)])
        rig.advance(1)
        let (changed, disabled) = (Self.entry("ann", .validSince, 2), Self.entry("ann", .disabled))
        #expect(rig.poll(changed, disabled) == [.deliver(disabled)])
        _ = rig.deliver(ann, .success(.updated))
        #expect(rig.machine.settled(ann, now: rig.now) == [])
        rig.advance(1)
        #expect(rig.poll(changed) == [.deliver(changed)])
    }

    @Test func `concurrent deliveries are bounded, and the next one starts when one ends`() {
        var rig = Rig()
        let entries = (0...WriteBackBounds.concurrency).map { Self.entry("u\($0)") }
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        let poll = WriteBackPoll(isHolder: true, entries: entries, count: entries.count, age: 0)
        #expect(rig.machine.polled(poll, now: rig.now).count == WriteBackBounds.concurrency)
        _ = rig.deliver(entries[0], .success(.updated))
        #expect(rig.machine.settled(entries[0], now: rig.now) == [.deliver(entries[WriteBackBounds.concurrency])])
    }

    @Test func `failures pause deliveries for a growing time, at most five minutes`() {
        var rig = Rig()
        var pauses: [Int64] = []
        for _ in 0..<11 {
            #expect(rig.poll(ann) == [.deliver(ann)])
            let actions = rig.deliver(ann, outage)
            _ = rig.machine.settled(ann, now: rig.now)
            guard case .postpone(ann, let seconds)? = actions.first else { break }
            pauses.append(seconds)
            rig.advance(Double(seconds) - 0.5)
            #expect(rig.poll(bob) == [], "other entries wait, too")
            rig.advance(1.5)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(
            rig.machine.status.failures[Self.lane()] == "status" && rig.machine.status["identity_toolkit"].failed == 11)
        #expect(rig.poll(ann) == [.deliver(ann)])
        _ = rig.deliver(ann, .success(.updated))
        #expect(rig.machine.status.failures.isEmpty)
    }

    @Test func `a failure of one project does not pause or hide the other`() {
        var rig = Rig()
        let other = Self.entry("ann", project: "other-app")
        #expect(rig.poll(ann, other) == [.deliver(ann), .deliver(other)])
        #expect(rig.deliver(ann, outage) == [.postpone(ann, 1)])
        #expect(rig.deliver(other, .success(.updated)) == [.remove(other)])
        #expect(rig.machine.status.failures[Self.lane()] == "status", "the failure is the first project's")
        for entry in [ann, other] { _ = rig.machine.settled(entry, now: rig.now) }
        rig.advance(0.9)
        #expect(rig.machine.queued(now: rig.now) == [.poll])
        let full = (1..<WriteBackBounds.batch).map { Self.entry("u\($0)") } + [other]
        let poll = WriteBackPoll(isHolder: true, entries: full, count: 999, age: 0)
        let actions = rig.machine.polled(poll, now: rig.now)
        #expect(actions.last == .deliver(other) && actions.count == WriteBackBounds.batch)
        #expect(Array(actions.dropLast()) == full.dropLast().map { WriteBackMachine.Action.postpone($0, 1) })
        rig.advance(1)
        #expect(rig.poll(ann) == [.deliver(ann)])
        _ = rig.deliver(ann, .success(.updated))
        #expect(rig.machine.status.failures.isEmpty)
    }

    @Test func `an entry of a project that is not configured is parked, and does not hold up others`() {
        var rig = Rig()
        let other = Self.entry("ann", project: "other-app")
        #expect(rig.poll(other, ann) == [.deliver(other), .deliver(ann)])
        #expect(
            rig.deliver(other, .success(.unconfigured)) == [
                .park(other), .logHeld(.unconfigured, .identityToolkit),
            ])
        #expect(rig.deliver(ann, .success(.updated)) == [.remove(ann)])
        #expect(rig.machine.status.failures.isEmpty && rig.machine.status["identity_toolkit"].parked == 1)
    }

    @Test func `a pause has jitter, and is not shorter than Retry-After`() {
        var short = WriteBackMachine(random: { _ in 0 })
        #expect(short.tick(now: 0) == [.poll])
        _ = short.polled(WriteBackPoll(isHolder: true, entries: [ann, bob], count: 2, age: 0), now: 0)
        _ = short.delivered(bob, outage, now: 0)
        let failure = GoogleCallFailure(reason: "throttled", retryAfter: 30)
        #expect(short.delivered(ann, .failure(failure), now: 0) == [.postpone(ann, 30)])
        var rig = Rig()
        rig.machine = WriteBackMachine(random: { _ in 0 })
        _ = rig.poll(ann)
        _ = rig.deliver(ann, outage)
        _ = rig.machine.settled(ann, now: rig.now)
        rig.advance(0.6)
        #expect(rig.poll(bob) == [.deliver(bob)], "the shortest pause is half a second")
    }

    @Test func `a permanent failure does not block other entries`() {
        var rig = Rig()
        #expect(rig.poll(ann, bob) == [.deliver(ann), .deliver(bob)])
        #expect(rig.deliver(ann, .success(.missing)) == [.remove(ann), .logMissing(ann)])
        #expect(
            rig.deliver(bob, .success(.rejected("X"))) == [
                .postpone(bob, 600), .logHeld(.rejected("X"), .identityToolkit),
            ])
        _ = rig.machine.settled(ann, now: rig.now)
        _ = rig.machine.settled(bob, now: rig.now)
        rig.advance(1)
        #expect(rig.poll(ann, bob) == [.deliver(ann), .deliver(bob)])
        #expect(rig.deliver(ann, .success(.forbidden)) == [.postpone(ann, 600)], "it is logged once a minute")
        #expect(rig.machine.status.failures[Self.lane()] == "forbidden")
        _ = rig.machine.settled(ann, now: rig.now)
        rig.advance(1)
        #expect(rig.poll(ann) == [.deliver(ann)])
        let status = rig.machine.status
        #expect(
            status["identity_toolkit"].missing == 1 && status["identity_toolkit"].rejected == 1
                && status["identity_toolkit"].forbidden == 1)
    }

    @Test func `a change of this gateway is polled at once`() {
        var rig = Rig()
        _ = rig.poll()
        #expect(rig.machine.queued(now: rig.now) == [.poll])
        #expect(rig.machine.queued(now: rig.now) == [], "a poll is running")
        let empty = WriteBackPoll(isHolder: true, entries: [], count: 0, age: nil)
        #expect(rig.machine.polled(empty, now: rig.now) == [])
        #expect(rig.machine.deadline == rig.now, "the change may be later than the poll")
    }

    @Test func `an entry is not delivered again by the result of an earlier poll`() {
        var rig = Rig()
        let entries = (0...WriteBackBounds.concurrency).map { Self.entry("u\($0)") }
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        let first = WriteBackPoll(isHolder: true, entries: entries, count: 5, age: 0)
        #expect(rig.machine.polled(first, now: rig.now).count == 4)
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        _ = rig.deliver(entries[0], .success(.updated))
        #expect(rig.machine.settled(entries[0], now: rig.now) == [.deliver(entries[4])])
        _ = rig.deliver(entries[1], .success(.updated))
        _ = rig.machine.settled(entries[1], now: rig.now)
        #expect(rig.machine.polled(first, now: rig.now) == [], "the poll began before the removals")
    }

    @Test func `a failure of one user does not pause others, and nothing begins after the stop`() {
        var rig = Rig()
        #expect(rig.poll(ann) == [.deliver(ann)])
        let failure = GoogleCallFailure(reason: "malformed", retryAfter: nil, concernsAll: false)
        #expect(rig.deliver(ann, .failure(failure)) == [.postpone(ann, 1)])
        _ = rig.machine.settled(ann, now: rig.now)
        #expect(rig.machine.isIdle)
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        rig.machine.stop()
        let poll = WriteBackPoll(isHolder: true, entries: [bob], count: 1, age: 0)
        #expect(rig.machine.polled(poll, now: rig.now) == [] && rig.machine.isIdle)
    }

    @Test func `after a failed poll nothing is delivered`() {
        var rig = Rig()
        #expect(rig.poll(ann) == [.deliver(ann)])
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        let error = StoreError(.io, "down")
        #expect(rig.machine.pollFailed(error, now: rig.now) == [.logUnreadable(error)])
        #expect(rig.machine.status.count == 1 && rig.machine.status.queueFailure != nil)
        #expect(!rig.machine.status.isHolder && rig.machine.deadline == rig.now + 5 * Self.second)
        rig.machine.stop()
        #expect(rig.machine.deadline == nil && rig.machine.tick(now: .max) == [])
    }

    // MARK: - Isolation

    private let broken = Result<WriteBackResult, GoogleCallFailure>.failure(
        GoogleCallFailure(reason: "status", retryAfter: nil, concernsAll: false))

    @Test func `a user whose deliveries always fail delays no other user`() {
        var rig = Rig()
        var delays: [Int64] = []
        for _ in 0..<11 {
            #expect(rig.poll(ann, bob) == [.deliver(ann), .deliver(bob)])
            guard case .postpone(ann, let seconds)? = rig.deliver(ann, broken).first else { break }
            delays.append(seconds)
            #expect(rig.deliver(bob, .success(.updated)) == [.remove(bob)])
            for entry in [ann, bob] { _ = rig.machine.settled(entry, now: rig.now) }
            rig.advance(1)
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(rig.machine.status["identity_toolkit"].failed == 11)
    }

    @Test func `failures of three users without a success between them pause the project`() {
        var rig = Rig()
        let (eve, dan) = (Self.entry("eve"), Self.entry("dan"))
        #expect(rig.poll(ann, bob, eve).count == 3)
        #expect(rig.deliver(ann, broken) == [.postpone(ann, 1)] && rig.deliver(bob, broken) == [.postpone(bob, 1)])
        #expect(rig.deliver(eve, broken) == [.postpone(eve, 1)])
        for entry in [ann, bob, eve] { _ = rig.machine.settled(entry, now: rig.now) }
        rig.advance(0.9)
        #expect(rig.machine.queued(now: rig.now) == [.poll])
        let poll = WriteBackPoll(isHolder: true, entries: [dan], count: 4, age: 0)
        #expect(rig.machine.polled(poll, now: rig.now) == [], "paused")
        rig.advance(1)
        #expect(rig.poll(dan) == [.deliver(dan)])
        #expect(rig.deliver(dan, broken) == [.postpone(dan, 2)], "nothing has succeeded, so the pause grows")
        _ = rig.machine.settled(dan, now: rig.now)
        rig.advance(2)
        #expect(rig.poll(dan, ann) == [.deliver(dan), .deliver(ann)])
        _ = rig.deliver(dan, .success(.updated))
        #expect(rig.deliver(ann, broken) == [.postpone(ann, 2)], "the second failure of this user alone")
    }

    @Test func `a failing destination does not pause the other`() {
        var rig = Rig()
        let rules = Self.entry("ann", .revokeTime)
        #expect(rig.poll(rules, ann) == [.deliver(rules), .deliver(ann)])
        #expect(rig.deliver(rules, outage) == [.postpone(rules, 1)])
        #expect(rig.deliver(ann, .success(.updated)) == [.remove(ann)])
        #expect(rig.machine.status.failures == [Self.lane("my-app", .realtimeDatabase): "status"])
        #expect(rig.machine.status["realtime_database"].failed == 1)
        _ = rig.machine.settled(ann, now: rig.now)
        rig.advance(0.5)
        #expect(rig.machine.queued(now: rig.now) == [.poll])
        let poll = WriteBackPoll(isHolder: true, entries: [Self.entry("bob", .revokeTime), bob], count: 2, age: 0)
        #expect(rig.machine.polled(poll, now: rig.now) == [.deliver(bob)])
    }

    @Test func `parked entries return when the configuration changes, and every ten minutes`() {
        var rig = Rig()
        func poll(_ rig: inout Rig) -> [WriteBackMachine.Action] {
            guard rig.machine.tick(now: rig.now) == [.poll] else { return [] }
            let poll = WriteBackPoll(isHolder: false, entries: [], count: 0, age: nil, parked: 2)
            return rig.machine.polled(poll, now: rig.now)
        }
        #expect(poll(&rig) == [.returnParked] && rig.machine.status.parked == 2)
        rig.advance(5)
        #expect(poll(&rig) == [])
        rig.machine.configured([Self.lane()])
        rig.advance(5)
        #expect(poll(&rig) == [.returnParked])
        rig.advance(599)
        #expect(poll(&rig) == [])
        rig.advance(5)
        #expect(poll(&rig) == [.returnParked])
    }

    @Test func `a lane that is no longer configured is forgotten`() {
        var rig = Rig()
        #expect(rig.poll(ann) == [.deliver(ann)])
        _ = rig.deliver(ann, outage)
        rig.machine.configured([Self.lane(), Self.lane("other-app")])
        #expect(rig.machine.status.failures.count == 1)
        rig.machine.configured([Self.lane("other-app")])
        #expect(rig.machine.status.failures.isEmpty)
        _ = rig.deliver(bob, outage)
        #expect(rig.machine.status.failures.count == 1, "it ran during the change")
        _ = rig.deliver(bob, .success(.unconfigured))
        #expect(rig.machine.status.failures.isEmpty)
    }
}
