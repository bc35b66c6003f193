import HTTPWire
import Testing

struct FieldLineTests {
    @Test func `values have no whitespace around them`() throws {
        let request = try ParsedRequest(
            get("A:b", "C-d: \t e  f \t ", "Empty:", "Blank: \t", "!#$%&'*+-.^_`|~09azAZ: x"))
        let pairs = (0..<request.fields.count).map { index in
            let field = request.fields[index]
            return request.text(field.name) + "=" + request.text(field.value)
        }
        #expect(pairs == ["Host=a.example", "A=b", "C-d=e  f", "Empty=", "Blank=", "!#$%&'*+-.^_`|~09azAZ=x"])
    }

    @Test func `the lines of a head are adjacent`() throws {
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

    @Test(
        arguments: [
            ("empty field name", [": x"]),
            ("folded field line", [" X: y", "\tX: y", "A: b\r\n c", "A: b\r\n\tc"]),
            ("whitespace in or after a field name", ["X : y", "X\t: y", "X Y: z", "Content-Length : 5"]),
            ("field line without a colon", ["X", "X\nY: z"]),
            ("invalid byte in a field name", ["X(: y", "X\u{0}: y", "X\u{7F}: y", "\u{e9}: y", "\u{b}X: y"]),
            ("bare LF", ["X: y\nZ: a"]), ("bare CR", ["X: y\rZ: a", "X: y\r\rZ: a", "X: y\r"]),
            ("control byte in a field value", ["X: a\u{0}b", "X: a\u{1B}b", "X: a\u{7F}b"]),
        ] as [(StaticString, [String])])
    func `K-01: an invalid field line is malformed`(reason: StaticString, lines: [String]) {
        for line in lines { #expect(refusal(get(line)) == .malformed(reason: reason), "\(line)") }
    }

    @Test func `every byte of a value is checked in every position`() {
        for byte in UInt8.min...UInt8.max {
            for padding in [0, 1, 7, 8, 9, 31, 32, 33, 40, 70] {
                let value = [UInt8](repeating: 0x61, count: padding) + [byte] + [UInt8](repeating: 0x62, count: 40)
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + value + Array("\r\n\r\n".utf8)
                let allowed = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
                #expect((refusal(bytes) == nil) == allowed, "byte \(byte) at \(padding)")
            }
        }
    }

    @Test func `every byte of a name is checked in every position`() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            for padding in [1, 7, 8, 20] {
                let name = [UInt8](repeating: 0x61, count: padding) + [byte] + Array("bcd".utf8)
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + name + Array(": x\r\n\r\n".utf8)
                // A colon ends the name earlier, and the line is well formed.
                #expect(
                    (refusal(bytes) == nil) == (tokens.contains(byte) || byte == 0x3A), "byte \(byte) at \(padding)")
            }
        }
    }

    @Test func `the limit of fields is exact`() {
        let text = get("A: b", "C: d")
        #expect(refusal(text, limits: HeadLimits(fields: 3)) == nil)
        #expect(refusal(text, limits: HeadLimits(fields: 2)) == .tooManyFields)
    }

    @Test func `the capacity of the table also limits the fields`() {
        #expect(throws: HeadError.tooManyFields) { try ParsedRequest(get("A: b", "C: d"), capacity: 2) }
    }

    @Test func `Authorization fields are counted`() throws {
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
