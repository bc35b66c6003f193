@testable import SecurityRules

extension MethodRow {
    static let lists = [
        MethodRow([1], .concat, [2, 1], is: [1, 2, 1]), MethodRow([], .concat, [], is: []),
        MethodRow([1], .concat, .set(2), fails: .wrongKind), MethodRow([1], .concat, nil, fails: .wrongKind),
        MethodRow("a", .concat, "b", fails: .wrongKind), MethodRow(["a", "b"], .join, ", ", is: "a, b"),
        MethodRow(["a"], .join, ", ", is: "a"), MethodRow([], .join, ",", is: ""),
        MethodRow(["a", ""], .join, "", is: "a"), MethodRow(["a", 1], .join, ",", fails: .wrongKind),
        MethodRow(["a"], .join, 1, fails: .wrongKind), MethodRow(["a", .unreadable], .join, ",", fails: .unreadable),
        MethodRow(["a", "b", "a", "c"], .removeAll, ["a"], is: ["b", "c"]),
        MethodRow([1, 2], .removeAll, [1.0], is: [2]), MethodRow([1], .removeAll, [], is: [1]),
        MethodRow([1], .removeAll, .set(1), fails: .wrongKind), MethodRow(["a", "b", "a"], .toSet, is: .set("a", "b")),
        MethodRow([1, 1.0, true], .toSet, is: .set(1, true)), MethodRow([], .toSet, is: .set()),
        MethodRow([.unreadable], .toSet, fails: .unreadable), MethodRow("a", .toSet, fails: .wrongKind),
    ]

    static let membership = [
        MethodRow(["a", "b"], .hasAll, ["a"], is: true), MethodRow(["a", "b"], .hasAll, [], is: true),
        MethodRow(["a", "b"], .hasAll, ["a", "c"], is: false), MethodRow([1], .hasAll, .set(1.0), is: true),
        MethodRow(.set("d", "e", "f"), .hasAll, ["d", "e"], is: true),
        MethodRow(.set("a", "b"), .hasAll, ["a", "c"], is: false), MethodRow(["a"], .hasAll, "a", fails: .wrongKind),
        MethodRow(["a"], .hasAll, nil, fails: .wrongKind), MethodRow(nil, .hasAll, ["a"], fails: .null),
        MethodRow(["a"], .hasAll, [.unreadable], fails: .unreadable),
        MethodRow(["a", "b"], .hasAny, ["c", "b"], is: true), MethodRow(["a"], .hasAny, ["b"], is: false),
        MethodRow(["a"], .hasAny, [], is: false), MethodRow(.set("a", "b"), .hasAny, .set("c", "d"), is: false),
        MethodRow(.set("a", "b"), .hasAny, .set("a", "c"), is: true),
        MethodRow(["a"], .hasAny, ["a": 1], fails: .wrongKind),
        // An element that cannot be read could be the one. Only a certain element outweighs it.
        MethodRow([.unreadable, "a"], .hasAny, ["a"], is: true),
        MethodRow(["a"], .hasAny, [.unreadable, "a"], is: true),
        MethodRow([.unreadable, "a"], .hasAny, ["b"], fails: .unreadable),
        MethodRow(["a", "b"], .hasOnly, ["a", "c"], is: false),
        MethodRow(["a", "b"], .hasOnly, ["b", "c", "a"], is: true),
        MethodRow(["a", "a", "b"], .hasOnly, ["a", "b", "b"], is: true), MethodRow([], .hasOnly, [], is: true),
        MethodRow(.set("a", "b"), .hasOnly, ["a", "c"], is: false),
        MethodRow(.set("a", "b"), .hasOnly, ["a", "b"], is: true), MethodRow(["a"], .hasOnly, "abc", fails: .wrongKind),
        MethodRow("a", .hasOnly, ["a"], fails: .wrongKind),
    ]

