import Testing

@testable import SecurityRules

/// The checker compared with the evaluator, for a value of every kind: an expression that the checker refuses must
/// fail, and an expression that it accepts must not fail because of a kind.
@Suite struct CheckedAgreementTests {
    private static let values = [
        "null", "true", "1", "1.5", "'a'", "b'a'", "['a']", "{'a': 'a'}", "['a'].toSet()", "{'a': 1}.diff({})",
        "timestamp.value(0)", "duration.value(1, 's')", "path('/a')",
    ]
    private static let pairs = values.flatMap { left in values.map { (left, $0) } }

    /// Whether an expression is true. `nil` if it fails.
    private func isTrue(_ expression: String, _ evaluator: RuleEvaluator) throws -> Bool? {
        let expression = try RuleValueExpression(unchecked: RuleSource(expression, name: "test"))
        return evaluator.value(of: expression, auth: .null).map(\.isTrue)
    }

    private func isRefused(_ condition: String) -> Bool { !Checked.condition(condition).errors.isEmpty }

    private func expectAgreement(on expression: String, _ evaluator: RuleEvaluator) throws {
        let errors = Checked.condition("[\(expression)].size() == 1").errors.map(\.description)
        let reason = try failure(of: expression, evaluator: evaluator)
        if errors.isEmpty {
            let ofKind: [RuleFailure.Reason] = [.wrongKind, .notBoolean, .null]
            #expect(reason.map(ofKind.contains) != true, "\(expression) is accepted")
        } else {
            #expect(reason != nil, "\(expression): \(errors)")
        }
    }

    @Test(arguments: ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "&&", "||"])
    func `an operator is refused only if it fails`(operation: String) throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs {
            // `true ||` absorbs the failure of the other operand.
            if operation == "||", left == "true" || right == "true" { continue }
            try expectAgreement(on: "\(left) \(operation) \(right)", evaluator)
        }
    }

    @Test func `an operator of one value is refused only if it fails`() throws {
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

    @Test func `an index is refused only if it fails`() throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs { try expectAgreement(on: "\(left)[\(right)]", evaluator) }
    }

    @Test func `a call is refused only if it fails`() throws {
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

    /// Lists of arguments: a value of every kind in each position, with numbers or strings in the others.
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

    @Test func `values that are refused as never equal are not equal`() throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs {
            let isNeverEqual = isRefused("\(left) == \(right)")
            let isEqual = try isTrue("\(left) == \(right)", evaluator)
            #expect(!isNeverEqual || isEqual == false, "\(left) == \(right)")
            #expect(isRefused("\(left) != \(right)") == isNeverEqual || left == "null" || right == "null")
        }
    }

    @Test func `a value that is refused as never in a collection is not in it`() throws {
        let evaluator = RuleEvaluator()
        for (left, right) in Self.pairs where isRefused("\(left) in \(right)") {
            #expect(try isTrue("\(left) in \(right)", evaluator) != true, "\(left) in \(right)")
        }
    }

    @Test func `a value that is refused as never of a type is not of that type`() throws {
        let evaluator = RuleEvaluator()
        for value in Self.values {
            for type in KindSet.typeNames {
                let test = "\(value) is \(type)"
                #expect(try isTrue(test, evaluator) == !isRefused(test), "\(test)")
            }
        }
    }
}
