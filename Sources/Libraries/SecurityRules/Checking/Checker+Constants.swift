extension Checker {
    /// Arguments that are written down, and with which a call always fails.
    mutating func checkConstants(
        of builtin: Builtin, _ receiver: Inferred?, _ name: Name, _ arguments: [Expression], _ values: [Inferred]
    ) {
        switch builtin {
        case .matches, .replace, .split: checkPattern(arguments, values)
        case .durationValue: checkUnit(arguments[1], values[1])
        case .timestampDate where values.contains { $0.constant == nil }:
            checkDate(values.map(\.integerConstant), arguments)
        case .debug, .recentSignIn, .secondFactor: break
        default: tryOut(builtin, receiver, name, values)
        }
    }

    /// Calls what is all written down, to see whether it fails.
    private mutating func tryOut(_ builtin: Builtin, _ receiver: Inferred?, _ name: Name, _ values: [Inferred]) {
        var arguments = Arguments()
        for value in values {
            guard let constant = value.constant else { return }
            arguments.append(constant)
        }
        do throws(RuleFailure) {
            if let receiver {
                guard let constant = receiver.constant else { return }
                _ = try builtin.apply(constant, arguments, &work)
            } else {
                _ = try builtin.apply(arguments, &work)
            }
        } catch {
            // What costs too much to be tried out is tried by the request.
            guard !error.endsTheRequest else { return }
            findings.fail(
                name.range, "with these arguments \(builtin.name) always fails: \(Self.reason(error.reason))",
                "as in \(Self.usage(of: builtin))")
        }
    }

    private static func reason(_ reason: RuleFailure.Reason) -> String {
        switch reason {
        case .invalidText: "the text cannot be read"
        case .overflow: "the result is too large"
        case .wrongKind: "it does not take values of these kinds"
        case .indexOutOfRange, .invalidArgument: "there is no such value"
        default: "it has no value"
        }
    }

    private mutating func checkUnit(_ argument: Expression, _ value: Inferred) {
        guard let unit = value.stringConstant, Builtin.nanoseconds(ofUnit: unit) == nil else { return }
        findings.fail(
            argument.range, "'\(Self.quote(unit))' is no unit of durations", "the units are w, d, h, m, s, ms, ns")
    }

    /// A date of which only some parts are written down.
    private mutating func checkDate(_ parts: [Int64?], _ arguments: [Expression]) {
        let bounds: [(String, ClosedRange<Int64>)] = [("year", 1...9999), ("month", 1...12), ("day", 1...31)]
        for ((part, argument), (name, bounds)) in zip(zip(parts, arguments), bounds) {
            guard let part, !bounds.contains(part) else { continue }
            findings.fail(
                argument.range, "there is no \(name) \(part), so this always fails",
                "a \(name) is \(bounds.lowerBound) to \(bounds.upperBound)")
        }
    }

    private mutating func checkPattern(_ arguments: [Expression], _ values: [Inferred]) {
        guard let text = values[0].stringConstant else { return }
        switch patternCheck.check(text) {
        case .wrong(let problem):
            findings.fail(
                arguments[0].range,
                "this is no regular expression, from its character \(problem.offset + 1) on: \(problem.what)",
                problem.remedy)
        case .tooMany(let isFirst):
            guard isFirst else { return }
            findings.fail(
                arguments[0].range, "the regular expressions up to here are too large together",
                "use smaller repeats, or compare strings where no regular expression is needed")
        case .right(let pattern):
            guard values.count > 1, let replacement = values[1].stringConstant,
                let problem = pattern.problem(ofReplacement: replacement)
            else { return }
            findings.fail(
                arguments[1].range,
                "this cannot replace, from its character \(problem.offset + 1) on: \(problem.what)", problem.remedy)
        }
    }
}

/// Compiles the regular expressions that are written in a source, each once.
struct PatternCheck {
    enum Result {
        case right(RuleRegex)
        case wrong(RegexProblem)
        /// More than `RuleLimits.patternInstructions`.
        case tooMany(isFirst: Bool)
    }

    private var known: [[UInt8]: Result] = [:]
    private var left = RuleLimits.patternInstructions
    private var isFull = false

    mutating func check(_ text: String) -> Result {
        let key = Array(text.utf8)
        if let result = known[key] { return result }
        guard !isFull else { return .tooMany(isFirst: false) }
        let result = compile(text)
        known[key] = result
        return result
    }

    private mutating func compile(_ text: String) -> Result {
        do throws(RegexProblem) {
            let pattern = try RuleRegex(text)
            left -= pattern.program.instructions.count
            guard left >= 0 else {
                isFull = true
                known = [:]
                return .tooMany(isFirst: true)
            }
            return .right(pattern)
        } catch {
            return .wrong(error)
        }
    }
}
