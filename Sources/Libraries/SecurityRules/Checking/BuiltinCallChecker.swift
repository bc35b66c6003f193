/// A call of a built-in function or method.
struct BuiltinCall {
    let builtin: Builtin
    /// The value that a method is called on. `nil` for functions.
    let receiver: CheckedOperand?
    let name: Name
    let arguments: [CheckedOperand]
}

/// A checker of built-in calls: receivers, the number and kinds of arguments, and literals with which a call always
/// fails.
struct BuiltinCallChecker {
    private var patterns = PatternCheck()
    /// The cost of trial calls with literal arguments.
    private var work = WorkBudget()

    /// Checks a call and returns the possible results.
    mutating func result(of call: BuiltinCall, _ findings: inout RuleFindings) -> Inferred {
        var overloads = call.builtin.overloads
        if let receiver = call.receiver {
            overloads = overloads.filter { receiver.value.kinds.fits($0.receiver ?? []) }
            guard !overloads.isEmpty else {
                Self.failReceiver(receiver, call, &findings)
                return .failed
            }
        }
        let result = overloads.reduce(into: KindSet()) { $0.formUnion($1.result) }
        let counted = overloads.filter { ($0.required...$0.parameters.count).contains(call.arguments.count) }
        guard !counted.isEmpty else {
            Self.failCount(overloads, call, &findings)
            return Inferred(kinds: result)
        }
        if !counted.contains(where: { Self.takes($0, call) }), let first = counted.first {
            Self.failArguments(first, call, &findings)
            return Inferred(kinds: result)
        }
        checkConstants(of: call, &findings)
        return Inferred(kinds: result)
    }

    private static func takes(_ overload: Overload, _ call: BuiltinCall) -> Bool {
        zip(call.arguments, overload.parameters).allSatisfy { $0.value.kinds.fits($1) }
    }

    private static func failReceiver(
        _ receiver: CheckedOperand, _ call: BuiltinCall, _ findings: inout RuleFindings
    ) {
        let name = call.name
        let owners = call.builtin.overloads.reduce(into: KindSet()) { $0.formUnion($1.receiver ?? []) }
        let (text, kinds) = (findings.quote(receiver.expression), receiver.value.kinds)
        let remedy: String
        if owners.fits(.string), kinds.fits([.path, .number, .bool]) {
            remedy = "write string(\(text)).\(name.shown)(...)"
        } else if owners.fits(.set), kinds.fits(.list) {
            remedy = "write \(text).toSet().\(name.shown)(...)"
        } else if owners.fits(.timestamp), kinds.fits(.number) {
            remedy = "write timestamp.value(\(text)).\(name.shown)(), of milliseconds"
        } else if owners.fits(.list), kinds.fits(.map) {
            remedy = "write \(text).keys().\(name.shown)(...)"
        } else {
            remedy = "it is a method of \(owners.names.joined(separator: ", "))"
        }
        findings.fail(name.range, "\(text) is \(kinds.described), which has no \(name.shown)", remedy)
    }

    private static func failCount(_ overloads: [Overload], _ call: BuiltinCall, _ findings: inout RuleFindings) {
        let counts = Set(overloads.flatMap { $0.required...$0.parameters.count }).sorted()
        let takes =
            counts.count == 1
            ? arguments(counts[0]) : counts.map(String.init).joined(separator: " or ") + " arguments"
        findings.fail(
            call.name.range, "\(call.builtin.name) takes \(takes), but has \(call.arguments.count)",
            "write \(call.builtin.usage)")
    }

    private static func failArguments(_ overload: Overload, _ call: BuiltinCall, _ findings: inout RuleFindings) {
        for (argument, parameter) in zip(call.arguments, overload.parameters)
        where !argument.value.kinds.fits(parameter) {
            findings.fail(
                argument.expression.range,
                "\(call.builtin.name) takes \(parameter.described) here, but this is \(argument.value.kinds.described)",
                remedy(parameter, argument.value.kinds, findings.quote(argument.expression))
                    ?? "write \(call.builtin.usage)")
        }
    }

    /// Returns the conversion of an argument to a parameter's kind, if any.
    private static func remedy(_ parameter: KindSet, _ kinds: KindSet, _ text: String) -> String? {
        if parameter.isKnown(as: .duration), kinds.isKnown(as: .number) {
            return "write duration.value(\(text), 's')"
        }
        if parameter.isKnown(as: .duration), kinds.isKnown(as: .string) { return "write duration.value(5, 'm')" }
        if parameter.isKnown(as: [.list, .set]), kinds.isKnown(as: .map) { return "write \(text).keys()" }
        if parameter.isKnown(as: .list), kinds.isKnown(as: [.string, .number]) { return "write [\(text)]" }
        if parameter.readable == .string, kinds.isKnown(as: [.integer, .float, .bool, .path]) {
            return "write string(\(text))"
        }
        if parameter.isKnown(as: .integer), kinds.isKnown(as: [.string, .float]) { return "write int(\(text))" }
        if parameter.isKnown(as: .set), kinds.isKnown(as: .list) { return "write \(text).toSet()" }
        if parameter.isKnown(as: .list), kinds.isKnown(as: .set) { return "write a list: [...]" }
        return nil
    }

