import HTTPWire
import Testing

@Suite struct TrailerParserTests {
    private let fields = FieldTable(capacity: 4)

    private func parse(_ text: String) throws(HeadError) {
        try Array(text.utf8).withUnsafeBytes { raw in
            Result { () throws(HeadError) in try TrailerParser.parse(raw, fields: fields) }
        }.get()
    }

    @Test func trailersFillTheTable() throws {
        try parse("grpc-status: 0\r\nX-Auth-Uid: a\r\n\r\n")
        #expect(fields.count == 2)
        #expect(fields[1].value == ByteRange(start: 28, length: 1))
    }

    @Test func noTrailersLeaveItEmpty() throws {
        try parse("A: b\r\n\r\n")
        try parse("")
        #expect(fields.count == 0)
    }

    @Test(arguments: ["A: b\r\n", "A: b\r\n\r\nC: d\r\n\r\n", "A : b\r\n\r\n"])
    func otherSectionsAreRefused(text: String) {
        #expect(throws: HeadError.self) { try parse(text) }
    }

    @Test func fieldsAreBounded() {
        #expect(throws: HeadError.tooManyFields) { try parse("A:\r\nA:\r\nA:\r\nA:\r\nA:\r\n\r\n") }
    }

    @Test func whatFramesOrRoutesIsNoTrailer() {
        #expect(!FieldKind.contentLength.mayBeTrailer)
        #expect(!FieldKind.authorization.mayBeTrailer)
        #expect(!FieldKind.transferEncoding.mayBeTrailer)
        #expect(FieldKind.other.mayBeTrailer)
    }
}
