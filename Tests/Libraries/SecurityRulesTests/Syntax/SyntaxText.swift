@testable import SecurityRules

/// Expressions as S-expressions, for readable tables.
func text(of expression: Expression) -> String {
    switch expression.kind {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .float(let value): "\(value)"
    case .string(let value): "'\(value)'"
    case .bytes(let value): "b\(value)"
    case .list(let elements): list("list", elements)
    case .map(let entries): list("map", entries.flatMap { [$0.key, $0.value] })
    case .path(let parts): "(path" + parts.map(text(of:)).joined() + ")"
    case .name(let name): name
    case .member(let base, let name): "(. \(text(of: base)) \(name.text))"
    case .index(let base, let index): list("at", [base, index])
    case .slice(let base, let from, let to): list("slice", [base, from, to])
    case .call(let name, let arguments): list("\(name.text)()", arguments)
    case .methodCall(let base, let name, let arguments): list(".\(name.text)()", [base] + arguments)
    case .unary(let unary, let operand): list(unary.rawValue, [operand])
    case .binary(let binary, let left, let right): list(binary.rawValue, [left, right])
    case .logical(let logical, let operands): list(logical.rawValue, operands)
    case .typeTest(let operand, let type): "(is \(text(of: operand)) \(type.text))"
    case .conditional(let condition, let then, let otherwise): list("?:", [condition, then, otherwise])
    }
}

private func text(of part: Expression.PathPart) -> String {
    switch part {
    case .literal(let literal): " \(literal)"
    case .expression(let expression): " $\(text(of: expression))"
    }
}

private func list(_ head: String, _ items: [Expression]) -> String {
    "(" + ([head] + items.map(text(of:))).joined(separator: " ") + ")"
}

/// The text of an expression, or its errors.
func parsed(_ condition: String) -> String {
    var findings = RuleFindings(RuleSource(condition, name: "c"))
    guard let expression = ExpressionParser.parse(&findings), findings.isUsable else {
        return errors(findings).joined(separator: "\n")
    }
    return text(of: expression)
}

/// `LINE:COLUMN what; remedy` of each error, in the order of the text.
func errors(_ findings: RuleFindings) -> [String] {
    RuleProblems(findings.errors).problems.map { "\($0.location.line):\($0.location.column) \($0.what); \($0.remedy)" }
}

/// The tree of a rules file, or `nil`, with its errors and warnings.
func file(_ text: String) -> (ruleset: RulesetSyntax?, errors: [String], warnings: [String]) {
    var findings = RuleFindings(RuleSource(text, name: "f"))
    let ruleset = RulesetParser.parse(&findings)
    return (
        ruleset, errors(findings),
        findings.warnings.map { "\($0.location.line):\($0.location.column) \($0.what); \($0.remedy)" }
    )
}

/// A file whose service block has the given text from its second line on.
func service(_ body: String) -> String {
    "rules_version = '2'; service gatehouse.http {\n\(body)\n}"
}

func text(of block: RulesetSyntax) -> String {
    (block.functions.map(text(of:)) + block.matches.map(text(of:))).joined(separator: " ")
}

func text(of match: MatchSyntax) -> String {
    let parts = match.functions.map(text(of:)) + match.allows.map(text(of:)) + match.matches.map(text(of:))
    return "[" + ([pattern(match.segments)] + parts).joined(separator: " ") + "]"
}

func pattern(_ segments: [PatternSegment]) -> String {
    segments.isEmpty ? "/" : segments.map { "/" + text(of: $0.kind) }.joined()
}

private func text(of segment: PatternSegment.Kind) -> String {
    switch segment {
    case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
    case .capture(let name): "{\(name)}"
    case .rest(let name): "{\(name)=**}"
    }
}

private func text(of allow: AllowSyntax) -> String {
    let names = RuleOperation.allCases.filter { allow.operations.contains($0) }.map { "\($0)" }
    return "allow(\(names.joined(separator: ",")): \(allow.condition.map(text(of:)) ?? "always"))"
}

private func text(of function: FunctionSyntax) -> String {
    let lets = function.lets.map { "\($0.name.text)=\(text(of: $0.value)); " }.joined()
    return
        "\(function.name.text)(\(function.parameters.map(\.text).joined(separator: ","))){\(lets)\(text(of: function.result))}"
}

func conditionErrors(_ text: String) -> [String] {
    var findings = RuleFindings(RuleSource(text, name: "c"))
    _ = ExpressionParser.parse(&findings)
    return errors(findings)
}

/// The errors of the contents of a service block, which begin on the second line.
func serviceErrors(_ text: String) -> [String] {
    file(service(text)).errors
}

/// The errors of the contents of a match block, which begin on the second line.
func allowErrors(_ text: String) -> [String] {
    file("rules_version = '2'; service gatehouse.http { match /a {\n\(text)\n}}").errors
}

/// Whether there are equally many messages, and each one begins with the given text.
func begin(_ found: [String], with messages: [String]) -> Bool {
    found.count == messages.count && zip(found, messages).allSatisfy { $0.utf8.starts(with: $1.utf8) }
}
