extension RegexParser {
    /// `[...]`
    mutating func bracketed() throws(RegexProblem) -> ScalarSet {
        let start = position
        position += 1
        let isNegated = take("^")
        var set = ScalarSet(folds: flags.foldsCase)
        var isFirst = true
        while let scalar = current, scalar != "]" || isFirst {
            isFirst = false
            if try takeNamedClass(into: &set) { continue }
            if try takeClassEscape(into: &set) { continue }
            set.insert(try range())
        }
        guard take("]") else {
            throw problem(at: start, "the bracket is not closed", "add `]`, or write `\\[` for the character")
        }
        set.finish(negated: isNegated)
        return set
    }

    /// Parses a character, or a range of two characters with `-`.
    private mutating func range() throws(RegexProblem) -> ClosedRange<UInt32> {
        let start = position
        let first = try bracketedCharacter()
        guard current == "-", let next = peek(1), next != "]" else { return first.value...first.value }
        position += 1
        let last = try bracketedCharacter()
        guard first <= last else {
            throw problem(
                at: start, "the lower bound of `\(text(from: start, to: position))` exceeds the upper bound",
                "swap them")
        }
        return first.value...last.value
    }

    private mutating func bracketedCharacter() throws(RegexProblem) -> Unicode.Scalar {
        let scalar = pattern[position]
        if scalar == "\\" { return try characterEscape() }
        position += 1
        return scalar
    }

    /// Parses `[:alpha:]` or `[:^alpha:]`. Returns `false` without a change if the bracket is a literal.
    private mutating func takeNamedClass(into set: inout ScalarSet) throws(RegexProblem) -> Bool {
        guard current == "[", peek(1) == ":", let end = endOfName() else { return false }
        let start = position
        let isNegated = peek(2) == "^"
        let name = text(from: start + (isNegated ? 3 : 2), to: end)
        position = end + 2
        guard let ranges = ScalarSet.posix(name) else {
            throw problem(
                at: start, "there is no class `\(text(from: start, to: position))`",
                "the classes are alnum, alpha, ascii, blank, cntrl, digit, graph, lower, print, punct, space, upper, word, xdigit"
            )
        }
        insert(ranges, negated: isNegated, into: &set)
        return true
    }

    /// Returns the index of the `:]` after the name of a class, if any.
    private func endOfName() -> Int? {
        var index = position + 2
        // All names are shorter. The bound prevents a full scan at each bracket.
        let end = min(pattern.count, index + 16)
        while index + 1 < end {
            if pattern[index] == ":", pattern[index + 1] == "]" { return index }
            index += 1
        }
        return nil
    }
}