    static let sets = [
        MethodRow(.set("a", "b"), .union, .set("c", "a"), is: .set("a", "b", "c")),
        MethodRow(.set(), .union, .set(), is: .set()), MethodRow(.set("a"), .union, ["b"], fails: .wrongKind),
        MethodRow(.set("a", "b"), .intersection, .set("c", "a"), is: .set("a")),
        MethodRow(.set("a"), .intersection, .set("b"), is: .set()),
        MethodRow(.set("a"), .intersection, "a", fails: .wrongKind),
        MethodRow(.set("a", "b"), .difference, .set("a", "c"), is: .set("b")),
        MethodRow(.set("a"), .difference, .set("a"), is: .set()),
        MethodRow(["a"], .difference, .set("a"), fails: .wrongKind),
    ]

    static let maps = [
        MethodRow(["b": 1, "a": 2], .keys, is: ["a", "b"]), MethodRow([:], .keys, is: []),
        MethodRow(["a"], .keys, fails: .wrongKind), MethodRow(nil, .keys, fails: .null),
        MethodRow(["b": 1, "a": 2], .values, is: [2, 1]), MethodRow([:], .values, is: []),
        MethodRow("a", .values, fails: .wrongKind), MethodRow(["a": 1], .get, "a", 7, is: 1),
        MethodRow(["a": 1], .get, "b", 7, is: 7), MethodRow(["a": nil], .get, "a", 7, is: nil),
        MethodRow(["a": ["b": 1]], .get, ["a", "b"], 7, is: 1), MethodRow(["a": ["b": 1]], .get, ["a", "c"], 7, is: 7),
        MethodRow(["a": 1], .get, ["a", "b"], 7, is: 7), MethodRow(["a": 1], .get, ["b", "c"], 7, is: 7),
        MethodRow(["a": 1], .get, [], 7, fails: .invalidArgument), MethodRow(["a": 1], .get, 1, 7, fails: .wrongKind),
        MethodRow(["a": 1], .get, [1], 7, fails: .wrongKind),
        MethodRow(["a": .unreadable], .get, ["a", "b"], 7, fails: .unreadable),
        MethodRow(["a": 1], .get, .unreadable, 7, fails: .unreadable), MethodRow(nil, .get, "a", 7, fails: .null),
        MethodRow(["a": 1], .diff, ["a": 1], is: .diff(RuleMap(["a": 1]), RuleMap(["a": 1]))),
        MethodRow(["a": 1], .diff, [:], is: .diff(RuleMap(["a": 1]), RuleMap([:]))),
        MethodRow(["a": 1], .diff, ["a"], fails: .wrongKind), MethodRow(["a": 1], .diff, nil, fails: .wrongKind),
    ]

    private static let change = RuleValue.diff(
        RuleMap(["added": 1, "changed": [1, 2], "same": ["x": 1]]),
        RuleMap(["changed": [2, 1], "removed": 1, "same": ["x": 1.0]]))
    private static let none = RuleValue.diff(RuleMap(["a": 1]), RuleMap(["a": 1]))

    static let mapDiffs = [
        MethodRow(change, .addedKeys, is: .set("added")), MethodRow(none, .addedKeys, is: .set()),
        MethodRow(["a": 1], .addedKeys, fails: .wrongKind),
        MethodRow(change, .removedKeys, is: .set("removed")), MethodRow(none, .removedKeys, is: .set()),
        MethodRow(["a"], .removedKeys, fails: .wrongKind),
        MethodRow(change, .changedKeys, is: .set("changed")), MethodRow(none, .changedKeys, is: .set()),
        MethodRow(
            .diff(RuleMap(["a": .unreadable]), RuleMap(["a": 1])), .changedKeys, fails: .unreadable),
        MethodRow(change, .unchangedKeys, is: .set("same")), MethodRow(none, .unchangedKeys, is: .set("a")),
        MethodRow(nil, .unchangedKeys, fails: .null),
        MethodRow(change, .affectedKeys, is: .set("added", "changed", "removed")),
        MethodRow(none, .affectedKeys, is: .set()), MethodRow(none, .size, fails: .wrongKind),
        MethodRow("a", .affectedKeys, fails: .wrongKind),
    ]
}
