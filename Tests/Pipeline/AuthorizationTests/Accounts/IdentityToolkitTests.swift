import GatewayCore
import Logging
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct IdentityToolkitTests {
    @Test func `an account is looked up`() throws {
        let rig = try AccountRig()
        let lookup = rig.lookUp("alice")
        let started = rig.time.monotonic
        #expect(rig.transport.calls[1].timeout == .milliseconds(1500))
        #expect(rig.transport.calls[1].request.field("authorization") == "Bearer at-1")
        rig.time.advance(seconds: 1)
        rig.answer(1, #"{"localId":"alice","validSince":"17","disabled":true}"#)
        #expect(lookup.all == [AccountStatus(state: .account(validSince: 17, disabled: true), queriedAt: started)])
    }

    @Test func `a cached status serves lookups that accept its age`() throws {
        let rig = try AccountRig()
        rig.lookUp("alice")
        rig.answer(1, #"{"localId":"alice"}"#)
        rig.advance(10)
        #expect(rig.lookUp("alice", notOlderThan: 10).states == [.good])
        #expect(rig.transport.count == 2)
        #expect(rig.lookUp("alice", notOlderThan: 9.9).states == [])
        #expect(rig.transport.count == 3)
    }

    @Test func `a missing account is cached, too`() throws {
        let rig = try AccountRig()
        rig.lookUp("gone")
        rig.answer(1)
        #expect(rig.lookUp("gone").states == [.missing])
        #expect(rig.transport.count == 2)
    }

    @Test func `a late response to an earlier request is dropped`() throws {
        let rig = try AccountRig()
        rig.lookUp("alice")
        rig.advance(1)
        rig.lookUp("alice")
        rig.answer(2, #"{"localId":"alice","disabled":true}"#)
        rig.answer(1, #"{"localId":"alice"}"#)
        #expect(rig.lookUp("alice", notOlderThan: 5).states == [.account(validSince: nil, disabled: true)])
    }

    @Test func `waiting lookups share one request`() throws {
        let rig = try AccountRig.busy()
        #expect(rig.transport.count == 5)
        let waiting = (0..<150).map { rig.lookUp("u\($0)") }
        let again = rig.lookUp("u7")
        #expect(rig.transport.count == 5)
        rig.answer(1)
        #expect(try rig.uids(5).count == AccountBounds.batch)
        rig.answer(2)
        #expect(try rig.uids(6).count == 50)
        rig.answer(5, #"{"localId":"u7"}"#)
        #expect(waiting[7].states == [.good] && again.states == [.good] && waiting[8].states == [.missing])
        #expect(waiting[120].states == [])
    }

    @Test func `a faulty record concerns one account only`() throws {
        let rig = try AccountRig.busy()
        let (bad, good) = (rig.lookUp("bad"), rig.lookUp("good"))
        rig.answer(1)
        rig.answer(5, #"{"localId":"bad","validSince":5}"#, #"{"localId":"good"}"#)
        #expect(bad.states == [.unavailable] && good.states == [.good])
        #expect(rig.lookUp("bad", notOlderThan: 60).states == [], "asked again")
    }

    @Test func `the cache is bounded`() throws {
        var machine = AccountMachine<Int>(remembered: 100)
        var now: UInt64 = 1_000_000_000_000
        _ = machine.start(now: now)
        _ = machine.tokenArrived(AccessToken(value: Secret("t"), lifetime: 86_400), of: 1, now: now)
        for number in 0..<1000 {
            now += 1000
            for action in machine.lookUp(Array("u\(number)".utf8), notBefore: now, 0, now: now) {
                guard case .lookUp(let call, let uids, _) = action else { continue }
                _ = machine.completed(call, .success([uids[0]: .missing]), now: now)
            }
        }
        #expect(machine.status(now: now).remembered == 100)
    }

    @Test func `at shutdown each caller gets one result`() async throws {
        let rig = try AccountRig()
        let lookups = (0..<6).map { rig.lookUp("u\($0)") }
        await rig.toolkit.shutdown()
        #expect(rig.transport.isShutDown)
        #expect(lookups.allSatisfy { $0.states == [.unavailable] })
        rig.answer(1)
        #expect(lookups.allSatisfy { $0.all.count == 1 })
        #expect(rig.lookUp("later").states == [.unavailable])
        #expect(rig.transport.count == 5)
    }

    @Test func `a service account of another project is a warning`() throws {
        let rig = try AccountRig(token: false, ["project_id": "other"])
        #expect(rig.log.all.map(\.level) == [.warning])
        #expect(try AccountRig(token: false).log.all.isEmpty)
    }

    @Test func `the status counts calls and hits`() throws {
        let rig = try AccountRig()
        rig.lookUp("alice")
        rig.answer(1, #"{"localId":"alice"}"#)
        rig.lookUp("alice", notOlderThan: 5)
        let status = rig.toolkit.status()
        #expect(status.counters.calls == 1 && status.counters.hits == 1 && status.counters.failed == 0)
        #expect(rig.toolkit.hasToken && status.running == 0 && status.waiting == 0 && status.remembered == 1)
        #expect(status.failing == nil && status.pausedFor == 0 && status.hasCredentials)
        #expect(try !AccountRig(token: false).toolkit.status().hasCredentials)
    }
}

extension AccountRig {
    /// A rig with the maximum number of concurrent lookups.
    static func busy() throws -> AccountRig {
        let rig = try AccountRig()
        for number in 0..<4 { rig.lookUp("running-\(number)") }
        return rig
    }
}
