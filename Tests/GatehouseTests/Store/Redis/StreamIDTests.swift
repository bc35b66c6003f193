import Testing

@testable import Gatehouse

@Suite struct StreamIDTests {
    @Test(arguments: ["0-0", "1700000000000-0", "1700000000000-12", "18446744073709551615-18446744073709551615"])
    func isReadAsRedisSpellsIt(_ text: String) throws {
        #expect(try #require(StreamID(text.utf8)).description == text)
    }

    @Test(arguments: [
        "", "1", "1-", "-1", "1-2-3", "a-1", "1 -1", "+1-1", "18446744073709551616-0", "1-99999999999999999999",
    ])
    func nothingElseIsRead(_ text: String) {
        #expect(StreamID(text.utf8) == nil)
    }

    @Test func areInTheOrderOfTheirEntries() throws {
        let ids = try ["0-0", "0-1", "9-9", "10-1", "10-2", "100-0"].map { try #require(StreamID($0.utf8)) }
        #expect(ids.shuffled().sorted() == ids)
    }
}
