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
        mutating func poll(
            _ messages: OutboxMessage..., isHolder: Bool = true, parked: Int = 0
        ) -> [OutboxMachine.Action] {
            guard machine.tick(now: now) == [.poll] else { return [] }
            return polled(messages, isHolder: isHolder, parked: parked)
        }

        mutating func polled(
            _ messages: [OutboxMessage], isHolder: Bool = true, parked: Int = 0
        ) -> [OutboxMachine.Action] {
            let poll = OutboxPoll(
                isHolder: isHolder, messages: messages, now: UnixTime(clamping: time), count: messages.count, age: 3,
                parked: parked)
            return machine.polled(poll, now: now)
        }

        mutating func deliver(_ message: OutboxMessage, _ result: OutboxResult) -> [OutboxMachine.Action] {
            machine.delivered(message, result, now: now)
        }

        mutating func settled(_ message: OutboxMessage, _ error: StoreError? = nil) -> [OutboxMachine.Action] {
            machine.settled(message, error, now: now)
        }

        mutating func advance(_ seconds: Int64) {
            now += UInt64(seconds) * 1_000_000_000
            time += seconds
        }
    }

    private static func message(_ id: String) -> OutboxMessage {
        OutboxMessage(id: id, kind: .revocation, destination: "apple.com", queued: 1_000_000, body: "{}")
    }

    private let one = OutboxMachineTests.message("1")
    private let other = OutboxMachineTests.message("2")
    private let outage = OutboxResult.Failure("unreachable")
    private let error = StoreError(.io, "down")

    @Test func `a delivered message is removed`() {
        var rig = Rig()
        #expect(rig.poll(one, parked: 2) == [.retryParked, .deliver(one)])
        #expect(rig.deliver(one, .delivered) == [.settle(one, .remove)])
        #expect(!rig.machine.isIdle)
        #expect(rig.settled(one) == [] && rig.machine.isIdle)
        let status = rig.machine.status
        #expect(status.delivered == 1 && status.count == 1 && status.age == 3 && status.parked == 2 && status.isHolder)
    }

    @Test func `only the holder of the lease delivers, and nothing that the lease may not cover`() {
        var rig = Rig()
        #expect(rig.poll(one, isHolder: false) == [])
        rig.advance(5)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        rig.advance(31)
        #expect(rig.polled([one]) == [], "the lease began with the poll")
    }

    @Test func `a message is delivered once at a time`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        rig.advance(1)
        #expect(rig.poll(one, other) == [.deliver(other)])
        #expect(rig.deliver(one, .delivered) == [.settle(one, .remove)])
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.settled(one) == [])
        #expect(rig.polled([one]) == [], "the poll began before the removal")
    }

    @Test func `a failing destination pauses`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(rig.deliver(one, .failed(outage)) == [.log(.failing(outage)), .settle(one, .postpone(1))])
        #expect(rig.settled(one) == [])
        rig.advance(1)
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(rig.deliver(one, .failed(outage)) == [.settle(one, .postpone(1))], "a pause of two seconds")
        #expect(rig.settled(one) == [])
        rig.advance(1)
        #expect(rig.poll(one, other) == [])
        rig.advance(1)
        #expect(rig.poll(one, other) == [.deliver(one), .deliver(other)])
        #expect(rig.machine.status.failed == 2 && rig.machine.status.failing == "unreachable")
    }

    @Test func `a failure of one message pauses no other`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        let failure = OutboxResult.Failure("status 404", status: 404)
        let actions = rig.deliver(one, .failed(failure, concernsAll: false))
        #expect(actions == [.log(.failing(failure)), .settle(one, .postpone(1))])
        rig.advance(1)
        #expect(rig.poll(other) == [.deliver(other)])
    }

    @Test func `each reason is logged once a minute`() {
        var rig = Rig()
        let (first, second) = (OutboxResult.Failure("status 401", status: 401), OutboxResult.Failure("status 404"))
        for (failure, isLogged) in [(first, true), (second, true), (first, false), (second, false)] {
            #expect(rig.poll(one) == [.deliver(one)])
            let actions = rig.deliver(one, .failed(failure, concernsAll: false))
            #expect(actions.contains(.log(.failing(failure))) == isLogged)
            _ = rig.settled(one)
            rig.advance(1)
        }
        rig.advance(60)
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(rig.deliver(one, .failed(first)).first == .log(.failing(first)))
    }

    @Test func `the interval between attempts doubles with the age of a message, up to an hour`() {
        for (age, interval) in [(0, 1), (4, 5), (1_000, 1_250), (100_000, 3_600)] as [(Int64, Int64)] {
            var rig = Rig()
            rig.advance(age)
            #expect(rig.poll(one) == [.deliver(one)])
            let actions = rig.deliver(one, .failed(outage, concernsAll: false))
            #expect(actions.last == .settle(one, .postpone(interval)), "\(age)")
        }
    }

    @Test func `the time that a destination requests is kept`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(rig.deliver(one, .failed(outage, retryAfter: 60)).last == .settle(one, .postpone(60)))
    }

    @Test func `a rejected message is parked at once, and a failing one after three days`() {
        var rig = Rig()
        #expect(rig.poll(one, other) == [.deliver(one), .deliver(other)])
        let gone = OutboxResult.Failure("status 410", status: 410)
        #expect(
            rig.deliver(one, .rejected(.rejected, gone))
                == [.settle(one, .park(.rejected)), .log(.parked(one, .rejected, gone))])
        rig.advance(259_200)
        #expect(
            rig.deliver(other, .failed(outage))
                == [
                    .log(.failing(outage)), .settle(other, .park(.expired)), .log(.parked(other, .expired, outage)),
                ])
        #expect(rig.machine.status.parkedCount == 2)
    }

    @Test func `a token that its provider does not know is removed, counted and logged`() {
        var rig = Rig()
        let failure = OutboxResult.Failure("invalid_token", status: 400)
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(
            rig.deliver(one, .unknownToken(failure)) == [.log(.unknownToken(failure)), .settle(one, .remove)])
        #expect(rig.machine.status.unknown == 1 && rig.machine.status.delivered == 0)
    }

    @Test func `a discarded message is removed, counted and logged`() {
        var rig = Rig()
        let gone = OutboxResult.Failure("status 410", status: 410)
        #expect(rig.poll(one) == [.deliver(one)])
        #expect(rig.deliver(one, .discarded(gone)) == [.settle(one, .remove), .log(.discarded(one, gone))])
        #expect(rig.machine.status.discarded == 1 && rig.machine.status.parkedCount == 0)
    }

    @Test func `concurrent deliveries are bounded`() {
        var rig = Rig()
        let messages = (0...OutboxBounds.concurrency).map { Self.message("m\($0)") }
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.polled(messages) == messages.dropLast().map { .deliver($0) })
        #expect(rig.deliver(messages[0], .delivered) == [.settle(messages[0], .remove)])
        #expect(rig.settled(messages[0]) == [.deliver(messages[4])])
    }

    // MARK: - Deadlines

    @Test func `a delivery ends at its deadline, and a later result has no effect`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        rig.advance(19)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.machine.deadline == rig.now + 1_000_000_000, "also during a poll")
        rig.advance(1)
        let late = OutboxResult.Failure("timed_out")
        // Age 20, with jitter of a quarter.
        #expect(
            rig.machine.tick(now: rig.now)
                == [.cancel(one), .log(.failing(late)), .settle(one, .postpone(25))])
        #expect(rig.deliver(one, .delivered) == [])
        #expect(rig.machine.status.delivered == 0 && rig.machine.status.failed == 1)
    }

    // MARK: - Results that cannot be stored

    @Test func `a result that cannot be stored is stored later, and the message is not sent again`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        _ = rig.deliver(one, .delivered)
        #expect(rig.settled(one, error) == [.log(.unsettled(error))])
        #expect(rig.machine.isIdle, "the lease can be released")
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now) == [.settle(one, .remove), .poll])
        #expect(rig.polled([one]) == [])
        #expect(rig.settled(one, error) == [], "logged once a minute")
        rig.advance(1)
        #expect(rig.poll(one) == [])
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now).contains(.settle(one, .remove)))
        #expect(rig.settled(one) == [])
        #expect(rig.machine.status.unsettled == 2 && rig.machine.status.delivered == 1)
    }

    @Test func `results that cannot be stored are bounded, and end with the lease`() {
        var rig = Rig()
        let messages = (0...OutboxBounds.concurrency).map { Self.message("m\($0)") }
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.polled(messages).count == OutboxBounds.concurrency)
        for message in messages.dropLast() {
            _ = rig.deliver(message, .delivered)
            _ = rig.settled(message, error)
        }
        #expect(rig.settled(messages[4], error) == [])
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now).count == 5, "no delivery")
        for message in messages.dropLast() { _ = rig.settled(message, error) }
        #expect(rig.polled([], isHolder: false) == [])
        rig.advance(60)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.polled([messages[0]]) == [.deliver(messages[0])])
    }

    // MARK: - Parked messages

    @Test func `messages that are parked for the configuration are retried after a start and a reload`() {
        var rig = Rig()
        let error = StoreError(.io, "down")
        #expect(rig.poll(parked: 3) == [.retryParked])
        #expect(rig.machine.retried(.failure(error), now: rig.now) == [])
        rig.advance(1)
        #expect(rig.poll(parked: 3) == [.retryParked])
        #expect(rig.machine.retried(.success(OutboxBounds.retries), now: rig.now) == [.poll])
        #expect(rig.polled([], parked: 3) == [.retryParked])
        #expect(rig.machine.retried(.success(2), now: rig.now) == [.poll])
        #expect(rig.polled([], parked: 3) == [], "parked again")
        #expect(rig.machine.reconfigured(now: rig.now) == [.poll])
        #expect(rig.polled([], isHolder: false, parked: 3) == [])
        rig.advance(5)
        #expect(rig.poll(parked: 3) == [.retryParked])
    }

    @Test func `retries after one configuration are bounded`() {
        var rig = Rig()
        var count = 0
        while rig.poll(parked: 9) == [.retryParked], count < 100 {
            _ = rig.machine.retried(.success(OutboxBounds.retries), now: rig.now)
            _ = rig.polled([], parked: 9)
            count += 1
            rig.advance(1)
        }
        #expect(2 * count == OutboxBounds.retryRounds)
    }

    // MARK: - Life cycle

    @Test func `after a stop no delivery begins, and running ones are settled`() {
        var rig = Rig()
        #expect(rig.poll(one) == [.deliver(one)])
        rig.machine.stop()
        #expect(!rig.machine.isIdle && rig.machine.deadline == nil)
        #expect(rig.deliver(one, .delivered) == [.settle(one, .remove)])
        #expect(rig.settled(one, error) == [] && rig.machine.isIdle)
        #expect(rig.machine.tick(now: rig.now) == [])
    }

    @Test func `an unreadable outbox is logged once a minute, and keeps its last state`() {
        var rig = Rig()
        _ = rig.poll(one)
        rig.advance(1)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.machine.pollFailed(error, now: rig.now) == [.log(.unreadable(error))])
        let status = rig.machine.status
        #expect(status.count == 1 && status.failing == "the outbox cannot be read" && !status.isHolder)
        rig.advance(5)
        #expect(rig.machine.tick(now: rig.now) == [.poll])
        #expect(rig.machine.pollFailed(error, now: rig.now) == [])
    }
}
