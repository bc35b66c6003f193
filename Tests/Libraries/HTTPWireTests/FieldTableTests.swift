import HTTPWire
import Testing

struct FieldTableTests {
    @Test func `fields of a kind are found and counted`() throws {
        let fields = try ParsedRequest(get("Cookie: a", "X: y", "COOKIE: b", "Accept: c")).fields
        #expect(fields.count == 5)
        #expect(fields.count(of: .cookie) == 2)
        #expect(fields.firstIndex(of: .cookie) == 1)
        #expect(fields.nextIndex(of: .cookie, after: 1) == 3)
        #expect(fields.nextIndex(of: .cookie, after: 3) == nil)
        #expect(fields.first(.accept)?.kind == .accept)
        #expect(!fields.contains(.expect))
        #expect(fields.count(of: .expect) == 0)
        #expect(fields.firstIndex(of: .expect) == nil)
        #expect(fields.first(.expect) == nil)
    }

    @Test func `a table has the fields of the last head only`() throws {
        let fields = FieldTable(capacity: 8)
        for text in [get("Cookie: a", "Cookie: b", "Expect: 100-continue"), get("Cookie: a")] {
            _ = try Array(text.utf8).withUnsafeBytes { try RequestParser.parse($0, fields: fields) }
        }
        #expect(fields.count == 2)
        #expect(fields.count(of: .cookie) == 1)
        #expect(!fields.contains(.expect))
        fields.removeAll()
        #expect(fields.count == 0)
        #expect(!fields.contains(.cookie))
    }

    @Test func `capacities are clamped`() {
        #expect(FieldTable(capacity: 0).capacity == 1)
        #expect(FieldTable(capacity: .max).capacity == 65_535)
    }
}
