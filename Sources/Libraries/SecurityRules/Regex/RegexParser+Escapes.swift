internal import TextCoding

extension RegexParser {
    /// Parses an escape outside of brackets.
    mutating func escape() throws(RegexProblem) -> RegexNode {
        if let assertion = takeAssertion() { return .assertion(assertion) }
        if let set = try classEscape() {
            return .set(add(set))
        }
        return literal(try characterEscape())
    }

    private mutating func takeAssertion() -> RegexAssertion? {
        let assertion: RegexAssertion? =
            switch peek(1) {
            case "A": .textStart
            case "z": .textEnd
            case "b": .wordBoundary
            case "B": .noWordBoundary
            default: nil
            }
        if assertion != nil { position += 2 }
        return assertion
    }

    /// Parses the literal characters of `\Q...\E`.
    mutating func takeQuoted(_ items: inout [RegexNode]) -> Bool {
        guard current == "\\", peek(1) == "Q" else { return false }
        position += 2
        while let scalar = current {
            if scalar == "\\", peek(1) == "E" {
                position += 2
                break
            }
            items.append(literal(scalar))
            position += 1
        }
        return true
    }

    /// Parses a class such as `\d` or `\pL` outside of brackets. `nil` without a change for other escapes.
    private mutating func classEscape() throws(RegexProblem) -> ScalarSet? {
        var set = ScalarSet(folds: flags.foldsCase)
        guard try takeClassEscape(into: &set) else { return nil }
        set.finish()
        return set
    }

    /// Parses `\d \D \s \S \w \W \p \P`.
    mutating func takeClassEscape(into set: inout ScalarSet) throws(RegexProblem) -> Bool {
        guard current == "\\", let letter = peek(1) else { return false }
        if letter == "p" || letter == "P" {
            try takeProperty(into: &set)
            return true
        }
        let isNegated = ("A"..."Z").contains(letter)
        guard let small = Unicode.Scalar(letter.value | 0x20), let ranges = ScalarSet.perl(isNegated ? small : letter)
        else { return false }
        position += 2
        insert(ranges, negated: isNegated, into: &set)
        return true
    }

    func insert(_ ranges: [ClosedRange<UInt32>], negated: Bool, into set: inout ScalarSet) {
        for range in negated ? ScalarSet.complement(ranges, folding: flags.foldsCase) : ranges { set.insert(range) }
    }

    /// Parses `\pL`, `\p{Lu}`, `\p{^Lu}` or `\PL`.
    private mutating func takeProperty(into set: inout ScalarSet) throws(RegexProblem) {
        let start = position
        var isNegated = peek(1) == "P"
        position += 2
        var name = ""
        if take("{") {
            while let scalar = current, scalar != "}" {
                name.unicodeScalars.append(scalar)
                position += 1
            }
            guard take("}") else { throw problem(at: start, "`\\p{` is not closed", "add `}`") }
            if name.unicodeScalars.first == "^" {
                isNegated.toggle()
                name.unicodeScalars.removeFirst()
            }
        } else if let letter = current {
            name.unicodeScalars.append(letter)
            position += 1
        }
        try insert(property: name, negated: isNegated, start, into: &set)
    }

    private func insert(
        property name: String, negated: Bool, _ start: Int, into set: inout ScalarSet
    ) throws(RegexProblem) {
        if RuleText.equal(name, "Any") {
            if !negated { set.insert(0...ScalarSet.lastScalar) }
        } else if let categories = RegexCategories(named: name) {
            set.insert(categories, negated: negated)
        } else {
            throw problem(
                at: start, "`\(text(from: start, to: position))` is not a general category; scripts are not supported",
                "use categories such as \\pL, \\p{Lu}, \\p{Nd}, or ranges: [\\x{370}-\\x{3FF}]")
        }
    }

    /// Parses the escape of a single character, in or outside of brackets.
    mutating func characterEscape() throws(RegexProblem) -> Unicode.Scalar {
        let start = position
        guard let letter = peek(1) else {
            throw problem("the pattern ends in `\\`", "write `\\\\` for the character")
        }
        position += 2
        switch letter {
        case "a": return "\u{7}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "x": return try hexadecimal(start)
        case "0"..."7": return try octal(letter, start)
        case "8", "9", "k", "g": throw problem(at: start, Self.noBackReferences, "write the permitted characters")
        default: return try punctuation(letter, start)
        }
    }

    private func punctuation(_ scalar: Unicode.Scalar, _ start: Int) throws(RegexProblem) -> Unicode.Scalar {
        let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        guard scalar.isASCII, !isLetter, !Self.isDigit(scalar) else {
            throw problem(
                at: start, "there is no escape `\(text(from: start, to: position))`",
                isLetter ? Self.remedy(forEscape: scalar) : "write the character without `\\`")
        }
        return scalar
    }

    private static func remedy(forEscape letter: Unicode.Scalar) -> String {
        switch letter {
        case "Z": "use \\z, the end of the text"
        case "u", "U": "write \\x{...}"
        case "h": "write [ \\t]"
        case "R": "write \\r?\\n"
        case "C", "X": "write . or (?s:.)"
        case "E": "it ends a \\Q, but there is no \\Q"
        case "b", "B", "A", "z", "Q": "it has no meaning between brackets"
        default: "write the letter without `\\`, or `\\\\` for the backslash"
        }
    }

    /// Parses an octal escape. A single digit `\1` to `\7` would be a back reference.
    private mutating func octal(_ first: Unicode.Scalar, _ start: Int) throws(RegexProblem) -> Unicode.Scalar {
        var value = first.value - 0x30
        var digits = 1
        while digits < 3, let digit = current, ("0"..."7").contains(digit) {
            value = value * 8 + (digit.value - 0x30)
            digits += 1
            position += 1
        }
        guard first == "0" || digits > 1, let scalar = Unicode.Scalar(value) else {
            throw problem(at: start, Self.noBackReferences, "write the permitted characters")
        }
        return scalar
    }

    /// Parses `\x7F` or `\x{10FFFF}`.
    private mutating func hexadecimal(_ start: Int) throws(RegexProblem) -> Unicode.Scalar {
        let isBraced = take("{")
        var (value, digits) = (UInt32(0), 0)
        while digits < (isBraced ? pattern.count : 2), let current, current.isASCII,
            let digit = HexDigits.value(of: UInt8(truncatingIfNeeded: current.value))
        {
            // A value beyond the last scalar stays there.
            value = min(value * 16 + UInt32(digit), 0x11_0000)
            digits += 1
            position += 1
        }
        guard isBraced ? digits > 0 && take("}") : digits == 2, let scalar = Unicode.Scalar(value) else {
            throw problem(
                at: start, "`\(text(from: start, to: position + 1))` is not a character",
                "write two digits, \\x7F, or a scalar between braces, \\x{1F600}")
        }
        return scalar
    }
}
