import JOSE
import Logging
import Testing

@testable import Authorization
@testable import GatewayCore
@testable import OutboundHTTP

@Suite struct IdentityToolkitTests {
    @Test func anAccountIsLookedUp() throws {
        let rig = try AccountRig()
        let asked = rig.look("alice")
        let started = rig.time.monotonic
        #expect(rig.asker.calls[1].timeout == .milliseconds(1500))
        #expect(rig.asker.calls[1].question.field("authorization") == "Bearer at-1")
        rig.time.advance(seconds: 1)
        rig.answer(1, #"{"localId":"alice","validSince":"17","disabled":true}"#)
        #expect(asked.all == [AccountStatus(answer: .account(validSince: 17, disabled: true), askedAt: started)])
    }

    @Test func whatIsKnownAnswersWhoDoesNotNeedItNewer() throws {
        let rig = try AccountRig()
        rig.look("alice")
        rig.answer(1, #"{"localId":"alice"}"#)
        rig.advance(10)
        #expect(rig.look("alice", notOlderThan: 10).answers == [.good])
        #expect(rig.asker.count == 2)
        #expect(rig.look("alice", notOlderThan: 9.9).answers == [])
        #expect(rig.asker.count == 3)
    }

    @Test func thatAnAccountIsMissingIsKnownToo() throws {
        let rig = try AccountRig()
        rig.look("gone")
        rig.answer(1)
        #expect(rig.look("gone").answers == [.missing])
        #expect(rig.asker.count == 2)
    }

    @Test func whoAsksOfTheSameAccountSharesACallThatIsNewEnough() throws {
        let rig = try AccountRig()
        let first = rig.look("alice")
        rig.advance(1)
        let content = rig.look("alice", notOlderThan: 1)
        let strict = rig.look("alice")
        #expect(rig.asker.count == 3)
        rig.answer(1, #"{"localId":"alice"}"#)
        #expect(first.answers == [.good] && content.answers == [.good] && strict.answers == [])
        rig.answer(2, #"{"localId":"alice","disabled":true}"#)
        #expect(strict.answers == [.account(validSince: nil, disabled: true)])
    }

    @Test func anOlderAnswerThatComesLaterReplacesNoNewerOne() throws {
        let rig = try AccountRig()
        rig.look("alice")
        rig.advance(1)
        rig.look("alice")
        rig.answer(2, #"{"localId":"alice","disabled":true}"#)
        rig.answer(1, #"{"localId":"alice"}"#)
        #expect(rig.look("alice", notOlderThan: 5).answers == [.account(validSince: nil, disabled: true)])
    }

    @Test func whoWaitsGoesTogether() throws {
        let rig = try AccountRig()
        for number in 0..<4 { rig.look("running-\(number)") }
        #expect(rig.asker.count == 5)
        let waiting = (0..<150).map { rig.look("u\($0)") }
        let again = rig.look("u7")
        #expect(rig.asker.count == 5)
        rig.answer(1)
        #expect(try rig.uids(5).count == AccountBounds.batch)
        rig.answer(2)
        #expect(try rig.uids(6).count == 50)
        rig.answer(5, #"{"localId":"u7"}"#)
        #expect(waiting[7].answers == [.good] && again.answers == [.good] && waiting[8].answers == [.missing])
        #expect(waiting[120].answers == [])
    }

    @Test func oneBadRecordIsNobodyElses() throws {
        let rig = try AccountRig()
        for number in 0..<4 { rig.look("running-\(number)") }
        let (bad, good) = (rig.look("bad"), rig.look("good"))
        rig.answer(1)
        rig.answer(5, #"{"localId":"bad","validSince":5}"#, #"{"localId":"good"}"#)
        #expect(bad.answers == [.unavailable] && good.answers == [.good])
        #expect(rig.look("bad", notOlderThan: 60).answers == [], "asked again")
    }

    @Test func placesAreBounded() throws {
        let rig = try AccountRig()
        for number in 0..<(4 + AccountBounds.waiting) { rig.look("u\(number)") }
        #expect(rig.look("one-more").answers == [.unavailable])
        let joins = rig.look("u4000")
        #expect(joins.answers == [])
        #expect(rig.toolkit.status().waiting == AccountBounds.waiting)
        #expect(rig.log.all.count == 1)
    }

    @Test func whoWaitsForTheSameIsBoundedToo() throws {
        let rig = try AccountRig()
        for _ in 0..<AccountBounds.askers { rig.look("alice") }
        #expect(rig.look("alice").answers == [.unavailable])
        rig.answer(1, #"{"localId":"alice"}"#)
        rig.look("bob")
        #expect(rig.asker.count == 3)
    }

    @Test func whoWaitsTooLongIsToldSo() throws {
        let rig = try AccountRig()
        for number in 0..<4 { rig.look("running-\(number)") }
        let early = rig.look("early")
        rig.advance(3)
        let late = rig.look("late")
        rig.advance(2)
        #expect(early.answers == [.unavailable] && late.answers == [])
        rig.answer(1)
        #expect(try rig.uids(5) == ["late"])
    }

    @Test func whatIsRememberedIsBounded() throws {
        var machine = AccountMachine<Int>(remembered: 100)
        var now: UInt64 = 1_000_000_000_000
        _ = machine.start(now: now)
        _ = machine.tokenArrived(AccessToken(value: Secret("t"), lifetime: 86_400), now: now)
        for number in 0..<1000 {
            now += 1000
            for action in machine.look(Array("u\(number)".utf8), notBefore: now, 0, now: now) {
                guard case .lookUp(let call, let uids, _) = action else { continue }
                _ = machine.answered(call, .success([uids[0]: .missing]), now: now)
            }
        }
        #expect(machine.remembered == 100)
    }

    @Test func atShutdownEverybodyIsToldOnce() async throws {
        let rig = try AccountRig()
        let asked = (0..<6).map { rig.look("u\($0)") }
        await rig.toolkit.shutdown()
        #expect(rig.asker.isShutDown)
        #expect(asked.allSatisfy { $0.answers == [.unavailable] })
        rig.answer(1)
        #expect(asked.allSatisfy { $0.all.count == 1 })
        #expect(rig.look("later").answers == [.unavailable])
        #expect(rig.asker.count == 5)
    }

    @Test func manyThreadsGetEachTheirAnswerOnce() async throws {
        let rig = try AccountRig()
        rig.asker.always { _ in .success(HTTPReply(status: 200, body: Array(#"{"users":[{"localId":"u1"}]}"#.utf8))) }
        let (toolkit, time) = (rig.toolkit, rig.time)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        await withCheckedContinuation { continuation in
                            toolkit.look("u\(number % 29)", notBefore: time.monotonic) { _ in continuation.resume()
                            }
                        }
                    }
                }
            }
        }
        #expect(rig.toolkit.status().running == 0 && rig.toolkit.status().waiting == 0)
    }

    @Test func aServiceAccountOfAnotherProjectIsAWarning() throws {
        let rig = try AccountRig(token: false, ["project_id": "other"])
        #expect(rig.log.all.map(\.level) == [.warning])
        #expect(try AccountRig(token: false).log.all.isEmpty)
    }

    @Test func theStatusTellsWhatHappened() throws {
        let rig = try AccountRig()
        rig.look("alice")
        rig.answer(1, #"{"localId":"alice"}"#)
        rig.look("alice", notOlderThan: 5)
        let status = rig.toolkit.status()
        #expect(status.counters == AccountCounters(calls: 1, accounts: 1, failed: 0, tokens: 1, hits: 1))
        #expect(status.hasToken && status.running == 0 && status.waiting == 0 && status.remembered == 1)
        #expect(status.failing == nil && status.pausedFor == 0)
    }
}
