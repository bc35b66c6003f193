import Redis
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// One part of the list of accounts by `SCAN`.
struct RedisAccountScanTests {
    private func scan(_ cursor: String? = nil, limit: Int = 10) throws -> RedisAccountScan {
        var scan = try RedisAccountScan(cursor, limit: limit)
        let begins = scan.begin(in: "abc")
        #expect(begins)
        return scan
    }

    private func reply(_ next: String, _ users: [String] = []) -> RedisValue {
        let keys = users.map { RedisValue.string(Array("gatehouse:account:{\($0)}".utf8)) }
        return .array([.string(Array(next.utf8)), .array(keys)])
    }

    @Test func `a part ends with the last key`() throws {
        var scan = try scan()
        try scan.take(reply("0", ["ann", "ann", "{", "bob"]))
        #expect(scan.users == ["ann", "bob"] && scan.command == nil && scan.next == nil)
    }

    @Test func `a part ends with its limit, and the next one continues`() throws {
        var first = try scan(limit: 2)
        try first.take(reply("17", ["ann"]))
        #expect(first.command != nil)
        try first.take(reply("18446744073709551615", ["bob", "carl"]))
        #expect(first.users == ["ann", "bob", "carl"] && first.command == nil)
        #expect(first.next == "abc-18446744073709551615")
        var next = try scan(first.next)
        try next.take(reply("0", ["dora"]))
        #expect(next.users == ["dora"] && next.next == nil)
    }

    @Test func `a part without accounts ends after a bounded number of calls`() throws {
        var scan = try scan()
        var calls = 0
        while scan.command != nil {
            try scan.take(reply("5"))
            calls += 1
        }
        #expect(calls == RedisAccountScan.maximumCalls)
        #expect(scan.users.isEmpty && scan.next == "abc-5")
    }

    @Test func `the prefix of keys in a cluster is removed`() throws {
        var scan = try RedisAccountScan(nil, limit: 10, prefix: Array("{a}:".utf8))
        let keys = ["{a}:gatehouse:account:{ann}", "gatehouse:account:{bob}"]
        try scan.take(.array([.string([UInt8(ascii: "0")]), .array(keys.map { .string(Array($0.utf8)) })]))
        #expect(scan.users == ["ann"])
    }

    @Test func `a cursor belongs to one process`() throws {
        var scan = try RedisAccountScan("abc-5", limit: 1)
        let (other, same) = (scan.begin(in: "abd"), scan.begin(in: "abc"))
        #expect(!other && same)
    }

    @Test(arguments: [
        RedisValue.null, .array([]), .array([.null, .array([])]), .array([.string(Array("x".utf8)), .array([])]),
        .array([.string(Array("1".utf8)), .null]),
    ])
    func `an unexpected reply is an error`(reply: RedisValue) throws {
        var scan = try scan()
        #expect(throws: StoreError.self) { try scan.take(reply) }
    }
}
