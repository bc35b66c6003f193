internal import PrintableText

extension RuleValue {
    /// The value in the syntax of the language, for traces and messages: at most `RuleLimits.textLength` Unicode
    /// scalars, truncated with `...`. Control characters are escaped, so that a value from a request cannot forge a
    /// line.
    public var text: String {
        var writer = ValueWriter()
        writer.write(self)
        return writer.finish()
    }
}

extension Double {
    /// The shortest text that parses to the same number: `1.0`, `1e+20`, `NaN`, `Infinity`.
    var ruleText: String {
        if isNaN { return "NaN" }
        return isInfinite ? (self < 0 ? "-Infinity" : "Infinity") : description
    }
}

/// A writer of values that stops when the text is long enough.
private struct ValueWriter {
    private var text = ""
    /// The number of remaining scalars; negative after too many.
    private var left = RuleLimits.textLength

    private static let ellipsis = "..."

    func finish() -> String {
        guard left < 0 else { return text }
        return String(text.unicodeScalars.prefix(RuleLimits.textLength - Self.ellipsis.count)) + Self.ellipsis
    }

    mutating func write(_ value: RuleValue) {
        switch value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .integer(let value): write(String(value))
        case .float(let value): write(value.ruleText)
        case .string(let value): writeQuoted(value)
        case .bytes(let value): writeQuoted(value)
        case .timestamp(let value): write(value.text)
        case .duration(let value): write(value.text)
        case .path(let value): writePath(value)
        case .unreadable: write("<unreadable>")
        case .list, .set, .map, .mapDiff: writeElements(value)
        }
    }

    private mutating func writeElements(_ value: RuleValue) {
        switch value {
        case .list(let elements): writeAll(elements, "[", "]") { $0.write($1) }
        case .set(let set): writeAll(set.elements, "[", "].toSet()") { $0.write($1) }
        case .map(let map): write(map)
        case .mapDiff(let diff):
            write(diff.map)
            write(".diff(")
            write(diff.other)
            write(")")
        default: break
        }
    }

    private mutating func write(_ map: RuleMap) {
        writeAll(map.entries, "{", "}") { writer, entry in
            writer.writeQuoted(entry.key)
            writer.write(": ")
            writer.write(entry.value)
        }
    }

    private mutating func writeAll<Element>(
        _ elements: [Element], _ opening: String, _ closing: String, _ body: (inout ValueWriter, Element) -> Void
    ) {
        write(opening)
        for (index, element) in elements.enumerated() {
            guard left >= 0 else { return }
            if index > 0 { write(", ") }
            body(&self, element)
        }
        write(closing)
    }

    /// Writes the segments one by one, up to the limit.
    private mutating func writePath(_ path: RulePath) {
        if path.segments.isEmpty { write("/") }
        for segment in path.segments {
            guard left >= 0 else { return }
            write("/")
            for scalar in segment.unicodeScalars {
                guard left >= 0 else { return }
                switch scalar {
                case "/": write("%2F")
                case "%": write("%25")
                default: write(scalar, quote: nil)
                }
            }
        }
    }

    private mutating func writeQuoted(_ string: String) {
        write("'")
        for scalar in string.unicodeScalars {
            guard left >= 0 else { return }
            write(scalar, quote: "'")
        }
        write("'")
    }

    private mutating func writeQuoted(_ bytes: [UInt8]) {
        write("b'")
        for byte in bytes {
            guard left >= 0 else { return }
            if byte >= 0x20, byte < 0x7F {
                write(Unicode.Scalar(byte), quote: "'")
            } else {
                write("\\x" + Self.hex(UInt32(byte), 2))
            }
        }
        write("'")
    }

    private mutating func write(_ scalar: Unicode.Scalar, quote: Unicode.Scalar?) {
        switch scalar {
        case "\n": write("\\n")
        case "\r": write("\\r")
        case "\t": write("\\t")
        case "\\" where quote != nil: write("\\\\")
        case quote: write("\\'")
        default:
            guard !PrintableText.isPrintable(scalar) else { return write(String(scalar)) }
            write(scalar.value <= 0xFFFF ? "\\u" + Self.hex(scalar.value, 4) : "\\U" + Self.hex(scalar.value, 8))
        }
    }

    private mutating func write(_ string: String) {
        guard left >= 0 else { return }
        text += string
        left -= string.unicodeScalars.count
    }

    private static func hex(_ value: UInt32, _ width: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
