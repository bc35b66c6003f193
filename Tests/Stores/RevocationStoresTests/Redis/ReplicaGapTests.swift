import Revocation
import Testing

@testable import RevocationStores

/// What must be noticed, and what must not be taken for it.
@Suite struct ReplicaGapTests {
    let information = ReplicaStreamInformation.at(10, added: 4)

    /// A machine that is told `later` after it was idle for a while, and then gets `entries`.
    func told(_ later: ReplicaStreamInformation?, _ entries: [ReplicaEntry] = []) -> ReplicaScript {
        var script = ReplicaScript.following(information)
        script.wait(.seconds(5))
        script.answer(.changes([]))
        script.answer(.information(later))
        script.answer(.changes(entries))
        return script
    }

    /// Whether it begins anew from what it was told, and confirms nothing until that is done.
    func expectGap(_ script: ReplicaScript, _ gap: ReplicaGap, from id: ReplicaStreamID) {
        var script = script
        #expect(script.gaps == [gap])
        #expect(script.rereads == 2)
        #expect(script.asked.contains(.slice(cursor: 0)))
        #expect(script.asked.last == .changes(after: id, count: 1000, block: nil))
        #expect(script.confirmed.count == 1)
        let before = script.now
        script.wait(.seconds(1))
        let stream = ReplicaStreamInformation(last: id, added: script.machine.position?.added, first: nil)
        script.answerRound(stream)
        #expect(script.confirmed.count == 1)
        script.answerRound(stream)
        #expect(script.confirmed.count == 2)
        #expect(script.confirmed.last ?? 0 > before)
    }

    @Test func nothingHappenedIsNoGap() {
        let script = told(information)
        #expect(script.gaps == [])
        #expect(script.confirmed.count == 2)
    }

    @Test func aStreamThatIsGoneIsAGap() {
        expectGap(told(nil), .wentBack, from: .zero)
    }

    @Test func aSmallerLastIDIsAGap() {
        expectGap(told(.at(9, added: 4)), .wentBack, from: .at(9))
    }

    @Test(arguments: [3, 5, 0, 400])
    func anotherCountAtTheSameIDIsAGap(_ added: UInt64) {
        expectGap(told(.at(10, added: added)), .countDiffers, from: .at(10))
    }

    /// Trimmed before they were read, all of them.
    @Test func entriesThatWereToldOfAndDoNotComeAreAGap() {
        expectGap(told(.at(12, added: 6)), .missing, from: .at(12))
    }

    /// Trimmed before they were read, but for the last.
    @Test func fewerEntriesThanWereAddedAreAGap() {
        expectGap(told(.at(12, added: 6), [.user("ann", at: 12)]), .countDiffers, from: .at(12))
    }

    @Test func moreEntriesThanWereAddedAreAGap() {
        expectGap(
            told(.at(12, added: 5), [.user("ann", at: 11), .user("ann", at: 12)]), .countDiffers, from: .at(12))
    }

    /// The last one that was told of was deleted by itself.
    @Test func anEntryThatWasSkippedIsAGap() {
        expectGap(told(.at(12, added: 6), [.user("ann", at: 11), .user("ann", at: 13)]), .missing, from: .at(12))
    }

    @Test func asManyAsWereAddedAreNone() {
        let script = told(.at(12, added: 6), [.user("ann", at: 11), .user("bob", at: 12)])
        #expect(script.gaps == [])
    }

    /// What comes after the last id that was told of is no part of the comparison.
    @Test func laterEntriesAreNotCounted() {
        let script = told(.at(11, added: 5), [.user("ann", at: 11), .user("bob", at: 12), .user("bob", at: 13)])
        #expect(script.gaps == [])
        #expect(script.machine.position?.added == 7)
    }

    @Test func entriesAfterTheOldPositionNoLongerCountOnceThereIsAGap() {
        let script = told(.at(9, added: 2), [.user("ann", at: 11)])
        #expect(script.machine.position?.id == .at(9))
        #expect(script.machine.position?.added == 2)
    }

