import Testing

@testable import SecurityRules

@Suite struct ArithmeticTests {
    @Test(arguments: [
        ("1 + 2 == 3", Expected.yes), ("1 + 2.5 == 3.5", .yes), ("2.5 + 1 == 3.5", .yes), ("'a' + 'b' == 'ab'", .yes),
        ("[1] + [2] == [1, 2]", .yes), ("b'a' + b'b' == b'ab'", .yes), ("1 + 1 == 3", .no),
        ("timestamp.value(0) + duration.value(1, 's') == timestamp.value(1000)", .yes),
        ("duration.value(1, 's') + timestamp.value(0) == timestamp.value(1000)", .yes),
        ("duration.value(1, 's') + duration.value(1, 's') == duration.value(2, 's')", .yes),
        ("token.max + 1", .fails(.overflow)), ("token.min + -1", .fails(.overflow)), ("1 + 'a'", .fails(.wrongKind)),
        ("'a' + 1", .fails(.wrongKind)), ("null + 1", .fails(.wrongKind)), ("token.odd + 1", .fails(.unreadable)),
        ("timestamp.date(9999, 12, 31) + duration.value(1, 'd')", .fails(.overflow)),
        ("timestamp.value(0) + timestamp.value(0)", .fails(.wrongKind)),
    ])
    func valuesAreAdded(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("3 - 2 == 1", Expected.yes), ("3 - 2.5 == 0.5", .yes), ("3 - 2 == 2", .no),
        ("token.min - 1", .fails(.overflow)),
        ("timestamp.value(1000) - timestamp.value(0) == duration.value(1, 's')", .yes),
        ("timestamp.value(1000) - duration.value(1, 's') == timestamp.value(0)", .yes),
        ("duration.value(1, 's') - duration.value(2, 's') == duration.value(-1, 's')", .yes),
        ("duration.value(1, 's') - timestamp.value(0)", .fails(.wrongKind)), ("'a' - 'a'", .fails(.wrongKind)),
        ("[1] - [1]", .fails(.wrongKind)), ("1 - token.odd", .fails(.unreadable)),
    ])
    func valuesAreSubtracted(expression: String, outcome: Expected) throws { try expect(expression, outcome) }

    @Test(arguments: [
        ("2 * 3 == 6", Expected.yes), ("2 * 1.5 == 3.0", .yes), ("token.max * 2", .fails(.overflow)),
        ("token.min * -1", .fails(.overflow)), ("'a' * 2", .fails(.wrongKind)), ("2 * 3 == 7", .no),
        ("7 / 2 == 3", .yes), ("-7 / 2 == -3", .yes), ("7 / 2.0 == 3.5", .yes), ("7 / 2 == 4", .no),
        ("1 / 0", .fails(.divisionByZero)), ("token.min / -1", .fails(.overflow)), ("1.0 / 0 == token.infinity", .yes),
        ("0.0 / 0 == 0.0", .no), ("'a' / 2", .fails(.wrongKind)),
        ("7 % 2 == 1", .yes), ("-7 % 2 == -1", .yes), ("7 % 2 == 0", .no), ("1 % 0", .fails(.divisionByZero)),
        ("token.min % -1", .fails(.overflow)), ("1.5 % 1", .fails(.wrongKind)),
    ])
    func numbersAreMultipliedAndDivided(expression: String, outcome: Expected) throws {
        try expect(expression, outcome)
    }

    @Test(arguments: [
        ("-token.int == -7", Expected.yes), ("-token.float == -1.5", .yes), ("-token.int == 7", .no),
        ("-token.min", .fails(.overflow)), ("-token.text", .fails(.wrongKind)), ("-token.odd", .fails(.unreadable)),
        ("-duration.value(1, 's')", .fails(.wrongKind)),
    ])
    func numbersAreNegated(expression: String, outcome: Expected) throws { try expect(expression, outcome) }
}
