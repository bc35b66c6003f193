import HTTPWire
import Testing

@Suite struct FieldLineTests {
    @Test func namesAndValuesAreFoundWithoutTheWhitespaceAroundValues() throws {
        let request = try ParsedRequest(
            get("A:b", "C-d: \t e  f \t ", "Empty:", "Blank: \t", "!#$%&'*+-.^_`|~09azAZ: x"))
        let pairs = (0..<request.fields.count).map { index in
            let field = request.fields[index]
            return request.text(field.name) + "=" + request.text(field.value)
        }
        #expect(pairs == ["Host=a.example", "A=b", "C-d=e  f", "Empty=", "Blank=", "!#$%&'*+-.^_`|~09azAZ=x"])
    }

    @Test func theLinesOfAHeadFollowEachOther() throws {
        let request = try ParsedRequest(get("A:b", "C:  d ", "E:"))
        var next = "GET / HTTP/1.1\r\n".utf8.count
        for index in 0..<request.fields.count {
            let line = request.fields[index].line
            #expect(line.lowerBound == next)
            #expect(request.text(line).hasSuffix("\r\n"))
            next = line.upperBound
        }
        #expect(next == request.head.length - 2)
    }

    struct Refused: Sendable {
        var line: String
        var reason: StaticString

        init(_ line: String, _ reason: StaticString) {
            self.line = line
            self.reason = reason
        }
    }

    @Test(
        "K-01: a field line of another shape is malformed",
        arguments: [
            Refused(": x", "empty field name"),
            Refused(" X: y", "folded field line"),
            Refused("\tX: y", "folded field line"),
            Refused("A: b\r\n c", "folded field line"),
            Refused("A: b\r\n\tc", "folded field line"),
            Refused("X : y", "whitespace in or after a field name"),
            Refused("X\t: y", "whitespace in or after a field name"),
            Refused("X Y: z", "whitespace in or after a field name"),
            Refused("Content-Length : 5", "whitespace in or after a field name"),
            Refused("X", "field line without a colon"),
            Refused("X\nY: z", "field line without a colon"),
            Refused("X(: y", "invalid byte in a field name"),
            Refused("X\u{0}: y", "invalid byte in a field name"),
            Refused("X\u{7F}: y", "invalid byte in a field name"),
            Refused("\u{e9}: y", "invalid byte in a field name"),
            Refused("\u{b}X: y", "invalid byte in a field name"),
            Refused("X: y\nZ: a", "bare LF"),
            Refused("X: y\rZ: a", "bare CR"),
            Refused("X: y\r\rZ: a", "bare CR"),
            Refused("X: y\r", "bare CR"),
            Refused("X: a\u{0}b", "control byte in a field value"),
            Refused("X: a\u{1B}b", "control byte in a field value"),
            Refused("X: a\u{7F}b", "control byte in a field value"),
        ])
    func otherShapesAreMalformed(refused: Refused) {
        #expect(refusal(get(refused.line)) == .malformed(reason: refused.reason))
    }

    @Test func everyByteOfAValueIsCheckedWhereverItStands() {
        for byte in UInt8.min...UInt8.max {
            for padding in [0, 1, 7, 8, 9, 31, 32, 33, 40, 70] {
                let value = [UInt8](repeating: 0x61, count: padding) + [byte] + [UInt8](repeating: 0x62, count: 40)
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + value + Array("\r\n\r\n".utf8)
                let allowed = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
                #expect((refusal(bytes) == nil) == allowed, "byte \(byte) at \(padding)")
            }
        }
    }

    @Test func everyByteOfANameIsCheckedWhereverItStands() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            for padding in [1, 7, 8, 20] {
                let name = [UInt8](repeating: 0x61, count: padding) + [byte] + Array("bcd".utf8)
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + name + Array(": x\r\n\r\n".utf8)
                // A colon ends the name earlier, which is well formed.
                #expect(
                    (refusal(bytes) == nil) == (tokens.contains(byte) || byte == 0x3A), "byte \(byte) at \(padding)")
            }
        }
    }

    @Test func asManyFieldsAsTheLimitPassAndOneMoreDoesNot() {
        let text = get("A: b", "C: d")
        #expect(refusal(text, limits: HeadLimits(fields: 3)) == nil)
        #expect(refusal(text, limits: HeadLimits(fields: 2)) == .tooManyFields)
    }

    @Test func aTableBoundsTheFieldsToo() {
        #expect(throws: HeadError.tooManyFields) { try ParsedRequest(get("A: b", "C: d"), capacity: 2) }
    }

    @Test func authorizationFieldsAreCounted() throws {
        let one = try ParsedRequest(get("A: b", "AUTHORIZATION: Bearer x"))
        #expect(one.head.authorizationCount == 1)
        #expect(one.head.authorizationIndex == 2)
        let two = try ParsedRequest(get("Authorization: Bearer x", "authorization: Bearer y"))
        #expect(two.head.authorizationCount == 2)
        #expect(two.head.authorizationIndex == 1)
        let none = try ParsedRequest(get())
        #expect(none.head.authorizationCount == 0)
        #expect(none.head.authorizationIndex == nil)
    }
}
