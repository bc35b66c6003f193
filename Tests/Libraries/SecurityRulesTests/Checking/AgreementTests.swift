import Testing

@testable import SecurityRules

/// The checker against the evaluator, on a value of every kind: what one refuses the other must fail on, and what the checker lets stand
/// fails for no want of the right kind.
@Suite struct CheckedAgreementTests {
    private static let values = [
        "null", "true", "1", "1.5", "'a'", "b'a'", "['a']", "{'a': 'a'}", "['a'].toSet()", "{'a': 1}.diff({})",
        "timestamp.value(0)", "duration.value(1, 's')", "path('/a')",
    ]
    private static let pairs = values.flatMap { left in values.map { (left, $0) } }

    /// How an expression ends; nil: it has a value.
    private func failure(of expression: String, _ evaluator: RuleEvaluator) throws -> RuleFailure.Reason? {
        let expression = try RuleValueExpression(unchecked: RuleSource(expression, name: "test"))
        do throws(RuleFailure) {
            _ = try evaluator.evaluate(expression, auth: .null)
            return nil
        } catch {
            return error.reason
        }
    }

    private func expectAgreement(on expression: String, _ evaluator: RuleEvaluator) throws {
        let errors = Checked.condition("[\(expression)].size() == 1").errors.map(\.description)
        let failure = try failure(of: expression, evaluator)
        if errors.isEmpty {
            let ofKind: [RuleFailure.Reason] = [.wrongKind, .notBoolean, .null]
            #expect(failure.map(ofKind.contains) != true, "\(expression) is let stand")
        } else {
            #expect(failure != nil, "\(expression): \(errors)")
        }
    }

    @Test(arguments: ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "&&", "||"])
    func operators(operation: String) throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs {
            // `true ||` absorbs what is refused.
            if operation == "||", left == "true" || right == "true" { continue }
            try expectAgreement(on: "\(left) \(operation) \(right)", evaluator)
        }
    }

    @Test func oneOperand() throws {
        let evaluator = RuleEvaluator()
        for value in Self.values {
            try expectAgreement(on: "!\(value)", evaluator)
            try expectAgreement(on: "-\(value)", evaluator)
            try expectAgreement(on: "\(value) ? 1 : 2", evaluator)
            try expectAgreement(on: "\(value)[0:1]", evaluator)
            try expectAgreement(on: "/a/$(\(value))", evaluator)
            try expectAgreement(on: "{\(value): 1}", evaluator)
        }
    }

    @Test func indexes() throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs { try expectAgreement(on: "\(left)[\(right)]", evaluator) }
    }

    @Test func methodsAndFunctions() throws {
        let evaluator = RuleEvaluator()
        for builtin in Builtin.allCases where ![.debug, .recentSignIn, .secondFactor].contains(builtin) {
            for overload in builtin.overloads {
                let receivers = overload.receiver == nil ? [""] : Self.values.map { $0 + "." }
                for receiver in receivers {
                    for arguments in Self.arguments(overload.parameters.count) {
                        try expectAgreement(on: "\(receiver)\(builtin.name)(\(arguments))", evaluator)
                    }
                }
            }
        }
    }

    /// Lists of arguments: of every kind in each place, the others a number or string.
    private static func arguments(_ count: Int) -> [String] {
        guard count > 0 else { return [""] }
        return ["1", "'a'"].flatMap { other in
            (0..<count).flatMap { place in
                values.map { value in
                    (0..<count).map { $0 == place ? value : other }.joined(separator: ", ")
                }
            }
        }
    }

    @Test func whatIsNeverEqualIsNotEqual() throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs {
            let isRefused = !Checked.condition("\(left) == \(right)").errors.isEmpty
            let expression = try RuleValueExpression(unchecked: RuleSource("\(left) == \(right)", name: "test"))
            let isEqual = evaluator.value(of: expression, auth: .null).map {
                if case .bool(true) = $0 { true } else { false }
            }
            #expect(!isRefused || isEqual == false, "\(left) == \(right)")
            #expect(
                !Checked.condition("\(left) != \(right)").errors.isEmpty == isRefused || left == "null"
                    || right == "null")
        }
    }

    @Test func whatIsNeverInIsNotIn() throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs where !Checked.condition("\(left) in \(right)").errors.isEmpty {
            let expression = try RuleValueExpression(unchecked: RuleSource("\(left) in \(right)", name: "test"))
            let isIn = evaluator.value(of: expression, auth: .null).map {
                if case .bool(true) = $0 { true } else { false }
            }
            #expect(isIn != true, "\(left) in \(right)")
        }
    }

    @Test func whatIsNeverOfATypeIsNot() throws {
        let evaluator = RuleEvaluator()
        for value in Self.values {
            for type in KindSet.typeNames {
                let expression = try RuleValueExpression(unchecked: RuleSource("\(value) is \(type)", name: "test"))
                let result = evaluator.value(of: expression, auth: .null).map {
                    if case .bool(true) = $0 { true } else { false }
                }
                let isRefused = !Checked.condition("\(value) is \(type)").errors.isEmpty
                #expect(result == !isRefused, "\(value) is \(type)")
            }
        }
    }
}
