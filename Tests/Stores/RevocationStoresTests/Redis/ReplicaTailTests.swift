import GatewayCore
import Revocation
import Testing

@testable import RevocationStores

/// Following the stream: what is asked, what is applied, what is confirmed.
@Suite struct ReplicaTailTests {
    let information = ReplicaStreamInformation.at(10, added: 4)

    @Test func theStreamIsReadFromWhereItWasBeforeTheRecordsWere() {
        var script = ReplicaScript()
        script.handle(.connected)
        #expect(script.asked == [.identity, .information])
        script.answer(.identity(ReplicaScript.server), .information(information))
        #expect(
            script.asked == [
                .slice(cursor: 0), .information, .changes(after: .at(10), count: 1000, block: nil),
            ])
        #expect(script.rereads == 1)
        #expect(script.confirmed.isEmpty)
    }

    @Test func nothingIsConfirmedBeforeAllWasRead() throws {
        let ann = try #require(ReplicaKey.user("ann"))
        var script = ReplicaScript()
        script.handle(.connected)
        script.answer(.identity(ReplicaScript.server), .information(information))
        script.answer(.slice(ReplicaSlice(cursor: 7, keys: [ann])), .information(information), .changes([]))
        #expect(script.asked.prefix(2) == [.record(ann), .slice(cursor: 7)])
        script.answer(.record(.faulty), .slice(ReplicaSlice(cursor: 0)), .changes([]))
        #expect(script.sweeps == 1)
        #expect(script.confirmed.isEmpty)
        script.wait(.milliseconds(1))
        script.answer(.information(information))
        #expect(script.confirmed == [1_000_000_000])
        #expect(script.records.map(\.key) == [ann])
    }

    @Test func itWaitsForEntriesWhereThereIsNothingElseToDo() {
        let script = ReplicaScript.following(information)
        #expect(script.asked == [.changes(after: .at(10), count: 1000, block: 5000)])
        #expect(script.confirmed.count == 1)
    }

    @Test func aRecordIsReadAgainForItsEntryAndThenConfirmed() throws {
        let ann = try #require(ReplicaKey.user("ann"))
        var script = ReplicaScript.following(information)
        script.wait(.seconds(1))
        script.answer(.changes([.user("ann", at: 11)]))
        #expect(
            script.asked == [.record(ann), .information, .changes(after: .at(11), count: 1000, block: nil)])
        let sent = script.now
        script.wait(.milliseconds(1))
        script.answer(.record(RecordWord(UserRecord(validSince: 5))))
        #expect(script.records.last?.key == ann)
        #expect(script.confirmed.count == 1)
        script.answer(.information(.at(11, added: 5)))
        #expect(script.confirmed.last == sent)
    }

    /// What was told of between the entries and the `XINFO` is no gap, and is confirmed once it was applied.
    @Test func entriesThatComeMeanwhileAreWaitedFor() throws {
        let bob = try #require(ReplicaKey.user("bob"))
        var script = ReplicaScript.following(information)
        script.wait(.seconds(5))
        script.answer(.changes([]))
        let sent = script.now
        #expect(script.asked.first == .information)
        script.answer(.information(.at(11, added: 5)), .changes([.user("bob", at: 11)]))
        #expect(script.confirmed.count == 1)
        #expect(script.asked.first == .record(bob))
        script.wait(.milliseconds(1))
        script.answer(.record(.faulty))
        #expect(script.confirmed.last == sent)
        #expect(script.gaps == [])
    }

    /// Who wrote an entry is told that it shows only when its record was read.
    @Test func anEntryIsAppliedWhenItsRecordIs() {
        var script = ReplicaScript.following(information)
        #expect(script.machine.appliedThrough == .at(10))
        script.answer(.changes([.user("ann", at: 11)]))
        #expect(script.machine.appliedThrough == nil)
        script.answer(.record(RecordWord(UserRecord(validSince: 5))))
        #expect(script.machine.appliedThrough == .at(11))
    }

    @Test func oneRecordIsReadOnceForManyEntries() throws {
        let ann = try #require(ReplicaKey.user("ann"))
        var script = ReplicaScript.following(information)
        script.answer(.changes((11...20).map { .user("ann", at: $0) }))
        #expect(script.asked.filter { $0 == .record(ann) }.count == 1)
    }

    @Test func underLoadTheStreamIsComparedNowAndThen() {
        var script = ReplicaScript.following(information)
        script.wait(.seconds(1))
        var comparisons = 0
        for number in 0..<100 {
            script.answer(.changes([.user("ann", at: 11 + UInt64(number))]))
            script.wait(.milliseconds(10))
            script.answer(.record(.none))
            guard script.asked.first == .information else { continue }
            comparisons += 1
            script.answer(.information(.at(11 + UInt64(number), added: 5 + UInt64(number))))
        }
        #expect(4...5 ~= comparisons)
        #expect(script.confirmed.count == 1 + comparisons)
        #expect(script.gaps == [])
    }

    @Test func moreNamesThanFitAreReadBeforeMoreEntries() throws {
        var bounds = ReplicaBounds()
        bounds.hints = 2
        var script = ReplicaScript.following(information, bounds: bounds)
        script.wait(.seconds(1))
        script.answer(.changes((1...5).map { .user("user\($0)", at: 10 + $0) }))
        #expect(script.asked.count == 2)
        script.answer(.record(.none), .record(.none))
        #expect(script.asked.count == 2)
        script.answer(.record(.none), .record(.none))
        #expect(script.asked.count == 3)
        #expect(script.asked.dropFirst() == [.information, .changes(after: .at(15), count: 1000, block: nil)])
    }

    @Test func aConnectionThatIsLostLosesNoName() throws {
        let (ann, bob) = (try #require(ReplicaKey.user("ann")), try #require(ReplicaKey.user("bob")))
        var script = ReplicaScript.following(information)
        script.wait(.seconds(1))
        script.answer(.changes([.user("ann", at: 11), .user("bob", at: 12)]))
        script.answer(.record(.none))
        script.handle(.lost)
        #expect(script.confirmed.count == 1)
        script.handle(.connected)
        let sent = script.now
        script.answer(.identity(ReplicaScript.server), .information(.at(12, added: 6)))
        #expect(script.asked.first == .record(bob))
        #expect(!script.asked.contains(.record(ann)))
        #expect(script.confirmed.count == 1)
        script.answer(.record(.none))
        #expect(script.confirmed.last == sent)
        #expect(script.rereads == 1)
    }

    @Test func anAnswerOfARoundThatWasLostChangesNothing() {
        var script = ReplicaScript.following(information)
        script.handle(.lost)
        script.handle(.answered(.changes([.user("ann", at: 11)])))
        #expect(script.asked.isEmpty)
        #expect(script.machine.position?.id == .at(10))
    }
}
