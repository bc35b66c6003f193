import GatewayCore
import Revocation
import Testing

@testable import RevocationStores

/// Commands, applied entries and confirmations of a machine that follows the stream.
@Suite struct ReplicaTailTests {
    let information = ReplicaStreamInformation.at(10, added: 4)

    @Test func `the stream is read from its position before the records`() {
        var script = ReplicaScript()
        script.handle(.connected)
        #expect(script.pending == [.identity, .information])
        script.reply(.identity(ReplicaScript.server), .information(information))
        #expect(
            script.pending == [
                .slice(cursor: 0), .information, .changes(after: .at(10), count: 1000, block: nil),
            ])
        #expect(script.rereads == 1)
        #expect(script.confirmed.isEmpty)
    }

    @Test func `nothing is confirmed before all records are read`() throws {
        let ann = ReplicaKey.user("ann")
        var script = ReplicaScript.connected(information)
        script.reply(.slice(ReplicaSlice(cursor: 7, keys: [ann])), .information(information), .changes([]))
        #expect(script.pending.prefix(2) == [.record(ann), .slice(cursor: 7)])
        script.reply(.record(.faulty), .slice(ReplicaSlice(cursor: 0)), .changes([]))
        #expect(script.sweeps == 0)
        #expect(script.confirmed.isEmpty)
        script.wait(.milliseconds(1))
        script.reply(.information(information))
        #expect(script.sweeps == 1)
        #expect(script.confirmed == [1_000_000_000])
        #expect(script.records.map(\.key) == [ann])
    }

    @Test func `an idle machine waits for entries`() {
        let script = ReplicaScript.following(information)
        #expect(script.pending == [.changes(after: .at(10), count: 1000, block: 5000)])
        #expect(script.confirmed.count == 1)
    }

    @Test func `the table may lack a write until its record was read for its entry`() {
        let ann = ReplicaKey.user("ann")
        var script = ReplicaScript()
        #expect(!script.machine.mayLack(.at(1), of: ann))
        script = .connected(information)
        #expect(script.machine.mayLack(.at(1), of: ann))
        script = .following(information)
        #expect(!script.machine.mayLack(.at(10), of: ann))
        #expect(script.machine.mayLack(.at(11), of: ann))
        script.reply(.changes([.user("ann", at: 11)]))
        #expect(script.machine.mayLack(.at(11), of: ann))
        #expect(!script.machine.mayLack(.at(11), of: .user("bob")))
        script.reply(.record(.none))
        #expect(!script.machine.mayLack(.at(11), of: ann))
        // The next server may count its entries differently.
        script.handle(.lost)
        #expect(script.machine.mayLack(.at(11), of: ann))
    }

    @Test func `a record is read again for its entry and then confirmed`() throws {
        let ann = ReplicaKey.user("ann")
        var script = ReplicaScript.following(information)
        script.wait(.seconds(1))
        script.reply(.changes([.user("ann", at: 11)]))
        #expect(
            script.pending == [.record(ann), .information, .changes(after: .at(11), count: 1000, block: nil)])
        let sent = script.now
        script.wait(.milliseconds(1))
        script.reply(.record(RecordWord(UserRecord(validSince: 5))))
        #expect(script.records.last?.key == ann)
        #expect(script.confirmed.count == 1)
        script.reply(.information(.at(11, added: 5)))
        #expect(script.confirmed.last == sent)
    }

    /// Entries between the read and the `XINFO` are not a gap, and are confirmed after they are applied.
    @Test func `entries that arrive during a check are applied before the confirmation`() throws {
        let bob = ReplicaKey.user("bob")
        var script = ReplicaScript.following(information)
        script.wait(.seconds(5))
        script.reply(.changes([]))
        let sent = script.now
        #expect(script.pending.first == .information)
        script.reply(.information(.at(11, added: 5)), .changes([.user("bob", at: 11)]))
        #expect(script.confirmed.count == 1)
        #expect(script.pending.first == .record(bob))
        script.wait(.milliseconds(1))
        script.reply(.record(.faulty))
        #expect(script.confirmed.last == sent)
        #expect(script.gaps == [])
    }

    /// A writer waits until the record of its entry is read.
    @Test func `an entry is applied when its record is read`() {
        var script = ReplicaScript.following(information)
        #expect(script.machine.appliedThrough == .at(10))
        script.reply(.changes([.user("ann", at: 11)]))
        #expect(script.machine.appliedThrough == nil)
        script.reply(.record(RecordWord(UserRecord(validSince: 5))))
        #expect(script.machine.appliedThrough == .at(11))
    }

    @Test func `one record is read once for many entries`() throws {
        let ann = ReplicaKey.user("ann")
        var script = ReplicaScript.following(information)
        script.reply(.changes((11...20).map { .user("ann", at: $0) }))
        #expect(script.pending.filter { $0 == .record(ann) }.count == 1)
    }

    @Test func `under load the stream is compared periodically`() {
        var script = ReplicaScript.following(information)
        script.wait(.seconds(1))
        var comparisons = 0
        for number in 0..<100 {
            script.reply(.changes([.user("ann", at: 11 + UInt64(number))]))
            script.wait(.milliseconds(10))
            script.reply(.record(.none))
            guard script.pending.first == .information else { continue }
            comparisons += 1
            script.reply(.information(.at(11 + UInt64(number), added: 5 + UInt64(number))))
        }
        #expect(4...5 ~= comparisons)
        #expect(script.confirmed.count == 1 + comparisons)
        #expect(script.gaps == [])
    }

    @Test func `records above the bound are read before more entries`() throws {
        var bounds = ReplicaBounds()
        bounds.hints = 2
        var script = ReplicaScript.following(information, bounds: bounds)
        script.wait(.seconds(1))
        script.reply(.changes((1...5).map { .user("user\($0)", at: 10 + $0) }))
        #expect(script.pending.count == 2)
        script.reply(.record(.none), .record(.none))
        #expect(script.pending.count == 2)
        script.reply(.record(.none), .record(.none))
        #expect(script.pending.count == 3)
        #expect(script.pending.dropFirst() == [.information, .changes(after: .at(15), count: 1000, block: nil)])
    }

    @Test func `a lost connection loses no record to read`() throws {
        let (ann, bob) = (ReplicaKey.user("ann"), ReplicaKey.user("bob"))
        var script = ReplicaScript.following(information)
        script.wait(.seconds(1))
        script.reply(.changes([.user("ann", at: 11), .user("bob", at: 12)]))
        script.reply(.record(.none))
        script.handle(.lost)
        #expect(script.confirmed.count == 1)
        script.handle(.connected)
        let sent = script.now
        script.reply(.identity(ReplicaScript.server), .information(.at(12, added: 6)))
        #expect(script.pending.first == .record(bob))
        #expect(!script.pending.contains(.record(ann)))
        #expect(script.confirmed.count == 1)
        script.reply(.record(.none))
        #expect(script.confirmed.last == sent)
        #expect(script.rereads == 1)
    }

    @Test func `a response of a lost round changes nothing`() {
        var script = ReplicaScript.following(information)
        script.handle(.lost)
        script.handle(.replied(.changes([.user("ann", at: 11)])))
        #expect(script.pending.isEmpty)
        #expect(script.machine.position?.id == .at(10))
    }
}

