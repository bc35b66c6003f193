import Testing

@testable import SecurityRules

@Suite struct CheckedKindTests {
    @Test(arguments: [
        CheckedRow("'a'", "1:1", "a condition must be a bool, but this is a string"),
        CheckedRow("auth", "1:1", "other types are not converted to bool: write auth != null"),
        CheckedRow("auth.uid", "1:1", "write auth.uid != null"),
        CheckedRow("[uid]", "1:1", "test its size: [uid].size() > 0"),
        CheckedRow("1 + 1", "1:1", "this is an int; write a comparison"),
        CheckedRow(
            "auth && uid == 'a'", "1:1",
            "&& takes bools, but this is a map or null; other types are not converted to bool: write auth != null"),
        CheckedRow("'a' || uid == 'a'", "1:1", "|| takes bools, but this is a string"),
        CheckedRow("!auth", "1:2", "write auth != null"),
        CheckedRow("!uid", "1:2", "compare it: uid == '...'"),
        CheckedRow("uid ? true : false", "1:1", "?: takes bools, but this is a string; compare it: uid == '...'"),
        CheckedRow("-uid == 1", "1:1", "- requires a number, but this is a string; remove the -"),
        CheckedRow("(auth.uid == uid ? 'a' : 1)", "1:2", "a condition must be a bool, but this is an int or string"),
        CheckedRow("null", "1:1", "this is null; write a condition, as in auth != null"),
        CheckedRow("auth is null", "1:9", "there is no type 'null'; compare: auth == null"),
        CheckedRow("auth.uid is int", "1:1", "this is never true: auth.uid is a string"),
        CheckedRow("rest is string", "1:1", "this is never true: rest is a path"),
    ])
    func `a condition that is never a Boolean is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow("uid + 1 == 'a'", "1:1", "+ does not apply to a string and an int; write string(1)"),
        CheckedRow("1 + 'a' == 'a1'", "1:1", "write string(1)"),
        CheckedRow("request.headers.x-api-version == '1'", "1:1", "write request.headers['x-api-version']"),
        CheckedRow("auth.token.first-name == 'a'", "1:1", "write auth.token['first-name']"),
        CheckedRow("uid - 'a' == 'a'", "1:1", "- does not apply to a string and a string"),
        CheckedRow("rest + 'a' == 'a'", "1:1", "write string(rest)"),
        CheckedRow("1.5 % 2 == 1", "1:1", "% does not apply to a float and an int; % requires ints: write int(...)"),
        CheckedRow("request.time + 5 > request.time", "1:1", "write duration.value(5, 's')"),
        CheckedRow(
            "5 * duration.value(1, 'm') > duration.value(1, 'm')", "1:1", "* does not apply to an int and a duration"),
        CheckedRow("request.query.limit * 2 == 4", "1:1", "write int(request.query.limit)"),
        CheckedRow("[1].toSet() + [2].toSet() == [1]", "1:1", "write union(...)"),
        CheckedRow("[1] - [2] == [1]", "1:1", "write removeAll(...)"),
        CheckedRow(
            "request.time + request.time > request.time", "1:1", "+ does not apply to a timestamp and a timestamp"),
    ])
    func `arithmetic on kinds that do not have it is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow(
            "auth.uid == 5", "1:1", "this is never true: auth.uid is a string, and 5 is an int; write '5'"),
        CheckedRow("request.query.a == 5", "1:1", "write '5', or int(request.query.a)"),
        CheckedRow("request.time.year() == uid", "1:1", "write string(request.time.year())"),
        CheckedRow("auth.uid != 5", "1:1", "this is always true"),
        CheckedRow("auth == uid", "1:1", "write auth.uid"),
        CheckedRow("request.path == '/a'", "1:1", "write string(request.path), or a path: /a/$(uid)/b"),
        CheckedRow("'/a' != request.path", "1:1", "write string(request.path), or a path"),
        CheckedRow("[uid] == uid", "1:1", "use 'in': uid in [uid]"),
        CheckedRow("hashing.sha256(uid) == uid", "1:1", "write hashing.sha256(uid).toHexString()"),
        CheckedRow("uid == null", "1:1", "this is never true: uid is a string, never null"),
        CheckedRow("request.time == 5", "1:1", "this is never true: request.time is a timestamp"),
        CheckedRow("(auth != null) == 'true'", "1:1", "remove the quotes"),
        CheckedRow("[1] == [1].toSet()", "1:1", "write [1].toSet()"),
        CheckedRow(
            "request.method == 'get'", "1:19",
            "request.method is the HTTP method in upper case, so it is never 'get'; write 'GET'"),
        CheckedRow("'delete' != request.method", "1:1", "write 'DELETE'"),
        CheckedRow("request.method in ['GET', 'create']", "1:19", "write 'POST', or allow create"),
        CheckedRow("request.host == 'Example.com'", "1:17", "write 'example.com'"),
        CheckedRow("request.host == 'example.com:8080'", "1:17", "request.host has no port"),
    ])
    func `a comparison that is never true is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow("uid < 5", "1:1", "< cannot compare a string with an int; write int(uid)"),
        CheckedRow("request.time < 5", "1:1", "write timestamp.value(5), of milliseconds, or request.time.toMillis()"),
        CheckedRow("request.time < '2027-01-01'", "1:1", "write timestamp.date(2027, 1, 31)"),
        CheckedRow("5 < request.time - request.time", "1:1", "write duration.value(5, 's')"),
        CheckedRow("[1] >= [2]", "1:1", ">= cannot compare a list with a list"),
        CheckedRow("auth.token > 3", "1:1", "write auth.token.size()"),
        CheckedRow("request.query.limit <= 10", "1:1", "write int(request.query.limit)"),
        CheckedRow("10 >= '5'", "1:1", "remove the quotes"),
        CheckedRow("null < 1", "1:1", "< cannot compare null with an int"),
    ])
    func `an order of kinds that do not have it is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow("'a' in auth.uid", "1:8", "to search in a string, write auth.uid.matches('.*part.*')"),
        CheckedRow("uid in 5", "1:8", "'in' requires a list, set or map, but this is an int; write a list: [5]"),
        CheckedRow("5 in auth.token", "1:1", "the keys of a map are strings"),
        CheckedRow("uid in [1, 2]", "1:1", "this is never true: uid is a string, and no element is"),
        CheckedRow("uid in []", "1:1", "this is never true"),
        CheckedRow(
            "uid[0:1]['a'] == 'a'", "1:10",
            "a string takes an int in [ ], but this is a string; write int('a')"),
        CheckedRow("auth[0] == 1", "1:6", "takes a string in [ ], but this is an int; write string(0)"),
        CheckedRow("[1].toSet()[0] == 1", "1:1", "use 'in' to test for an element of a set"),
        CheckedRow("[1, 2][2] == 1", "1:8", "this list has 2 elements, so [2] always fails"),
        CheckedRow("uid[-1] == 'a'", "1:5", "an index below 0 always fails"),
        CheckedRow("uid[2:1] == 'a'", "1:7", "a range that ends before it begins always fails; write [1:2]"),
        CheckedRow("uid['a':2] == 'a'", "1:5", "[from:to] takes ints, but this is a string"),
        CheckedRow("rest[0:1] == rest", "1:1", "select a single segment, as in rest[0]"),
        CheckedRow("uid.name == 'a'", "1:5", "uid is a string, which has no members"),
        CheckedRow("uid.size == 1", "1:5", "call it: uid.size()"),
        CheckedRow(
            "auth.token.a[1.0] == 1", "1:14",
            "this takes an int or a string in [ ], but this is a float; write int(1.0)"),
        CheckedRow(
            "auth.token.a - ['a'] == []", "1:1", "- does not apply to any value and a list; write removeAll(...)"),
        CheckedRow("{1: 2}.size() == 1", "1:2", "a map key must be a string, but this is an int"),
        CheckedRow("{auth: 2}.size() == 1", "1:2", "quote it: 'auth'"),
        CheckedRow("{'a': 1, 'a': 2}.size() == 1", "1:10", "duplicate key 'a'"),
        CheckedRow(
            "/a/$(null) == rest", "1:6", "a path segment must be a string or path, but this is null; use a string"),
        CheckedRow(
            "/a/$(1) == rest", "1:6", "a path segment must be a string or path, but this is an int; write $(string(1))"),
    ])
    func `a collection that is used as another kind is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }
}

/// Values of fields, evaluated once for each token.
@Suite struct CheckedValueTests {
    @Test(arguments: [
        "token.role", "uid", "provider", "auth.uid", "auth.token.role", "token.get('role', 'none')",
        "token.roles.join(',')", "'admin' in token.get('roles', []) ? 'admin' : 'user'", "token.email.lower()",
        "timestamp.value(token.auth_time * 1000)", "token", "token.keys().toSet()", "hashing.sha256(uid).toHexString()",
        "token.level + 1", "provider == 'google'", "token.a ? 'a' : null",
    ])
    func `a value of a token is accepted`(value: String) {
        expectNothing(in: Checked.value(value))
    }

    @Test(arguments: [
        CheckedRow("request.path[0]", "1:1", "there is no request here: this is evaluated once for each token"),
        CheckedRow("request.auth.uid", "1:1", "use auth, uid, provider or token"),
        CheckedRow("now", "1:1", "there is no time here"),
        CheckedRow(
            "recentSignIn(duration.value(5, 'm'))", "1:1",
            "recentSignIn requires a request, but this is evaluated once for each token"),
        CheckedRow(
            "secondFactor()", "1:1", "secondFactor requires a request, but this is evaluated once for each token"),
        CheckedRow("email", "1:1", "a claim is a member of the token: token.email"),
        CheckedRow("tokens.role", "1:1", "did you mean token?"),
        CheckedRow("auth.role", "1:6", "auth.token.role"),
        CheckedRow("isOwner(uid)", "1:1", "there is no function 'isOwner'; use a built-in function"),
        CheckedRow("token.role == null ? 'a' : 'b'", "1:1", "write !('role' in token)"),
        CheckedRow("uid == null ? 'a' : 'b'", "1:1", "remove the comparison"),
        CheckedRow("auth == null", "1:1", "this is never true: auth is a map, never null"),
        CheckedRow("null", "1:1", "null is not a field value"),
        CheckedRow("hashing.sha256(uid)", "1:1", "a field cannot contain bytes; write hashing.sha256(uid).toBase64()"),
        CheckedRow("duration.value(5, 'm')", "1:1", "write duration.value(5, 'm').seconds()"),
        CheckedRow("path('/a')", "1:1", "write string(path('/a'))"),
        CheckedRow("token.diff({})", "1:1", "write token.diff({}).affectedKeys()"),
    ])
    func `a value that depends on a request is refused`(row: CheckedRow) {
        expect(Checked.value(row.source).errors, toBe: row)
    }
}
