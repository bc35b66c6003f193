import Testing

@testable import SecurityRules

@Suite struct CheckedHabitTests {
    @Test(arguments: [
        CheckedRow("resource.data.owner == uid", "1:1", "there is no 'resource'"),
        CheckedRow(
            "request.resource.data.a == 1", "1:9",
            "there is no request.resource: rules cannot read request bodies; check the body"),
        CheckedRow("request.data.a == 1", "1:9", "check the body in the service"),
        CheckedRow("get(/users/$(uid)).data.admin", "1:1", "there is no get()"),
        CheckedRow("exists(/users/$(uid))", "1:1", "store the required data in a custom claim"),
        CheckedRow("getAfter(/users/$(uid)).data.admin", "1:1", "no database"),
        CheckedRow("existsAfter(/users/$(uid))", "1:1", "no database"),
        CheckedRow("firestore.get(/users/$(uid)).data.admin", "1:1", "there is no firestore.get()"),
        CheckedRow("latlng.value(1, 2) == 1", "1:1", "rules of HTTP requests have no geographic locations"),
        CheckedRow("uid is latlng", "1:8", "there is no type 'latlng'"),
        CheckedRow("uid is constraint", "1:8", "there is no type 'constraint'"),
        CheckedRow("request.params.uid == uid", "1:9", "capture segments in the pattern, as in /users/{uid}"),
        CheckedRow("request.url == uid", "1:9", "write request.path"),
        CheckedRow("request.user.uid == uid", "1:9", "write request.auth"),
    ])
    func `a condition that needs a database is refused`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow(
            "root.child('a').val() == uid", "1:1", "there is no 'root', which belongs to Realtime Database rules"),
        CheckedRow("data.val() == uid", "1:1", "there is no 'data', which belongs to Realtime Database rules"),
        CheckedRow("newData.exists()", "1:1", "there is no 'newData', which belongs to Realtime Database rules"),
        CheckedRow("now < 5", "1:1", "write request.time, a timestamp, or request.time.toMillis()"),
        CheckedRow("auth.token.name.val() == uid", "1:17", "val() is not needed: write auth.token.name"),
        CheckedRow("auth.token.child('a') == uid", "1:12", "write auth.token['a']"),
        CheckedRow("auth.token.hasChild('a')", "1:12", "write 'a' in auth.token"),
        CheckedRow("auth.token.hasChildren(['a'])", "1:12", "write auth.token.keys().hasAll(['a'])"),
        CheckedRow("auth.token.hasChildren()", "1:12", "write auth.token.size() > 0"),
        CheckedRow("auth.token.a.isString()", "1:14", "write auth.token.a is string"),
        CheckedRow("auth.token.a.isNumber()", "1:14", "write auth.token.a is number"),
        CheckedRow("auth.token.a.isBoolean()", "1:14", "write auth.token.a is bool"),
        CheckedRow("auth.token.a.exists()", "1:14", "use 'in': 'key' in map"),
        CheckedRow(
            "auth.token.email.contains('@a.b')", "1:18", "write auth.token.email.matches('.*@a[.]b.*'), or '@a.b' in"),
        CheckedRow("uid.contains('a')", "1:5", "write uid.matches('.*a.*')"),
        CheckedRow("['a'].contains(uid)", "1:7", "write uid in ['a']"),
        CheckedRow("uid.beginsWith('a')", "1:5", "write uid.matches('a.*')"),
        CheckedRow("auth.token.email.endsWith('.org')", "1:18", "write auth.token.email.matches('.*[.]org')"),
        CheckedRow("uid.endsWith(auth.uid)", "1:5", "write uid.matches('.*text')"),
        CheckedRow("uid.length == 5", "1:5", "write uid.size()"),
        CheckedRow("auth.token.roles.length > 0", "1:18", "a member of that name is auth.token.roles['length']"),
        CheckedRow("uid.toLowerCase() == 'a'", "1:5", "write uid.lower()"),
        CheckedRow("uid.toUpperCase() == 'a'", "1:5", "write uid.upper()"),
        CheckedRow(
            "auth.uid == null", "1:1",
            "without a user auth.uid is an error, not null; write auth == null to test for anonymous requests"),
        CheckedRow("request.auth.uid == null", "1:1", "write auth == null to test for anonymous requests"),
        CheckedRow("null == auth.token", "1:1", "write auth == null to test for anonymous requests"),
        CheckedRow(
            "auth.token.role == null", "1:1", "a missing claim is an error, not null, so auth.token.role is never null"),
        CheckedRow("auth.token.role == null", "1:1", "write !('role' in auth.token)"),
        CheckedRow("auth.token['a-b'] == null", "1:1", "write !('a-b' in auth.token)"),
        CheckedRow(
            "request.auth.token.firebase.tenant == null", "1:1", "write !('tenant' in request.auth.token.firebase)"),
        CheckedRow("request.headers['x-a'] == null", "1:1", "write !('x-a' in request.headers)"),
        CheckedRow("request.query.a == null", "1:1", "write !('a' in request.query)"),
    ])
    func `a habit of Realtime Database rules is refused with its equivalent`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }

    @Test(arguments: [
        CheckedRow("auth.token.roles.includes('a')", "1:18", "'a' in auth.token.roles for a list"),
        CheckedRow("uid.startsWith('a')", "1:5", "write uid.matches('a.*')"),
        CheckedRow("uid.toString() == 'a'", "1:5", "write string(uid)"),
        CheckedRow("uid.substring(0, 1) == 'a'", "1:5", "write uid[from:to]"),
        CheckedRow("uid.isEmpty()", "1:5", "write uid.size() == 0"),
        CheckedRow("auth.token.roles.exists_one(uid, true)", "1:18", "rules have no loops"),
        CheckedRow("Math.abs(1) == 1", "1:1", "write math.abs(...)"),
        CheckedRow("Date.now() == 1", "1:1", "write request.time"),
        CheckedRow("has(auth.token.a)", "1:1", "use 'in': 'key' in map"),
        CheckedRow("len(uid) == 1", "1:1", "write uid.size()"),
        CheckedRow("parseInt(uid) == 1", "1:1", "write int(uid)"),
        CheckedRow("duration('5m') == 1", "1:1", "write duration.value(5, 'm')"),
        CheckedRow("nil == auth", "1:1", "write null"),
        CheckedRow("True", "1:1", "write true"),
        CheckedRow("email == 'a'", "1:1", "auth.token.email"),
        CheckedRow("token.email == 'a'", "1:1", "write auth.token"),
        CheckedRow("method == 'GET'", "1:1", "write request.method"),
        CheckedRow("user.uid == uid", "1:1", "the signed-in user is auth: auth.uid, auth.token"),
        CheckedRow("uid is boolean", "1:8", "write bool"),
        CheckedRow("uid is strnig", "1:8", "write string"),
        CheckedRow("uid is foo", "1:8", "the types are bool, bytes, float, int, list, map"),
    ])
    func `a habit of other languages is refused with its equivalent`(row: CheckedRow) {
        expect(Checked.condition(row.source).errors, toBe: row)
    }
}
