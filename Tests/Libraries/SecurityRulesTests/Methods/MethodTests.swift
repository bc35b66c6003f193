import Testing

@testable import SecurityRules

@Suite struct MethodTests {
    static let all =
        MethodRow.strings + MethodRow.patterns + MethodRow.bytes + MethodRow.lists + MethodRow.membership
        + MethodRow.sets + MethodRow.maps
        + MethodRow.mapDiffs + MethodRow.timestamps + MethodRow.timestampFunctions + MethodRow.durationFunctions
        + MethodRow.math + MethodRow.conversions + MethodRow.paths + MethodRow.hashing

    /// A value of each kind.
    static let kinds: [RuleValue] = [
        nil, true, 1, 1.5, "a", .bytes("a"), [1], ["a": 1], .set(1), .diff(RuleMap([:]), RuleMap([:])), .time(0),
        .span(0), .path("a"), .unreadable,
    ]

    @Test(arguments: all)
    func `a call has the outcome of its row`(row: MethodRow) {
        #expect(row.outcome.isSame(as: row.expected), "\(row.outcome)")
    }

    /// The functions that need the evaluator. The tests of the evaluator cover them.
    static let ofTheEvaluator: Set<Builtin> = [.debug, .recentSignIn, .secondFactor]

    @Test(arguments: Set(Builtin.allCases).subtracting(ofTheEvaluator))
    func `every method and function has rows of two values and of a failure`(builtin: Builtin) {
        let rows = Self.all.filter { $0.builtin == builtin }
        let values = rows.compactMap { if case .value(let value) = $0.expected { value.text } else { nil } }
        #expect(Set(values).count >= 2, "\(builtin.name)")
        #expect(rows.count > values.count, "\(builtin.name)")
    }

    @Test(arguments: Builtin.allCases)
    func `any arguments give a value or a failure, and never a trap`(builtin: Builtin) {
        for receiver in Self.kinds {
            _ = Outcome { work throws(RuleFailure) in try builtin.call(receiver, [], &work) }
            for first in Self.kinds {
                for second in Self.kinds {
                    _ = Outcome { work throws(RuleFailure) in try builtin.call(receiver, [first, second], &work) }
                }
            }
        }
    }

    @Test(arguments: Set(Builtin.allCases).subtracting(ofTheEvaluator))
    func `a kind that no overload accepts is a failure`(builtin: Builtin) throws {
        let overload = try #require(builtin.overloads.first)
        for value in Self.kinds {
            let kind = KindSet(value.kind)
            let (receiver, arguments): (RuleValue?, [RuleValue])
            if let receivers = overload.receiver {
                guard !receivers.contains(kind) else { continue }
                (receiver, arguments) = (value, ["a", "a", "a", "a"])
            } else {
                guard !overload.parameters[0].contains(kind) else { continue }
                (receiver, arguments) = (nil, [value, 1, 1, 1])
            }
            let outcome = Outcome { work throws(RuleFailure) in try builtin.call(receiver, arguments, &work) }
            guard case .failure = outcome else {
                Issue.record("\(builtin.name) takes \(value.kind.name)")
                continue
            }
        }
    }
}
