import Testing

@testable import SecurityRules

/// The expected outcome of an expression.
enum Expected: Sendable {
    case yes, no
    case fails(RuleFailure.Reason)
}

/// Checks an expression over `auth.token.*`, with the claims of `OperatorTests.claims`.
func expect(_ expression: String, _ expected: Expected) throws {
    let auth = auth("ada", OperatorTests.claims)
    switch expected {
    case .yes: #expect(try value(of: "(\(expression)) == true", auth: auth).isTrue, "\(expression)")
    case .no: #expect(try value(of: "(\(expression)) == false", auth: auth).isTrue, "\(expression)")
    case .fails(let reason): #expect(try failure(of: expression, auth: auth) == reason, "\(expression)")
    }
}

extension RuleValue {
    var isTrue: Bool {
        if case .bool(true) = self { return true }
        return false
    }
}

@Suite struct OperatorTests {
    static let claims: [String: RuleValue] = [
        "yes": true, "no": false, "int": 7, "min": .integer(.min), "max": .integer(.max), "float": 1.5,
        "nan": .float(.nan), "infinity": .float(.infinity), "text": "äbc", "list": [1, 2, 3], "none": nil,
        "map": ["a": 1, "b": ["c": "deep"]], "odd": .unreadable, "oddList": [1, .unreadable],
    ]

