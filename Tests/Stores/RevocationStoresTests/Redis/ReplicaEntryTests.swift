import Revocation
import Testing

@testable import RevocationStores

/// What entries of the stream ask for.
@Suite struct ReplicaEntryTests {
    private func keys(_ fields: [String]) -> [String] {
        ReplicaEntry(id: .at(1), fields: fields.map { Array($0.utf8) }).hints.keys.map(\.description)
    }

    private func isUnderstood(_ fields: [String]) -> Bool {
        ReplicaEntry(id: .at(1), fields: fields.map { Array($0.utf8) }).hints.isUnderstood
    }

    @Test(arguments: [
        (["uid", "ann", "valid_since", "5"], ["gatehouse:user:{ann}"]),
        (["disabled", "1", "uid", "a:b"], ["gatehouse:user:{a%3Ab}"]),
        (["uid", "ann", "session", "apple.com:5"], ["gatehouse:session:{ann}:apple.com%3A5"]),
        (["uid", "ann", "session", "s", "disabled", "1"], ["gatehouse:session:{ann}:s", "gatehouse:user:{ann}"]),
        (["link", "apple.com:1", "uid", "ann"], []),
        (["link", "apple.com:1", "uid", ""], []),
        (["uid", "ann", "tenant", "acme-x1", "valid_since", "5"], ["gatehouse:user:{acme-x1:ann}"]),
        (["tenant", "acme-x1", "uid", "ann", "session", "5"], ["gatehouse:session:{acme-x1:ann}:5"]),
        (["uid", "ann", "valid_since", "none", "by", "admin"], ["gatehouse:user:{ann}"]),
    ])
    func anEntryOfTheContractNamesItsRecords(_ fields: [String], _ expected: [String]) {
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
        (["valid_since", "5"], []),
        (["link", "apple.com:1"], []),
        ([], []),
    ])
    func anotherOneIsNotUnderstoodAndAsksForWhomItNames(_ fields: [String], _ expected: [String]) {
        #expect(keys(fields) == expected)
        #expect(!isUnderstood(fields))
    }

    @Test func anEntryOfALinkNamesTheLink() {
        var script = ReplicaScript.following(.at(10, added: 4))
        script.answer(
            .changes([
                ReplicaEntry(11, "link", "apple.com:1", "uid", "ann"), ReplicaEntry(12, "link", "a:{b}:c", "uid", ""),
                ReplicaEntry(13, "uid", "ann", "disabled", "1"), ReplicaEntry(14, "link", "x:1"),
            ]))
        #expect(script.links == ["apple.com:1", "a:{b}:c", "x:1"])
        #expect(script.machine.counts.strangeEntries == 1)
    }

    @Test func aUIDThatIsNoTextNamesNobody() {
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
    func onlyAnEntryThatTakesSomethingBackLetsItBecomeWeaker(_ fields: [String], _ parts: RecordParts) {
        let hints = ReplicaEntry(id: .at(1), fields: fields.map { Array($0.utf8) }).hints
        #expect(hints.parts == parts)
        #expect(hints.keys.count == 1)
    }

    @Test func onlySoManyFieldsAreLookedAt() {
        let fields = (0..<1000).flatMap { ["uid", "user\($0)"] }
        #expect(keys(fields).count == ReplicaEntry.maximumPairs)
        #expect(!isUnderstood(fields))
    }

    @Test func entriesThatAreNotUnderstoodAreCountedAndToldWithinABound() {
        var bounds = ReplicaBounds()
        bounds.logged = 2
        var script = ReplicaScript.following(.at(10, added: 4), bounds: bounds)
        script.answer(.changes((11...20).map { ReplicaEntry($0, "nonsense", "x") }))
        #expect(script.machine.counts.strangeEntries == 10)
        #expect(script.machine.counts.entries == 10)
        #expect(script.events.filter { if case .strangeEntry = $0 { true } else { false } }.count == 2)
    }

    @Test(arguments: ["5", "5-", "-5", "5-6-7", " 5-6", "5-6 ", "05-1", "5-01", "18446744073709551616-0", "a-b", ""])
    func whatIsNoIDIsNone(_ text: String) {
        #expect(ReplicaStreamID(parsing: Array(text.utf8)) == nil)
    }

    @Test func idsAreInOrder() throws {
        let ids = try ["0-0", "0-1", "1-0", "9-10", "10-9", "18446744073709551615-18446744073709551615"].map {
            try #require(ReplicaStreamID(parsing: Array($0.utf8)))
        }
        #expect(ids == ids.sorted())
        #expect(ids.first == .zero)
        #expect(ids.last?.description == "18446744073709551615-18446744073709551615")
    }
}
