import Revocation
import Testing

@testable import RevocationStores

/// Gaps in the stream, and states that are not gaps.
@Suite struct ReplicaGapTests {
    let information = ReplicaStreamInformation.at(10, added: 4)

    /// A machine that was idle, and then receives another state of the stream and entries.
    func script(
        after later: ReplicaStreamInformation?, _ entries: [ReplicaEntry] = [], added: UInt64? = 4
    ) -> ReplicaScript {
        var script = ReplicaScript.following(.at(10, added: added))
        script.wait(.seconds(5))
        script.reply(.changes([]))
        script.reply(.information(later))
        script.reply(.changes(entries))
        return script
    }

    /// The comments name the entries that were deleted before they were read.
    @Test(
        arguments: [
            (nil, [], ReplicaGap.wentBack, .zero), (.at(9, added: 4), [], .wentBack, .at(9)),
            (.at(10, added: 3), [], .countDiffers, .at(10)), (.at(10, added: 5), [], .countDiffers, .at(10)),
            (.at(10, added: 0), [], .countDiffers, .at(10)), (.at(10, added: 400), [], .countDiffers, .at(10)),
            // All entries.
            (.at(12, added: 6), [], .missing, .at(12)),
            // All entries except the last one.
            (.at(12, added: 6), [.user("ann", at: 12)], .countDiffers, .at(12)),
            (.at(12, added: 5), [.user("ann", at: 11), .user("ann", at: 12)], .countDiffers, .at(12)),
            // The last entry of the reported state.
            (.at(12, added: 6), [.user("ann", at: 11), .user("ann", at: 13)], .missing, .at(12)),
        ] as [(ReplicaStreamInformation?, [ReplicaEntry], ReplicaGap, ReplicaStreamID)])
    func `after a gap everything is read again, and nothing is confirmed before that`(
        later: ReplicaStreamInformation?, entries: [ReplicaEntry], gap: ReplicaGap, id: ReplicaStreamID
    ) {
        var script = script(after: later, entries)
        #expect(script.gaps == [gap])
        #expect(script.rereads == 2)
        #expect(script.pending.contains(.slice(cursor: 0)))
        #expect(script.pending.last == .changes(after: id, count: 1000, block: nil))
        #expect(script.confirmed.count == 1)
        let before = script.now
        script.wait(.seconds(1))
        let stream = ReplicaStreamInformation(last: id, added: script.machine.position?.added, first: nil)
        script.replyToRound(stream)
        #expect(script.confirmed.count == 1)
        script.replyToRound(stream)
        #expect(script.confirmed.count == 2)
        #expect(script.confirmed.last ?? 0 > before)
    }

    /// Entries after the last id of the reported state are not compared with its count.
    @Test(
        arguments: [
            (.at(10, added: 4), []), (.at(12, added: 6), [.user("ann", at: 11), .user("bob", at: 12)]),
            (.at(11, added: 5), [.user("ann", at: 11), .user("bob", at: 12), .user("bob", at: 13)]),
        ] as [(ReplicaStreamInformation, [ReplicaEntry])])
    func `as many entries as were added are no gap`(later: ReplicaStreamInformation, entries: [ReplicaEntry]) {
        let script = script(after: later, entries)
        #expect(script.gaps == [])
        #expect(script.machine.position?.added == 4 + UInt64(entries.count))
        #expect(script.confirmed.count == (entries.isEmpty ? 2 : 1))
    }

    @Test func `after a gap entries do not move the position`() {
        let script = script(after: .at(9, added: 2), [.user("ann", at: 11)])
        #expect(script.machine.position?.id == .at(9))
        #expect(script.machine.position?.added == 2)
    }

    @Test func `the same server continues after a lost connection`() {
        var script = ReplicaScript.following(information)
        script.reconnect(.information(information))
        #expect(script.rereads == 1)
        #expect(script.confirmed.count == 2)
    }

    /// Another server may have a record without its entry.
    @Test(arguments: [ReplicaIdentity(names: [[2]], isMaster: true), nil])
    func `another server is a gap`(_ identity: ReplicaIdentity?) {
        var script = ReplicaScript.following(information)
        script.reconnect(to: identity, .information(information))
        #expect(script.gaps == [.otherServer])
        #expect(script.confirmed.count == 1)
    }

    @Test func `a server without an identity is another one after each connection`() {
        var script = ReplicaScript.following(information, identity: nil)
        script.reconnect(to: nil, .information(information))
        #expect(script.gaps == [.otherServer])
    }

