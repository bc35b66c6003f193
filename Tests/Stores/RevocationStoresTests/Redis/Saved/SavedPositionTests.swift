import Revocation
import Testing

@testable import RevocationStores

/// A machine that continues from a position of a file.
@Suite struct SavedPositionTests {
    private static let server = ReplicaScript.server
    private static let other = ReplicaIdentity(names: [[2]], isMaster: true)

    /// A connected machine with a position after the fourth entry.
    private static func script(
        _ information: ReplicaStreamInformation, identity: ReplicaIdentity? = server, history: [ReplicaEntry] = []
    ) -> ReplicaScript {
        var script = ReplicaScript()
        script.machine.resume(
            SavedPosition(position: ReplicaPosition(id: .at(10), added: 4, shown: .at(10)), server: server),
            now: script.now)
        script.handle(.connected)
        script.reply(.identity(identity), .information(information))
        if case .changes(_, count: 1, block: nil)? = script.pending.first { script.reply(.changes(history)) }
        return script
    }

    @Test func `a continuous history needs no reading`() {
        let script = Self.script(.at(10, added: 4))
        #expect(script.rereads == 0)
        #expect(script.confirmed == [script.now])
        #expect(script.pending == [.changes(after: .at(10), count: 1000, block: 5000)])
    }

    @Test func `the changes since then are followed before anything is confirmed`() {
        var script = Self.script(.at(12, added: 6))
        #expect(script.confirmed.isEmpty)
        #expect(script.machine.savedPosition == nil)
        script.reply(.changes([.user("ann", at: 11), .user("bob", at: 12)]))
        #expect(script.pending.prefix(2) == [.record(.user("ann")), .record(.user("bob"))])
        script.reply(.record(.none))
        #expect(script.confirmed.isEmpty)
        script.reply(.record(.none))
        #expect(script.confirmed.count == 1)
        #expect(script.rereads == 0)
        #expect(script.machine.savedPosition?.position.id == .at(12))
        #expect(script.machine.savedPosition?.position.added == 6)
    }

    @Test func `a trimmed stream is read as at a start without a file`() {
        var script = Self.script(.at(20, added: 14))
        script.reply(.changes([ReplicaEntry(20, "uid", "ann", "valid_since", "1")]))
        #expect(script.gaps == [.countDiffers])
        #expect(script.removals == 1)
        #expect(script.regressions == 0)
    }

    @Test func `a history that went back keeps the records of the file`() {
        let script = Self.script(.at(8, added: 3))
        #expect(script.gaps == [.wentBack])
        #expect(script.removals == 0)
        #expect(script.regressions == 1)
    }

    @Test func `another server with this history keeps the records of the file`() {
        let script = Self.script(.at(10, added: 4), identity: Self.other, history: [.user("ann", at: 10)])
        #expect(script.gaps == [.otherServer])
        #expect(script.removals == 0)
    }

    @Test func `another server of which the history is unknown is read as without a file`() {
        let script = Self.script(
            ReplicaStreamInformation(last: .at(30), added: 14, first: .at(25), length: 2), identity: Self.other)
        #expect(script.gaps == [.otherServer])
        #expect(script.removals == 1)
    }

    @Test func `a confirmed view keeps its records after a gap`() {
        var script = Self.script(.at(10, added: 4))
        script.wait(.seconds(1))
        script.reply(.changes([.user("ann", at: 30)]))
        script.reply(.record(.none), .information(.at(30, added: 24)))
        #expect(script.gaps == [.countDiffers])
        #expect(script.removals == 0)
    }

    @Test func `nothing is saved for a server without identity`() {
        let script = ReplicaScript.following(.at(10, added: 4), identity: nil)
        #expect(script.machine.savedPosition == nil)
        #expect(ReplicaScript.following(.at(10, added: 4)).machine.savedPosition?.position.id == .at(10))
    }
}
