/// Checks of a source before it is parsed: its size, its encoding, and characters that an editor does not display.
enum SourceCheck {
    /// Returns whether the source is valid, and reports the first error.
    static func check(_ findings: inout RuleFindings) -> Bool {
        let bytes = findings.source.bytes
        guard bytes.count <= RuleSource.maximumSize else {
            findings.fail(
                SourceRange(start: 0, end: 0),
                "rules have at most \(RuleSource.maximumSize) bytes, but these have \(bytes.count)",
                RuleLimits.remedy)
            return false
        }
        guard let fault = firstFault(bytes) else { return true }
        findings.fail(
            SourceRange(start: Int32(fault.offset), end: Int32(fault.offset)), fault.what,
            "save the file as UTF-8, without control characters other than tabs and line ends")
        return false
    }

    private static func firstFault(_ bytes: [UInt8]) -> (offset: Int, what: String)? {
        var offset = 0
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return nil
            case .error: return (offset, "this is not UTF-8")
            case .valid(let encoded):
                let scalar = UTF8.decode(encoded)
                let isLineEnd = scalar == "\r" && offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "\n")
                if !isLineEnd, isControl(scalar) {
                    return (offset, "the control character U+\(Lexer.hex(scalar.value)) is not allowed")
                }
                offset += encoded.count
            }
        }
    }

    /// Returns whether the scalar is a control character other than tab and line end, or a bidirectional control,
    /// which can disguise a rule. A CR without LF is a line end only in some editors.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