    @Test func `another server is still a gap after an error`() {
        var script = ReplicaScript.following(information)
        script.reconnect(to: ReplicaIdentity(names: [[2]], isMaster: true), .refused(.model))
        script.wait(.seconds(1))
        script.handle(.tick)
        script.reply(
            .identity(ReplicaIdentity(names: [[2]], isMaster: true)), .information(information), .changes([]))
        #expect(script.gaps == [.otherServer])
    }

    /// The entries after the position name the records that were withdrawn meanwhile.
    @Test func `another server with the same history is followed from the position`() {
        var script = ReplicaScript.following(information)
        let entries = [ReplicaEntry.user("ann", at: 10), ReplicaEntry(12, "uid", "ann", "disabled", "0")]
        script.reconnect(
            to: ReplicaIdentity(names: [[2]], isMaster: true), .information(.at(12, added: 5)), history: [entries[0]])
        #expect(script.gaps == [.otherServer])
        #expect(script.regressions == 0)
        #expect(script.pending.last == .changes(after: .at(10), count: 1000, block: nil))
        script.reply(.slice(ReplicaSlice(cursor: 0)), .information(.at(12, added: 5)), .changes([entries[1]]))
        #expect(script.confirmed.count == 1)
        #expect(script.pending.first == .record(.user("ann")))
        script.reply(.record(.none))
        #expect(script.changes == [.flag])
    }

    @Test(arguments: [
        // The entry was never there: earlier entries remain, or no entry was ever removed.
        (ReplicaStreamInformation.at(12, added: 6), true),
        (ReplicaStreamInformation(last: .at(12), added: 5, first: .at(12), length: 5), true),
        // The entry may have been trimmed.
        (ReplicaStreamInformation(last: .at(12), added: 6, first: .at(12), length: 1), false),
    ])
    func `another server without the last entry lost it unless that entry may have been trimmed`(
        _ information: ReplicaStreamInformation, _ isLost: Bool
    ) {
        var script = ReplicaScript.following(self.information)
        script.reconnect(
            to: ReplicaIdentity(names: [[2]], isMaster: true), .information(information),
            history: [.user("ann", at: 12)])
        #expect(script.regressions == (isLost ? 1 : 0))
        #expect(script.pending.last == .changes(after: .at(12), count: 1000, block: nil))
    }

    /// The withdrawal may be lost together with a later restriction that was read.
    @Test(arguments: [(ReplicaStreamInformation.at(12, added: 6), RecordParts()), (.at(10, added: 4), .time)])
    func `an entry of a history that was lost does not weaken a record`(
        _ information: ReplicaStreamInformation, _ parts: RecordParts
    ) {
        var script = ReplicaScript.following(self.information)
        script.reply(.changes([ReplicaEntry(11, "uid", "ann", "valid_since", "")]))
        script.reconnect(
            to: ReplicaIdentity(names: [[2]], isMaster: true), .information(information),
            history: information.last == .at(10) ? [.user("ann", at: 11)] : [])
        #expect(script.pending.first == .record(.user("ann")))
        script.reply(.record(.none))
        #expect(script.changes == [parts])
    }

    @Test func `a replica of another server is not followed`() {
        var script = ReplicaScript()
        script.handle(.connected)
        script.reply(.identity(ReplicaIdentity(names: [[1]], isMaster: false)))
        #expect(script.pending.isEmpty)
        #expect(script.machine.deadline != nil)
        #expect(script.machine.counts.lastFault == .notMaster)
    }

    @Test func `a gap during a lost connection is detected`() {
        var script = ReplicaScript.following(information)
        script.reconnect(.information(.at(10, added: 9)))
        #expect(script.gaps == [.countDiffers])
    }

    // MARK: - Redis before 7, which does not count

    @Test func `without counts a smaller id is a gap`() {
        #expect(script(after: .at(9, added: nil), added: nil).gaps == [.wentBack])
    }

    @Test func `without counts there is no gap while the old entries are in the stream`() {
        var script = ReplicaScript.following(.at(10, added: nil))
        script.wait(.seconds(5))
        script.reply(.changes([.user("ann", at: 11)]))
        script.reply(.record(.none), .information(.at(11, added: nil)), .changes([]))
        #expect(script.gaps == [])
        #expect(script.confirmed.count == 2)
    }

    @Test func `without counts a stream trimmed past the position is a gap`() {
        var script = ReplicaScript.following(.at(10, added: nil))
        script.wait(.seconds(5))
        script.reply(.changes([.user("ann", at: 12)]))
        script.reply(
            .record(.none), .information(ReplicaStreamInformation(last: .at(12), added: nil, first: .at(12))))
        #expect(script.gaps == [.missing])
        #expect(script.confirmed.count == 1)
    }

    @Test func `a server that begins to count is not a gap`() {
        let script = script(after: information, added: nil)
        #expect(script.gaps == [])
        #expect(script.machine.position?.added == 4)
    }
}
