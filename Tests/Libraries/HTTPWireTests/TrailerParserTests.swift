import HTTPWire
import Testing

struct TrailerParserTests {
    private let fields = FieldTable(capacity: 4)

    private func parse(_ text: String) throws(HeadError) {
        try Array(text.utf8).withUnsafeBytes { raw in
            Result { () throws(HeadError) in try TrailerParser.parse(raw, fields: fields) }
        }.get()
    }

    @Test func `trailers are added to the table`() throws {
        try parse("grpc-status: 0\r\nX-Auth-Uid: a\r\n\r\n")
        #expect(fields.count == 2)
        #expect(fields[1].value == ByteRange(start: 28, length: 1))
    }

    @Test func `an empty section clears the table`() throws {
        try parse("A: b\r\n\r\n")
        try parse("")
        #expect(fields.count == 0)
    }

    @Test(arguments: ["A: b\r\n", "A: b\r\n\r\nC: d\r\n\r\n", "A : b\r\n\r\n"])
    func `invalid sections are rejected`(text: String) {
        #expect(throws: HeadError.self) { try parse(text) }
    }

    @Test func `the number of fields is limited`() {
        #expect(throws: HeadError.tooManyFields) { try parse("A:\r\nA:\r\nA:\r\nA:\r\nA:\r\n\r\n") }
    }

    @Test func `framing and routing fields cannot be trailers`() {
        #expect(!FieldKind.contentLength.mayBeTrailer)
        #expect(!FieldKind.authorization.mayBeTrailer)
        #expect(!FieldKind.transferEncoding.mayBeTrailer)
        #expect(FieldKind.other.mayBeTrailer)
    }
}
