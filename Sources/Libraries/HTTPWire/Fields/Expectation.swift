/// The `Expect` fields of a request (RFC 9110 section 10.1.1).
enum Expectation {
    /// Whether the client waits for `100 Continue`. Of HTTP/1.0 that is ignored; there is no other expectation.
    @inline(__always)
    static func wantsContinue(
        _ input: HeadInput, _ fields: FieldTable, minorVersion: UInt8
    ) throws(HeadError) -> Bool {
        guard fields.contains(.expect) else { return false }
        try check(input, fields)
        return minorVersion == 1
    }

    private static func check(_ input: HeadInput, _ fields: FieldTable) throws(HeadError) {
        var index = fields.firstIndex(of: .expect)
        while let current = index {
            guard ASCII.equals(input.bytes(fields[current].value), "100-continue") else {
                throw .malformed(reason: "unknown expectation")
            }
            index = fields.nextIndex(of: .expect, after: current)
        }
    }
}
