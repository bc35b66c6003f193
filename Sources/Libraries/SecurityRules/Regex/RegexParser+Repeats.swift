extension RegexParser {
    /// Parses `*`, `+`, `?` or `{n,m}` with an optional `?`. `nil` if there is no repetition.
    mutating func repetition() throws(RegexProblem) -> RegexRepetition? {
        let start = position
        var repetition = RegexRepetition(minimum: 0, maximum: nil, isGreedy: true)
        switch current {
        case "*": position += 1
        case "+":
            repetition.minimum = 1
            position += 1
        case "?":
            repetition.maximum = 1
            position += 1
        case "{":
            guard let (minimum, maximum) = takeCounts() else { return nil }
            try check(minimum, maximum, start)
            repetition.minimum = minimum
            repetition.maximum = maximum
        default: return nil
        }
        repetition.isGreedy = take("?") == flags.isUngreedy
        return repetition
    }

    private func check(_ minimum: Int, _ maximum: Int?, _ start: Int) throws(RegexProblem) {
        guard minimum <= RegexLimits.repeats, maximum ?? 0 <= RegexLimits.repeats else {
            throw problem(
                at: start, "more than \(RegexLimits.repeats) repeats",
                "use fewer repeats, or * and the size of the text")
        }
        if let maximum, maximum < minimum {
            throw problem(at: start, "the lower bound of {\(minimum),\(maximum)} exceeds the upper bound", "swap them")
        }
    }

    /// Parses `{n}`, `{n,}` or `{n,m}`. `nil` without a change if the brace is a literal.
    private mutating func takeCounts() -> (Int, Int?)? {
        let start = position
        position += 1
        if let minimum = takeNumber() {
            if take("}") { return (minimum, minimum) }
            if take(",") {
                if take("}") { return (minimum, nil) }
                if let maximum = takeNumber(), take("}") { return (minimum, maximum) }
            }
        }
        position = start
        return nil
    }

    /// Parses a decimal number. A value beyond the bounds stays there.
    private mutating func takeNumber() -> Int? {
        var number: Int?
        while let scalar = current, Self.isDigit(scalar) {
            number = min((number ?? 0) * 10 + Int(scalar.value - 0x30), RegexLimits.repeats + 1)
            position += 1
        }
        return number
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
