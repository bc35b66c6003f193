import Testing

@testable import SecurityRules

@Suite struct CheckedNameTests {
    @Test(arguments: [
        CheckedRow("uuid == 'a'", "1:1", "there is no name 'uuid' here; did you mean uid?"),
        CheckedRow("auth.uid == owner", "1:13", "the names here are auth, request, uid, rest"),
        CheckedRow("Auth.uid == uid", "1:1", "did you mean auth?"),
        CheckedRow("requst.auth != null", "1:1", "did you mean request?"),
        CheckedRow("request == null", "1:1", "'request' is not a value; use its members"),
        CheckedRow("request['auth'] != null", "1:1", "write request.auth"),
        CheckedRow(
            "request.get('auth', null) != null", "1:1",
            "request is not a value; use its members, as in request.auth; call get on a member"),
        CheckedRow("math == 1", "1:1", "'math' is a namespace of functions, not a value; call one, as in math.abs(-1)"),
        CheckedRow("secondFactor", "1:1", "'secondFactor' is a function without a call; write secondFactor(...)"),
        CheckedRow("math.abs == 1", "1:6", "math.abs is a function without a call"),
        CheckedRow("math.floor2(1.5) == 1", "1:6", "did you mean math.floor?"),
        CheckedRow("math.max(1, 2) == 1", "1:6", "it has abs, ceil, floor, isInfinite, isNaN, pow, round, sqrt"),
        CheckedRow("hashing.sha1('a') == b'a'", "1:9", "hashing has no function 'sha1'"),
        CheckedRow("request.ath != null", "1:9", "did you mean request.auth?"),
        CheckedRow("request.ip == '::1'", "1:9", "it has auth, app, method, path, time, host, query, headers"),
        CheckedRow("request.auth.email == 'a'", "1:14", "a claim is a member of the token: request.auth.token.email"),
        CheckedRow("auth.role == 'a'", "1:6", "auth.token.role"),
        CheckedRow("auth['role'] == 'a'", "1:6", "auth has no member role"),
        CheckedRow("auth.uuid == 'a'", "1:6", "did you mean auth.uid?"),
        CheckedRow("isOwner(uid)", "1:1", "there is no function 'isOwner'; declare it: function isOwner(...)"),
        CheckedRow("recentSignin(duration.value(5, 'm'))", "1:1", "did you mean recentSignIn?"),
        CheckedRow("sha256(uid) == b'a'", "1:1", "write hashing.sha256(...)"),
        CheckedRow("size(uid) == 1", "1:1", "it is a method: uid.size(...)"),
        CheckedRow("uid.sise() == 1", "1:5", "there is no method 'sise'; did you mean size?"),
        CheckedRow("rest.frobnicate()", "1:6", "there is no method 'frobnicate'; it has bind"),
        CheckedRow("auth.token.x.frobnicate()", "1:14", "the manual lists the methods of each type"),
        CheckedRow("{uid2: 1}.size() == 1", "1:2", "quote it: 'uid2'"),
        CheckedRow(
            "request.headers['X-Role'] == 'a'", "1:17", "in lower case, so this is never present; write 'x-role'"),
        CheckedRow("request.headers.Role == 'a'", "1:17", "write 'role'"),
        CheckedRow("'Role' in request.headers", "1:1", "write 'role'"),
        CheckedRow("request.headers.get('Role', '') == 'a'", "1:21", "write 'role'"),
        CheckedRow(
            "request.headers['authorization'] == 'a'", "1:17",
            "rules cannot read credentials, so there is no field authorization"),
        CheckedRow(
            "request.headers['Cookie'] == 'a'", "1:17", "rules cannot read credentials, so there is no field cookie"),
        CheckedRow(
            "request.headers.get('proxy-authorization', '') == 'a'", "1:21", "use auth, the verified identity"),
        CheckedRow("'cookie' in request.headers", "1:1", "rules cannot read credentials, so there is no field cookie"),
        CheckedRow(
            "'cookie' in request.headers.keys()", "1:1", "rules cannot read credentials, so there is no field cookie"),
    ])
    func `an unknown name is refused with the likely one`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }
}