/// The maximum duration of a read.
@Suite struct ReplicaTimingTests {
    @Test(arguments: [(60, 5000), (20, 5000), (4, 1000), (1, 250)])
    func `a smaller staleness means shorter reads`(_ staleness: Int, _ block: Int) {
        let timing = ReplicaTiming(maximumStaleness: .seconds(staleness))
        #expect(timing.block == .milliseconds(block))
        #expect(timing.check <= .milliseconds(250))
        let script = ReplicaScript.following(.at(10, added: 4), timing: timing)
        #expect(script.pending == [.changes(after: .at(10), count: 1000, block: UInt64(block))])
    }

    @Test(arguments: [(60, 1000), (4, 1000), (1, 250)])
    func `a read of a cluster is short, since it does not notice that the stream is moved`(
        _ staleness: Int, _ block: Int
    ) {
        let timing = ReplicaTiming(maximumStaleness: .seconds(staleness), isOfCluster: true)
        #expect(timing.block == .milliseconds(block))
    }

    /// The age of an idle view is at most the duration of a read and of the replies.
    @Test(arguments: [1, 4, 60])
    func `the age stays well below its bound`(_ staleness: Int) {
        let timing = ReplicaTiming(maximumStaleness: .seconds(staleness))
        let information = ReplicaStreamInformation.at(10, added: 4)
        var script = ReplicaScript.following(information, timing: timing)
        var oldest: UInt64 = 0
        for _ in 0..<20 {
            script.now += timing.block.nanoseconds
            oldest = max(oldest, script.now - (script.confirmed.last ?? 0))
            script.replyToRound(information)
            script.replyToRound(information)
        }
        #expect(oldest <= UInt64(staleness) * 300_000_000)
    }
}
