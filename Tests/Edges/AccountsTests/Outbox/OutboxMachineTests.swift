import GatewayCore
import Revocation
import Testing

@testable import Accounts

@Suite struct OutboxMachineTests {
    /// A machine whose random durations are the longest ones. The store's clock is 1,000,000 seconds at the start.
    private struct Rig {
        var machine = OutboxMachine(random: { $0 })
        var now: UInt64 = 1_000_000_000_000
        var time: Int64 = 1_000_000

        /// Polls the outbox, if a poll is due, and returns the actions that follow.
        mutating func poll(_ messages: OutboxMessage..., isHolder: Bool = true) -> [OutboxMachine.Action] {
            guard machine.tick(now: now) == [.poll] else { return [] }
            return machine.polled(
                OutboxPoll(
                    isHolder: isHolder, messages: messages, now: UnixTime(clamping: time), count: messages.count,
                    age: 3, parked: 2),
                now: now)
        }

        mutating func deliver(_ message: OutboxMessage, _ result: OutboxResult) -> [OutboxMachine.Action] {
            machine.delivered(message, result, now: now)
        }

        mutating func advance(_ seconds: Int64) {
            now += UInt64(seconds) * 1_000_000_000
            time += seconds
        }
    }

    private static func message(_ id: String, to destination: String = "apple.com") -> OutboxMessage {
        OutboxMessage(
            id: id, kind: destination == "webhook" ? .event : .revocation, destination: destination,
            queued: 1_000_000, body: "{}")
    }

    private let one = OutboxMachineTests.message("1")
    private let other = OutboxMachineTests.message("2")
    private let event = OutboxMachineTests.message("3", to: "webhook")
    private let outage = OutboxResult.failed("unreachable")

    @Test func `a delivered message is removed`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(rig.deliver(one, .delivered) == [.remove(one)])
        #expect(rig.machine.settled(one, now: rig.now) == [] && rig.machine.isIdle)
        let status = rig.machine.status
        #expect(status.revocations.delivered == 1 && status.events.delivered == 0)
        #expect(status.count == 1 && status.age == 3 && status.parked == 2 && status.isHolder)
    }

    @Test func `only the holder of the lease delivers, and nothing that the lease may not cover`() {
        var rig = Rig()
        #expect(rig.poll(one, isHolder: false) == [])
        rig.advance(5)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        rig.advance(31)
        let late = OutboxPoll(isHolder: true, messages: [one], now: 1_000_000, count: 1)
        #expect(rig.machine.polled(late, now: rig.now) == [], "the lease began with the poll")
    }

    @Test func `a message is delivered once at a time`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        rig.advance(1)
        #expect(rig.poll(one, other) == [.deliver(other)])
        #expect(rig.deliver(one, .delivered) == [.remove(one)])
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.machine.settled(one, now: rig.now) == [])
        let poll = OutboxPoll(isHolder: true, messages: [one], now: 1_000_000, count: 1)
        #expect(rig.machine.polled(poll, now: rig.now) == [], "the poll began before the removal")
    }

    @Test func `a failing destination pauses alone, and its messages are postponed without an attempt`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(
            rig.deliver(one, outage) == [.logFailing("apple.com", "unreachable"), .postpone(one, 1)])
        _ = rig.machine.settled(one, now: rig.now)
        rig.advance(1)
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(rig.deliver(one, outage) == [.postpone(one, 1)], "a pause of two seconds")
        rig.advance(1)
        #expect(rig.poll(other, event) == [.postpone(other, 1), .deliver(event)])
        #expect(rig.machine.status.revocations.failed == 2 && rig.machine.status.failing != nil)
    }

    @Test func `the interval between attempts doubles with the age of a message, up to an hour`() {
        for (age, interval) in [(0, 1), (4, 5), (1_000, 1_250), (100_000, 3_600)] as [(Int64, Int64)] {
            var rig = Rig()
            rig.advance(age)
            #expect(rig.poll(one) == [.deliver(one)])
            let actions = rig.deliver(one, .failed("404", concernsAll: false))
            #expect(actions == [.postpone(one, interval)], "\(age)")
        }
    }

    @Test func `the time that a destination requests is kept`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(
            rig.deliver(one, .failed("429", retryAfter: 60)) == [.logFailing("apple.com", "429"), .postpone(one, 60)])
    }

    @Test func `a rejected message is parked at once, and a failing one after three days`() {
        var rig = Rig()
        #expect(rig.poll(one, event) == [.deliver(one), .deliver(event)])
        #expect(rig.deliver(one, .rejected("410")) == [.park(one), .logParked(one, "410")])
        _ = rig.machine.settled(one, now: rig.now)
        rig.advance(259_200)
        #expect(
            rig.deliver(event, outage)
                == [.logFailing("webhook", "unreachable"), .park(event), .logParked(event, "unreachable")])
        #expect(rig.machine.status.revocations.parked == 1 && rig.machine.status.events.parked == 1)
    }

    @Test func `concurrent deliveries to one destination are bounded, and leave room for others`() {
        var rig = Rig()
        let messages = (0...OutboxBounds.concurrencyOfDestination).map { Self.message("m\($0)") }
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        let poll = OutboxPoll(isHolder: true, messages: messages + [event], now: 1_000_000, count: 6)
        let actions = rig.machine.polled(poll, now: rig.now)
        #expect(actions == messages.dropLast().map { .deliver($0) } + [.deliver(event)])
        _ = rig.deliver(messages[0], .delivered)
        #expect(rig.machine.settled(messages[0], now: rig.now) == [.deliver(messages[4])])
    }

    @Test func `after a stop no delivery begins, and running ones are settled`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        rig.machine.stop()
        #expect(!rig.machine.isIdle && rig.machine.deadline == nil)
        #expect(rig.deliver(one, .delivered) == [.remove(one)])
        #expect(rig.machine.settled(one, now: rig.now) == [] && rig.machine.isIdle)
        #expect(rig.machine.tick(now: rig.now) == [])
    }

    @Test func `an unreadable outbox is logged once a minute, and keeps its last state`() {
        var rig = Rig()
        _ = rig.poll(one)
        rig.advance(1)
        let error = StoreError(.io, "down")
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.machine.pollFailed(error, now: rig.now) == [.logUnreadable(error)])
        let status = rig.machine.status
        #expect(status.count == 1 && status.failing == "the outbox cannot be read" && !status.isHolder)
        rig.advance(5)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.machine.pollFailed(error, now: rig.now) == [])
    }
}
