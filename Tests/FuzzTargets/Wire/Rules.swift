internal import SecurityRules

/// Rules: invalid rules have errors with locations, and valid ones decide every request within bounds.
///
/// The input is a file, the body of its service block, the condition of a route, the value of a field, and a condition
/// over a token.
public func fuzzRules(_ input: UnsafeRawBufferPointer) {
    let bytes = [UInt8](input)
    checkFile(RuleInput(bytes, name: "rules"))
    checkFile(RuleInput(serviceHead + bytes + Array("\n}".utf8), name: "rules"))
    checkCondition(bytes)
    checkValue(RuleInput(bytes, name: "value"))
    checkUserCondition(RuleInput(bytes, name: "user condition"))
}

private let serviceHead = Array("rules_version = '2';\nservice gatehouse.http {\n".utf8)

/// The captures of a route `/{uid}/{rest=**}`.
private let captures = [
    RuleCapture(name: "uid", segment: 0, isRest: false), RuleCapture(name: "rest", segment: 1, isRest: true),
]

private func checkFile(_ input: RuleInput) {
    let read = { () throws(RuleProblems) in try Ruleset(file: input.source) }
    guard let ruleset = loaded(input, read) else { return }
    checkRuleset(ruleset, input)
    checkDecisions(ruleset)
}

private func checkCondition(_ bytes: [UInt8]) {
    let input = RuleInput(bytes, name: "condition")
    let read = { () throws(RuleProblems) in
        try Ruleset(condition: input.source, captures: captures, label: "gatehouse.yaml:1")
    }
    guard let ruleset = loaded(input, read) else { return }
    require(ruleset.rules.count == 1, "a condition is one rule")
    checkRuleset(ruleset, input)
    checkDecisions(ruleset)
    checkInFile(ruleset, bytes)
}

private func checkValue(_ input: RuleInput) {
    let read = { () throws(RuleProblems) in try RuleValueExpression(input.source) }
    guard let expression = loaded(input, read) else { return }
    let evaluator = RuleEvaluator()
    for user in RuleUser.all {
        let value = evaluator.value(of: expression, auth: user.auth)
        let again = evaluator.value(of: expression, auth: user.auth)
        require(value?.text == again?.text, "a value is the same again")
        require(value.map { isPlain($0.text, limit: 2048) } ?? true, "a value's text is short and plain")
    }
}

private func checkUserCondition(_ input: RuleInput) {
    let read = { () throws(RuleProblems) in try RuleValueExpression.condition(input.source).0 }
    guard let condition = loaded(input, read) else { return }
    let evaluator = RuleEvaluator()
    for user in RuleUser.all {
        let isTrue = evaluator.isTrue(condition, auth: user.auth)
        require(evaluator.isTrue(condition, auth: user.auth) == isTrue, "a condition has the same result again")
    }
}

/// Loads twice, with the same result. Returns `nil` if the errors are the same.
private func loaded<Loaded>(_ input: RuleInput, _ read: () throws(RuleProblems) -> Loaded) -> Loaded? {
    do throws(RuleProblems) {
        let result = try read()
        require((try? read()) != nil, "what loads loads again")
        return result
    } catch {
        checkProblems(error.problems, input)
        require(!error.problems.isEmpty, "what does not load says why")
        do throws(RuleProblems) {
            _ = try read()
            require(false, "what does not load never loads")
        } catch let again {
            require(again == error, "what is wrong stays the same")
        }
        return nil
    }
}

private func checkProblems(_ problems: [RuleProblem], _ input: RuleInput) {
    require(problems.count <= RuleProblems.maximumCount, "so many problems are told and no more")
    require(zip(problems, problems.dropFirst()).allSatisfy { $0.location <= $1.location }, "problems stand in order")
    for problem in problems {
        require(problem.location.source == input.source.name, "a problem names its source")
        require(input.has(problem.location), "a problem's place is in the text")
        require(
            isPlain(problem.what, limit: 512) && isPlain(problem.remedy, limit: 512), "a problem is short and plain")
    }
}

/// Whether the text is one line without control characters.
private func isPlain(_ text: String, limit: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= limit
        && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
}

private func checkRuleset(_ ruleset: Ruleset, _ input: RuleInput) {
    checkProblems(ruleset.warnings, input)
    require(input.isText, "what loads is UTF-8 without controls")
    require(ruleset.expressions.count <= RuleLimits.sourceExpressions, "expressions are bounded")
    require(ruleset.rules.count <= RuleLimits.declarations, "rules are bounded")
    for rule in ruleset.rules {
        require(input.has(rule.location), "a rule's place is in the text")
        require(rule.condition.map(ruleset.expressions.indices.contains) ?? true, "a rule's condition is an expression")
    }
    for (index, expression) in ruleset.expressions.enumerated() {
        require(input.has(expression.location) && input.has(expression.end), "an expression's place is in the text")
        require(expression.location < expression.end && !expression.text.isEmpty, "an expression has a text")
        require(expression.rule.map(ruleset.rules.indices.contains) ?? true, "an expression's rule is one")
        require(
            expression.parent.map { $0 != index && ruleset.expressions.indices.contains($0) } ?? true, "and its parent")
    }
}

/// A condition is the same expression in a file: it cannot end its statement.
private func checkInFile(_ ruleset: Ruleset, _ bytes: [UInt8]) {
    let head = serviceHead + Array("match /{uid}/{rest=**} { allow read, write: if\n".utf8)
    let text = head + bytes + Array("\n; } }".utf8)
    guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]), text.count <= RuleSource.maximumSize else { return }
    guard let inFile = try? Ruleset(file: RuleSource(text, name: "rules")) else {
        return require(false, "a condition of a route is one of a file")
    }
    require(inFile.rules.count == 1, "and is one rule there")
    require(inFile.expressions.count == ruleset.expressions.count, "of as many expressions")
    for request in RuleRequests.all {
        let alone = RuleRequests.decide(ruleset, request, recorder: nil)
        let there = RuleRequests.decide(inFile, request, recorder: nil)
        require(alone == there || !request.isSeenByBoth, "and decides the same")
    }
}

/// The text of rules and its lines.
private struct RuleInput {
    let source: RuleSource
    let bytes: [UInt8]
    /// The number of scalars of each line.
    private let lines: [Int]

    init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        source = RuleSource(bytes, name: name)
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.count { $0 & 0xC0 != 0x80 } }
    }

    /// Whether the location is in the text or directly after a line.
    func has(_ location: RuleLocation) -> Bool {
        lines.indices.contains(location.line - 1) && (1...lines[location.line - 1] + 1).contains(location.column)
    }

    /// Whether the text is short UTF-8 without control characters except whitespace.
    var isText: Bool {
        bytes.count <= RuleSource.maximumSize && String(validating: bytes, as: UTF8.self) != nil
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 || $0 == 10 || $0 == 13 }
    }
}