    /// Reports literal arguments with which a call always fails.
    private mutating func checkConstants(of call: BuiltinCall, _ findings: inout RuleFindings) {
        switch call.builtin {
        case .matches, .replace, .split: checkPattern(call.arguments, &findings)
        case .durationValue: Self.checkUnit(call.arguments[1], &findings)
        case .timestampDate where call.arguments.contains { $0.value.constant == nil }:
            Self.checkDate(call.arguments, &findings)
        case .debug, .recentSignIn, .secondFactor: break
        default: tryOut(call, &findings)
        }
    }

    /// Evaluates a call with only literal operands, and reports a failure.
    private mutating func tryOut(_ call: BuiltinCall, _ findings: inout RuleFindings) {
        var arguments = Arguments()
        for argument in call.arguments {
            guard let constant = argument.value.constant else { return }
            arguments.append(constant)
        }
        do throws(RuleFailure) {
            if let receiver = call.receiver {
                guard let constant = receiver.value.constant else { return }
                _ = try call.builtin.apply(constant, arguments, &work)
            } else {
                _ = try call.builtin.apply(arguments, &work)
            }
        } catch {
            // A call that is too expensive for a trial is left to the request.
            guard !error.endsTheRequest else { return }
            findings.fail(
                call.name.range,
                "with these arguments \(call.builtin.name) always fails: \(Self.reason(error.reason))",
                "as in \(call.builtin.usage)")
        }
    }

    private static func reason(_ reason: RuleFailure.Reason) -> String {
        switch reason {
        case .invalidText: "the text cannot be read"
        case .overflow: "the result is too large"
        case .wrongKind: "the types of its operands are not supported"
        case .indexOutOfRange, .invalidArgument: "the value does not exist"
        default: "the result is undefined"
        }
    }

    private static func checkUnit(_ argument: CheckedOperand, _ findings: inout RuleFindings) {
        guard let unit = argument.value.stringConstant, TimeMethods.nanoseconds(ofUnit: unit) == nil else { return }
        findings.fail(
            argument.expression.range, "'\(unit.shown)' is not a duration unit", "the units are w, d, h, m, s, ms, ns")
    }

    /// Checks a date of which only some parts are literals.
    private static func checkDate(_ arguments: [CheckedOperand], _ findings: inout RuleFindings) {
        let bounds: [(String, ClosedRange<Int64>)] = [("year", 1...9999), ("month", 1...12), ("day", 1...31)]
        for (argument, (name, bounds)) in zip(arguments, bounds) {
            guard let part = argument.value.integerConstant, !bounds.contains(part) else { continue }
            findings.fail(
                argument.expression.range, "there is no \(name) \(part), so this always fails",
                "a \(name) is \(bounds.lowerBound) to \(bounds.upperBound)")
        }
    }

    private mutating func checkPattern(_ arguments: [CheckedOperand], _ findings: inout RuleFindings) {
        guard let text = arguments[0].value.stringConstant else { return }
        switch patterns.check(text) {
        case .wrong(let problem):
            findings.fail(
                arguments[0].expression.range,
                "invalid regular expression at character \(problem.offset + 1): \(problem.what)",
                problem.remedy)
        case .tooMany(let isFirst):
            guard isFirst else { return }
            findings.fail(
                arguments[0].expression.range,
                "the regular expressions up to here have more than \(RuleLimits.patternInstructions) parts",
                "use smaller repeats, as a{1000} has 1,000 parts and a* two, or compare strings")
        case .right(let pattern):
            guard arguments.count > 1, let replacement = arguments[1].value.stringConstant,
                let problem = pattern.problem(ofReplacement: replacement)
            else { return }
            findings.fail(
                arguments[1].expression.range,
                "invalid replacement at character \(problem.offset + 1): \(problem.what)", problem.remedy)
        }
    }

    static func arguments(_ count: Int) -> String {
        switch count {
        case 0: "no arguments"
        case 1: "1 argument"
        default: "\(count) arguments"
        }
    }
}

/// A checker of the regular expressions in a source, which compiles each once.
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

extension Builtin {
    /// A short example of a call.
    var usage: String {
        switch self {
        case .get: "m.get('key', default)"
        case .replace: "s.replace('regular expression', 'text')"
        case .matches: "s.matches('regular expression')"
        case .durationValue: "duration.value(5, 'm')"
        case .durationTime: "duration.time(hours, minutes, seconds, nanoseconds)"
        case .timestampDate: "timestamp.date(2027, 1, 31)"
        case .recentSignIn: "recentSignIn(duration.value(5, 'm'))"
        default: Self.usage(of: name, overloads.first)
        }
    }

    private static func usage(of name: String, _ overload: Overload?) -> String {
        let parameters = (overload?.parameters ?? []).map(\.text).joined(separator: ", ")
        return (overload?.receiver == nil ? "" : "x.") + "\(name)(\(parameters))"
    }

    /// Returns an example call of a namespace's function.
    static func example(ofNamespace name: String) -> String {
        switch name {
        case "math": "math.abs(-1)"
        case "hashing": "hashing.sha256('a')"
        case "timestamp": "timestamp.date(2027, 1, 31)"
        default: "duration.value(5, 'm')"
        }
    }
}
