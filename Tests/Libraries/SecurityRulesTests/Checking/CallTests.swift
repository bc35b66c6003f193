import Testing

@testable import SecurityRules

@Suite struct CheckedCallTests {
    @Test(arguments: [
        CheckedRow("uid.size(1) == 1", "1:5", "size takes no arguments, but has 1; write x.size()"),
        CheckedRow("uid.matches()", "1:5", "matches takes 1 argument, but has 0"),
        CheckedRow(
            "auth.token.get('a') == 1", "1:12", "get takes 2 arguments, but has 1; write m.get('key', default)"),
        CheckedRow(
            "math.pow(2) == 4.0", "1:6", "math.pow takes 2 arguments, but has 1; write math.pow(number, number)"),
        CheckedRow("secondFactor(1)", "1:1", "secondFactor takes no arguments"),
        CheckedRow("recentSignIn()", "1:1", "write recentSignIn(duration.value(5, 'm'))"),
        CheckedRow("timestamp.date(2027, 1) < request.time", "1:11", "timestamp.date takes 3 arguments, but has 2"),
    ])
    func `a wrong number of arguments is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow("request.path.matches('/a/.*')", "1:14", "write string(request.path).matches(...)"),
        CheckedRow("rest.size() == 1", "1:6", "rest is a path, which has no size"),
        CheckedRow("[1].union([2].toSet()).size() == 1", "1:5", "write [1].toSet().union(...)"),
        CheckedRow("auth.token.hasAny(['a'])", "1:12", "write auth.token.keys().hasAny(...)"),
        CheckedRow("5.year() == 1970", "1:3", "write timestamp.value(5).year(), of milliseconds"),
        CheckedRow("uid.year() == 1970", "1:5", "uid is a string, which has no year; it is a method of timestamp"),
        CheckedRow("null.size() == 1", "1:6", "null is null, which has no size"),
        CheckedRow("uid.matches(1)", "1:13", "matches takes a string here, but this is an int; write string(1)"),
        CheckedRow(
            "recentSignIn(300)", "1:14",
            "recentSignIn takes a duration here, but this is an int; write duration.value(300, 's')"),
        CheckedRow("recentSignIn('5m')", "1:14", "write duration.value(5, 'm')"),
        CheckedRow("['a'].hasAny('a')", "1:14", "hasAny takes a list or set here, but this is a string; write ['a']"),
        CheckedRow("['a'].hasAny(auth.token)", "1:14", "write auth.token.keys()"),
        CheckedRow("timestamp.value('5') < request.time", "1:17", "write int('5')"),
        CheckedRow("int(auth) == 1", "1:5", "int takes a number or string here, but this is a map or null"),
    ])
    func `arguments of a kind that never fits are refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow("1 / 0 == 1", "1:1", "a division by zero always fails"),
        CheckedRow("uid.size() % 0 == 1", "1:1", "a division by zero always fails"),
        CheckedRow(
            "9223372036854775807 + 1 > 0", "1:1",
            "the result exceeds 64 bits, so this always fails; use a float: 1.0 * ..."),
        CheckedRow(
            "-9223372036854775808 / -1 > 0", "1:1",
            "the result exceeds 64 bits, so this always fails; use a float: 1.0 * ..."),
        CheckedRow(
            "-(-9223372036854775808) > 0", "1:1",
            "the result exceeds 64 bits, so this always fails; use a float: 1.0 * ..."),
        CheckedRow(
            "duration.value(5, 'min') > duration.value(1, 's')", "1:19",
            "'min' is not a duration unit; the units are w, d, h, m, s, ms, ns"),
        CheckedRow(
            "request.time < timestamp.date(2027, 13, 1)", "1:26", "with these arguments timestamp.date always fails"),
        CheckedRow("request.time < timestamp.date(0, 1, 1)", "1:26", "timestamp.date always fails"),
        CheckedRow("request.time < timestamp.date(2027, 2, 29)", "1:26", "as in timestamp.date(2027, 1, 31)"),
        CheckedRow("request.time < timestamp.date(auth.token.year, 1, 32)", "1:51", "a day is 1 to 31"),
        CheckedRow("int('five') == 5", "1:1", "with these arguments int always fails: the text cannot be read"),
        CheckedRow("bool('yes')", "1:1", "with these arguments bool always fails: the text cannot be read"),
        CheckedRow("[1, 2].join(',') == '1,2'", "1:8", "always fails"),
        CheckedRow("uid.matches('a(b')", "1:13", "invalid regular expression at character 2: the group is not closed"),
        CheckedRow(
            "uid.replace('(a)', '\\\\2') == 'a'", "1:20",
            "invalid replacement at character 1: the pattern has no group 2"),
        CheckedRow(
            "uid.split('[') == []", "1:11", "invalid regular expression at character 1: the bracket is not closed"),
        CheckedRow(
            "uid.matches('a{1001}')", "1:13", "invalid regular expression at character 2: more than 1000 repeats"),
    ])
    func `a call or operation that always fails is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test func `a float divided by zero is a value`() {
        #expect(Checked.condition("1.0 / 0 > 1.0").errors.isEmpty)
        #expect(Checked.condition("auth.token.a / 0 > 1.0").errors.isEmpty)
    }

    @Test func `errors that follow from an earlier error are not reported`() {
        #expect(Checked.condition("foo.bar(1).baz[2] + 1 == 'a' && !foo2.x").errors.count == 2)
    }
}
