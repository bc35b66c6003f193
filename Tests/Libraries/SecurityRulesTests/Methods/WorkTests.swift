import Testing

@testable import SecurityRules

/// The work of hostile values is charged before it is done.
@Suite struct WorkTests {
    @Test func `two lists of thousands are compared within the limit`() throws {
        let names = (0..<2000).map { RuleValue.string("group-with-a-long-name-\($0)") }
        let others = (2000..<4000).map { RuleValue.string("group-with-a-long-name-\($0)") }
        for builtin in [Builtin.hasAny, .hasAll, .hasOnly, .removeAll, .concat] {
            var work = WorkBudget()
            _ = try builtin.call(.list(names), [.list(others)], &work)
            #expect(work.left > RuleLimits.work * 9 / 10)
        }
    }

    @Test(arguments: [Builtin.hasAll, .hasOnly, .removeAll])
    func `elements that cannot be hashed cost their pairs`(builtin: Builtin) {
        let lists = (0..<1500).map { RuleValue.list([.integer($0)]) }
        #expect(Self.failure(builtin, .list(lists), [.list(lists.reversed())]) == .tooMuchWork)
    }

    @Test(arguments: [Builtin.lower, .upper])
    func `a non-ASCII string costs the lookups in Unicode's tables`(builtin: Builtin) {
        let text = RuleValue.string(String(repeating: "\u{390}", count: 100))
        #expect(Self.failure(builtin, text, [], of: 1599) == .tooMuchWork)
        #expect(Self.failure(builtin, text, [], of: 1600) == nil)
    }

    @Test func `a list that is doubled reaches the limit before it fills memory`() {
        var list: RuleValue = ["a"]
        var work = WorkBudget()
        var doublings = 0
        while let longer = try? Builtin.concat.call(list, [list], &work) {
            list = longer
            doublings += 1
        }
        #expect(doublings < 20)
        #expect(work.left == 0)
    }

    @Test func `a string that is joined reaches the limit before it fills memory`() {
        var text: RuleValue = "0123456789abcdef"
        var work = WorkBudget()
        var doublings = 0
        while let longer = try? Builtin.join.call([text, text], [""], &work) {
            text = longer
            doublings += 1
        }
        #expect(doublings < 20)
    }

    /// A list of itself, forty levels deep: two elements to create, and 2^40 to visit.
    @Test func `values that share their parts cost as much as copies`() {
        func nested(_ leaf: RuleValue) -> RuleValue { (0..<40).reduce(leaf) { value, _ in [value, value] } }
        let (a, b) = (nested(1), nested(1.0))
        var work = WorkBudget()
        #expect(throws: RuleFailure.self) { try RuleValue.equal(a, b, &work) }
        #expect(a.text.unicodeScalars.count == RuleLimits.textLength)
        #expect(Self.failure(.toSet, .list([a, b]), []) == .tooMuchWork)
    }

    @Test(
        arguments: [
            (Builtin.lower, RuleValue.string(huge), []), (.upper, .string(huge), []), (.trim, .string(huge), []),
            (.hashingMD5, nil, [.string(huge)]), (.hashingSHA256, nil, [.string(huge)]),
            (.hashingCRC32, nil, [.string(huge)]), (.hashingCRC32C, nil, [.string(huge)]),
            (.toInteger, nil, [.string(huge)]), (.toFloat, nil, [.string(huge)]), (.toPath, nil, [.string(huge)]),
            (.toString, nil, [.path(huge)]), (.toBase64, .bytes(huge), []), (.toHexString, .bytes(huge), []),
            (.keys, .map(hugeMap), []), (.values, .map(hugeMap), []), (.addedKeys, .diff(hugeMap, hugeMap), []),
            (.affectedKeys, .diff(hugeMap, hugeMap), []),
        ] as [(Builtin, RuleValue?, [RuleValue])])
    func `a value that is too large for the budget is not read`(
        builtin: Builtin, receiver: RuleValue?, arguments: [RuleValue]
    ) {
        #expect(Self.failure(builtin, receiver, arguments, of: 999) == .tooMuchWork)
    }

    private static let huge = String(repeating: "1", count: 1000)
    private static let hugeMap = RuleMap((0..<1000).map { (key: "\($0)", value: .null) })

    private static func failure(
        _ builtin: Builtin, _ receiver: RuleValue?, _ arguments: [RuleValue], of steps: Int = RuleLimits.work
    ) -> RuleFailure.Reason? {
        var work = WorkBudget(steps)
        do throws(RuleFailure) {
            _ = try builtin.call(receiver, arguments, &work)
            return nil
        } catch { return error.reason }
    }
}
