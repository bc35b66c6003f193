import Revocation
import Testing

@testable import RevocationStores

/// The records that an entry of the stream names.
@Suite struct ReplicaEntryTests {
    private func hints(_ fields: [String]) -> ReplicaEntry.Hints {
        ReplicaEntry(id: .at(1), fields: fields.map { Array($0.utf8) }).hints
    }

    private func keys(_ fields: [String]) -> [String] { hints(fields).keys.map(\.description) }
    private func isUnderstood(_ fields: [String]) -> Bool { hints(fields).isUnderstood }

    @Test(arguments: [
        (["uid", "ann", "valid_since", "5"], ["gatehouse:user:{ann}"]),
        (["disabled", "1", "uid", "a:b"], ["gatehouse:user:{a%3Ab}"]),
        (["uid", "ann", "session", "apple.com:5"], ["gatehouse:session:{ann}:apple.com%3A5"]),
        (["uid", "ann", "session", "s", "disabled", "1"], ["gatehouse:session:{ann}:s", "gatehouse:user:{ann}"]),
        (["link", "apple.com:1", "uid", "ann"], []),
        (["link", "apple.com:1", "uid", ""], []),
        (["uid", "ann", "tenant", "acme-x1", "valid_since", "5"], ["gatehouse:user:{acme-x1:ann}"]),
        (["tenant", "acme-x1", "uid", "ann", "session", "5"], ["gatehouse:session:{acme-x1:ann}:5"]),
        (["uid", "ann", "project", "my-app", "disabled", "1"], ["gatehouse:user:{my-app::ann}"]),
        (["uid", "ann", "tenant", "t", "project", "p", "session", "5"], ["gatehouse:session:{p:t:ann}:5"]),
        (["uid", "ann", "valid_since", "none", "by", "admin"], ["gatehouse:user:{ann}"]),
    ])
    func `an entry of the contract names its records`(_ fields: [String], _ expected: [String]) {
        #expect(keys(fields) == expected)
        #expect(isUnderstood(fields))
    }

    @Test(arguments: [
        (["uid", "ann", "colour", "red"], ["gatehouse:user:{ann}"]),
        (["uid", "ann", "valid_since"], ["gatehouse:user:{ann}"]),
        (["uid", "ann"], ["gatehouse:user:{ann}"]),
        (["uid", "ann", "uid", "bob", "disabled", "1"], ["gatehouse:user:{ann}", "gatehouse:user:{bob}"]),
        (["uid", "ann", "session", ""], ["gatehouse:user:{ann}"]),
        (["uid", "", "valid_since", "5"], []),
        (["uid", "a\u{0}", "valid_since", "5"], []),
        (["uid", "ann", "tenant", "a:b", "valid_since", "5"], []),
        (["uid", "ann", "tenant", "", "valid_since", "5"], []),
        (["uid", "ann", "project", "apple.com", "valid_since", "5"], []),
        (["uid", "ann", "project", "", "valid_since", "5"], []),
        (["valid_since", "5"], []),
        (["link", "apple.com:1"], []),
        ([], []),
    ])
    func `an unrecognized entry still names its records`(_ fields: [String], _ expected: [String]) {
        #expect(keys(fields) == expected)
        #expect(!isUnderstood(fields))
    }

    @Test func `an entry of a link names the link`() {
        var script = ReplicaScript.following(.at(10, added: 4))
        script.reply(
            .changes([
                ReplicaEntry(11, "link", "apple.com:1", "uid", "ann"), ReplicaEntry(12, "link", "a:{b}:c", "uid", ""),
                ReplicaEntry(13, "uid", "ann", "disabled", "1"), ReplicaEntry(14, "link", "x:1"),
            ]))
        #expect(script.links == ["apple.com:1", "a:{b}:c", "x:1"])
        #expect(script.machine.counts.strangeEntries == 1)
    }

    @Test func `a uid that is not text names no record`() {
        let entry = ReplicaEntry(
            id: .at(1), fields: [Array("uid".utf8), [0xFF], Array("disabled".utf8), Array("1".utf8)])
        #expect(entry.hints == ReplicaEntry.Hints())
    }

    @Test(arguments: [
        (["uid", "ann", "valid_since", "5"], RecordParts()), (["uid", "ann", "valid_since", ""], .time),
        (["uid", "ann", "valid_since", "none"], .time), (["uid", "ann", "valid_since", "0"], .time),
        (["uid", "ann", "disabled", "1"], RecordParts()), (["uid", "ann", "disabled", "0"], .flag),
        (["uid", "ann", "disabled", ""], .flag), (["uid", "ann", "valid_since", "", "disabled", "0"], .all),
        (["uid", "ann", "valid_since", "5", "disabled", "0"], .flag),
    ])
    func `only an entry that removes a part lets the record become weaker`(_ fields: [String], _ parts: RecordParts) {
        #expect(hints(fields).parts == parts)
        #expect(keys(fields).count == 1)
    }

    @Test func `the fields of an entry are bounded`() {
        let fields = (0..<1000).flatMap { ["uid", "user\($0)"] }
        #expect(keys(fields).count == ReplicaEntry.maximumPairs)
        #expect(!isUnderstood(fields))
    }

    @Test func `unrecognized entries are counted and logged within a bound`() {
        var bounds = ReplicaBounds()
        bounds.logged = 2
        var script = ReplicaScript.following(.at(10, added: 4), bounds: bounds)
        script.reply(.changes((11...20).map { ReplicaEntry($0, "nonsense", "x") }))
        #expect(script.machine.counts.strangeEntries == 10)
        #expect(script.machine.counts.entries == 10)
        #expect(script.events.filter { if case .strangeEntry = $0 { true } else { false } }.count == 2)
    }

    @Test(arguments: ["5", "5-", "-5", "5-6-7", " 5-6", "5-6 ", "05-1", "5-01", "18446744073709551616-0", "a-b", ""])
    func `malformed ids are rejected`(_ text: String) {
        #expect(ReplicaStreamID(parsing: Array(text.utf8)) == nil)
    }

    @Test func `ids are in order`() throws {
        let ids = try ["0-0", "0-1", "1-0", "9-10", "10-9", "18446744073709551615-18446744073709551615"].map {
            try #require(ReplicaStreamID(parsing: Array($0.utf8)))
        }
        #expect(ids == ids.sorted())
        #expect(ids.first == .zero)
        #expect(ids.last?.description == "18446744073709551615-18446744073709551615")
    }
}
