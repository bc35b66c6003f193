/// `int()`, `float()`, `string()`, `bool()` and `path()`.
enum Conversion {
    /// Converts to an integer: a float is truncated; a text has decimal digits with an optional sign.
    static func integer(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> Int64 {
        switch value {
        case .integer(let value): return value
        case .float(let value): return try RuleNumber.integer(value)
        case .string(let text):
            try work.take(text.utf8.count)
            let number = text.utf8.drop(while: isSign)
            guard text.utf8.count - number.count <= 1, !number.isEmpty, number.allSatisfy(isDigit) else {
                throw RuleFailure(.invalidText)
            }
            guard let value = Int64(text) else { throw RuleFailure(.overflow) }
            return value
        default: throw value.isNotWhatIsTaken
        }
    }

    /// Converts to a float: a text is a decimal number with optional fraction and exponent.
    static func float(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> Double {
        switch value {
        case .integer(let value): return Double(value)
        case .float(let value): return value
        case .string(let text):
            try work.take(text.utf8.count)
            guard isDecimal(text), let value = Double(text) else { throw RuleFailure(.invalidText) }
            guard value.isFinite else { throw RuleFailure(.overflow) }
            return value
        default: throw value.isNotWhatIsTaken
        }
    }

    static func string(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let value): return String(value)
        case .float(let value): return value.ruleText
        case .bool(let value): return value ? "true" : "false"
        case .null: return "null"
        case .path(let path):
            for segment in path.segments { try work.take(segment.utf8.count + 1) }
            return path.text
        default: throw value.isNotWhatIsTaken
        }
    }

    /// Converts to a boolean: a text is exactly `true` or `false`.
    static func bool(_ value: RuleValue) throws(RuleFailure) -> Bool {
        switch value {
        case .bool(let value): return value
        case .string(let text):
            if RuleText.equal(text, "true") { return true }
            if RuleText.equal(text, "false") { return false }
            throw RuleFailure(.invalidText)
        default: throw value.isNotWhatIsTaken
        }
    }

    static func path(_ value: RuleValue, _ work: inout WorkBudget) throws(RuleFailure) -> RulePath {
        switch value {
        case .path(let path): return path
        case .string(let text):
            try work.take(text.utf8.count)
            return try RulePath(text: text)
        default: throw value.isNotWhatIsTaken
        }
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns whether the text is a decimal number. Swift also parses `nan`, `infinity` and hexadecimal floats.
    private static func isDecimal(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        func skip(while isWanted: (UInt8) -> Bool) -> Int {
            let count = rest.prefix(while: isWanted).count
            rest = rest.dropFirst(count)
            return count
        }
        guard skip(while: isSign) <= 1 else { return false }
        var digits = skip(while: isDigit)
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            digits += skip(while: isDigit)
        }
        guard digits > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            guard skip(while: isSign) <= 1, skip(while: isDigit) > 0 else { return false }
        }
        return rest.isEmpty
    }
}