    @Test(arguments: [
        ("true && true", Expected.yes), ("true && false", .no), ("false && true", .no), ("token.missing && false", .no),
        ("false && token.missing", .no), ("token.int && false", .no), ("false && token.odd", .no),
        ("token.odd && false", .no), ("token.missing && true", .fails(.noSuchMember)),
        ("true && token.missing", .fails(.noSuchMember)), ("token.int && true", .fails(.notBoolean)),
        ("true && token.odd", .fails(.unreadable)), ("token.missing && token.int", .fails(.noSuchMember)),
        ("token.int && token.missing", .fails(.notBoolean)), ("true && token.missing && false", .no),
    ])
    func `false decides &&`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("true || false", Expected.yes), ("false || true", .yes), ("false || false", .no),
        ("token.missing || true", .yes), ("true || token.missing", .yes), ("1 / 0 == 1 || true", .yes),
        ("token.missing || false", .fails(.noSuchMember)), ("false || token.int", .fails(.notBoolean)),
        ("token.int || token.missing", .fails(.notBoolean)), ("false || 1 / 0 == 1 || true", .yes),
        ("token.odd || false", .fails(.unreadable)),
    ])
    func `true decides ||`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("!token.no", Expected.yes), ("!token.yes", .no), ("!!token.yes", .yes), ("!token.int", .fails(.notBoolean)),
        ("!token.missing", .fails(.noSuchMember)), ("!token.odd", .fails(.unreadable)), ("!null", .fails(.notBoolean)),
    ])
    func `! negates a Boolean`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("token.yes ? true : token.missing", Expected.yes), ("token.no ? token.missing : false", .no),
        ("(token.no ? 1 : 2) == 2", .yes), ("token.int ? true : true", .fails(.notBoolean)),
        ("token.missing ? true : true", .fails(.noSuchMember)), ("(1 / 0 > 1 ? true : true) || true", .yes),
    ])
    func `a conditional evaluates one branch`(expression: String, outcome: Expected) throws {
        try expect(expression, outcome)
    }

    @Test(arguments: [
        ("token.int == 7", Expected.yes), ("token.int == 7.0", .yes), ("token.int == '7'", .no),
        ("token.max == 9223372036854775807.0", .no), ("token.nan == token.nan", .no), ("token.nan != token.nan", .yes),
        ("token.none == null", .yes), ("null == false", .no), ("token.text == 'äbc'", .yes),
        ("token.list == [1, 2, 3]", .yes), ("token.list == [3, 2, 1]", .no), ("token.map.b == {'c': 'deep'}", .yes),
        ("[1, 2].toSet() == [2, 1].toSet()", .yes), ("b'ab' == b'ab'", .yes), ("b'ab' == 'ab'", .no),
        ("'e\u{301}' == '\u{e9}'", .no), ("token.odd == 1", .fails(.unreadable)),
        ("null != token.odd", .fails(.unreadable)), ("token.oddList == [1, 2]", .fails(.unreadable)),
        ("token.missing != 1", .fails(.noSuchMember)), ("path('/a/b') == /a/b", .yes), ("/a/$(uid) == /a/ada", .yes),
        ("/a/$('b') == /a/c", .no), ("/a/$(1) == /a/b", .fails(.wrongKind)),
        ("/a/$(token.odd) == /a/b", .fails(.unreadable)),
    ])
    func `values are equal by kind and content`(expression: String, outcome: Expected) throws {
        try expect(expression, outcome)
    }

    @Test(arguments: [
        ("1 < 2", Expected.yes), ("2 < 1", .no), ("2 <= 2", .yes), ("3 <= 2", .no), ("2 > 1", .yes), ("1 > 1", .no),
        ("1 >= 1", .yes), ("0 >= 1", .no), ("1 < 1.5", .yes), ("token.max < 9223372036854775807.0", .yes),
        ("token.nan < 1", .no), ("token.nan >= 1", .no), ("'a' < 'b'", .yes), ("'z' < 'ä'", .yes),
        ("false < true", .yes), ("b'a' < b'b'", .yes), ("duration.value(1, 's') < duration.value(1, 'm')", .yes),
        ("timestamp.value(1) < timestamp.value(0)", .no), ("token.int < '8'", .fails(.wrongKind)),
        ("token.list < [9]", .fails(.wrongKind)), ("null < 1", .fails(.wrongKind)),
        ("token.odd < 1", .fails(.unreadable)),
    ])
    func `values with an order are compared`(expression: String, outcome: Expected) throws {
        try expect(expression, outcome)
    }

    @Test(arguments: [
        ("2 in token.list", Expected.yes), ("2.0 in token.list", .yes), ("9 in token.list", .no),
        ("'a' in token.map", .yes), ("'z' in token.map", .no), ("1 in [1].toSet()", .yes),
        ("'a' in token.text", .fails(.wrongKind)), ("1 in token.map", .fails(.wrongKind)), ("1 in token.oddList", .yes),
        ("2 in token.oddList", .fails(.unreadable)), ("1 in null", .fails(.wrongKind)),
    ])
    func `in searches collections`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("token.int is int", Expected.yes), ("token.int is number", .yes), ("token.float is number", .yes),
        ("token.int is float", .no), ("token.text is string", .yes), ("token.list is list", .yes),
        ("token.map is map", .yes), ("token.yes is bool", .yes), ("token.none is string", .no),
        ("[1].toSet() is set", .yes), ("{}.diff({}) is map_diff", .yes), ("b'' is bytes", .yes), ("/a is path", .yes),
        ("timestamp.value(0) is timestamp", .yes), ("duration.value(1, 's') is duration", .yes),
        ("token.odd is string", .fails(.unreadable)), ("token.missing is string", .fails(.noSuchMember)),
    ])
    func `is tests the kind`(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    /// The values of arithmetic are in `BehaviourTable.arithmetic`.
    @Test(arguments: [
        ("1 + 2.5 == 3.5", Expected.yes), ("2.5 + 1 == 3.5", .yes), ("token.max + 1", .fails(.overflow)),
        ("token.min + -1", .fails(.overflow)), ("1 + 'a'", .fails(.wrongKind)), ("'a' + 1", .fails(.wrongKind)),
        ("null + 1", .fails(.wrongKind)), ("token.odd + 1", .fails(.unreadable)),
        ("timestamp.date(9999, 12, 31) + duration.value(1, 'd')", .fails(.overflow)),
        ("timestamp.value(0) + timestamp.value(0)", .fails(.wrongKind)), ("token.min - 1", .fails(.overflow)),
        ("duration.value(1, 's') - timestamp.value(0)", .fails(.wrongKind)), ("'a' - 'a'", .fails(.wrongKind)),
        ("[1] - [1]", .fails(.wrongKind)), ("1 - token.odd", .fails(.unreadable)), ("token.max * 2", .fails(.overflow)),
        ("token.min * -1", .fails(.overflow)), ("'a' * 2", .fails(.wrongKind)), ("1 / 0", .fails(.divisionByZero)),
        ("token.min / -1", .fails(.overflow)), ("'a' / 2", .fails(.wrongKind)), ("1 % 0", .fails(.divisionByZero)),
        ("token.min % -1", .fails(.overflow)), ("1.5 % 1", .fails(.wrongKind)), ("-token.min", .fails(.overflow)),
        ("-token.text", .fails(.wrongKind)), ("-token.odd", .fails(.unreadable)),
        ("-duration.value(1, 's')", .fails(.wrongKind)),
    ])
    func `arithmetic fails with a reason`(expression: String, outcome: Expected) throws {
        try expect(expression, outcome)
    }
}
