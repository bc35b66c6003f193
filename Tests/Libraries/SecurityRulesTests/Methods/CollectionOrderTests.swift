import Testing

@testable import SecurityRules

@Suite struct CollectionOrderTests {
    /// The elements as text, because equality of sets ignores their order.
    @Test(arguments: [
        MethodRow(.set("b", "a"), .union, .set("c", "a", "d"), is: .set("b", "a", "c", "d")),
        MethodRow(.set("b", "a", "c"), .intersection, .set("c", "b"), is: .set("b", "c")),
        MethodRow(.set("b", "a", "c"), .difference, .set("a"), is: .set("b", "c")),
        MethodRow(["b", 1, "b", "a", 1.0], .toSet, is: .set("b", 1, "a")),
        MethodRow([3, 1, 2, 1], .removeAll, [2], is: [3, 1, 1]),
    ])
    func `elements keep the order of the first collection`(row: MethodRow) {
        #expect(row.outcome.description == row.expected.description)
    }

    /// Beyond a few hundred pairs, elements are looked up by their hash. The results must be the same.
    @Test(arguments: [
        (Builtin.hasAll, true), (.hasAny, true), (.hasOnly, true),
    ])
    func `long lists give the same results as short ones`(builtin: Builtin, isTrue: Bool) throws {
        let mixed = Self.mixed(count: 300)
        #expect(try Self.call(mixed, builtin, mixed.reversed()) == isTrue)
        #expect(try Self.call(mixed, builtin, mixed + ["nobody"]) == (builtin != .hasAll))
        #expect(try Self.call(mixed + ["somebody"], builtin, mixed) == (builtin != .hasOnly))
    }

    @Test func `a long list with an unreadable element is certain only of the elements it has`() throws {
        let list = Self.mixed(count: 300) + [.unreadable]
        #expect(try Self.call(list, .hasAll, Self.mixed(count: 300)))
        #expect(throws: RuleFailure.self) { try Self.call(list, .hasAny, ["nobody", "no one"]) }
    }

    @Test func `NaN equals nothing in a long list`() throws {
        let list = [RuleValue](repeating: .float(.nan), count: 100)
        #expect(try !Self.call(list, .hasAny, list))
    }

    static func mixed(count: Int) -> [RuleValue] {
        (0..<count).flatMap { number -> [RuleValue] in
            [
                .string("role-\(number)"), .integer(Int64(number)), .float(Double(number) + 0.5),
                [.integer(Int64(number % 7))],
            ]
        } + [nil, true, false]
    }

    private static func call(
        _ list: [RuleValue], _ builtin: Builtin, _ others: [RuleValue]
    ) throws(RuleFailure) -> Bool {
        var work = WorkBudget()
        guard case .bool(let result) = try builtin.call(.list(list), [.list(others)], &work) else { return false }
        return result
    }
}