    @Test func theSameServerGoesOnAfterALostConnection() {
        var script = ReplicaScript.following(information)
        script.handle(.lost)
        script.handle(.connected)
        script.answer(.identity(ReplicaScript.server), .information(information))
        #expect(script.rereads == 1)
        #expect(script.confirmed.count == 2)
    }

    /// Another one may have a record without the entry that told of it.
    @Test(arguments: [ReplicaIdentity(names: [[2]], isMaster: true), nil])
    func anotherServerIsAGap(_ identity: ReplicaIdentity?) {
        var script = ReplicaScript.following(information)
        script.handle(.lost)
        script.handle(.connected)
        script.answer(.identity(identity), .information(information))
        #expect(script.gaps == [.otherServer])
        #expect(script.confirmed.count == 1)
    }

    @Test func aServerThatNeverTellsWhoItIsMayBeAnotherEachTime() {
        var script = ReplicaScript()
        script.handle(.connected)
        script.answer(.identity(nil), .information(information))
        script.answerRound(information)
        script.answerRound(information)
        script.handle(.lost)
        script.handle(.connected)
        script.answer(.identity(nil), .information(information))
        #expect(script.gaps == [.otherServer])
    }

    @Test func anotherServerIsStillAnotherAfterAnError() {
        var script = ReplicaScript.following(information)
        script.handle(.lost)
        script.handle(.connected)
        script.answer(.identity(ReplicaIdentity(names: [[2]], isMaster: true)), .refused(.model))
        script.wait(.seconds(1))
        script.handle(.tick)
        script.answer(.identity(ReplicaIdentity(names: [[2]], isMaster: true)), .information(information))
        #expect(script.gaps == [.otherServer])
    }

    @Test func aServerThatIsACopyIsNotFollowed() {
        var script = ReplicaScript()
        script.handle(.connected)
        script.answer(.identity(ReplicaIdentity(names: [[1]], isMaster: false)))
        #expect(script.asked.isEmpty)
        #expect(script.machine.deadline != nil)
        #expect(script.machine.counts.lastFault == .notMaster)
    }

    @Test func aGapBehindALostConnectionIsNoticed() {
        var script = ReplicaScript.following(information)
        script.handle(.lost)
        script.handle(.connected)
        script.answer(.identity(ReplicaScript.server), .information(.at(10, added: 9)))
        #expect(script.gaps == [.countDiffers])
    }

    // MARK: - Redis before 7, which does not count

    @Test func withoutCountsASmallerIDIsAGap() {
        var script = ReplicaScript.following(.at(10, added: nil))
        script.wait(.seconds(5))
        script.answer(.changes([]))
        script.answer(.information(.at(9, added: nil)))
        #expect(script.gaps == [.wentBack])
    }

    @Test func withoutCountsEntriesFollowWhereTheOldOnesAreStillThere() {
        var script = ReplicaScript.following(.at(10, added: nil))
        script.wait(.seconds(5))
        script.answer(.changes([.user("ann", at: 11)]))
        script.answer(.record(.none), .information(.at(11, added: nil)), .changes([]))
        #expect(script.gaps == [])
        #expect(script.confirmed.count == 2)
    }

    @Test func withoutCountsAStreamThatWasTrimmedPastThePositionIsAGap() {
        var script = ReplicaScript.following(.at(10, added: nil))
        script.wait(.seconds(5))
        script.answer(.changes([.user("ann", at: 12)]))
        script.answer(
            .record(.none), .information(ReplicaStreamInformation(last: .at(12), added: nil, first: .at(12))))
        #expect(script.gaps == [.missing])
        #expect(script.confirmed.count == 1)
    }

    @Test func aServerThatBeginsToCountIsNoGap() {
        var script = ReplicaScript.following(.at(10, added: nil))
        script.wait(.seconds(5))
        script.answer(.changes([]), .information(information), .changes([]))
        #expect(script.gaps == [])
        #expect(script.machine.position?.added == 4)
    }
}
