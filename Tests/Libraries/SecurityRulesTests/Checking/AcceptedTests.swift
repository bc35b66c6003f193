import Testing

@testable import SecurityRules

/// Rules in the style of Cloud Firestore users. The checker reports no errors and no warnings.
@Suite struct CheckedAcceptedTests {
    static let onTheCaller = [
        "request.auth != null", "auth != null", "null != auth", "request.auth == null", "request.auth.uid == uid",
        "request.auth.uid != null", "auth.uid != null && auth.uid == uid", "auth.provider == null",
        "auth.provider == 'google'", "auth.token.email != null", "request.auth.token.email_verified == true",
        "request.auth.token.email_verified", "!request.auth.token.email_verified",
        "request.auth.token.email.matches('.*@example[.]com')", "request.auth.token.admin == true",
        "request.auth.token.get('admin', false)", "request.auth.token.get('admin', false) == true",
        "request.auth.token.get(['firebase', 'tenant'], null) == null", "'admin' in request.auth.token",
        "!('admin' in auth.token) || auth.token.admin is bool", "auth.token.role in ['admin', 'editor']",
        "auth.token.roles.hasAny(['admin', 'editor'])", "auth.token.roles.hasAll(['a'].toSet())",
        "auth.token.roles.toSet().hasOnly(['a'])", "'admin' in auth.token.roles", "auth.token.roles[0] == 'admin'",
        "auth.token.roles[0:2] == ['a', 'b']", "auth.token.keys().hasAll(['role', 'email'])",
        "auth.token.firebase.sign_in_provider != 'anonymous'", "auth.token['https://example.com/role'] == 'admin'",
        "auth.token.firebase.identities['google.com'][0] == uid", "auth.token.level >= 3 && auth.token.level < 5.5",
        "auth.token.tenant + '-' + uid == rest[0]", "string(auth.token.level) + uid == 'a'",
        "{'a': 1}.diff(auth.token.map).affectedKeys().hasOnly(['a', 'b'])",
        "auth.token.diff(auth.token.other).addedKeys().union(['a'].toSet()).size() == 0",
    ]

    static let onTheRequest = [
        "request.method == 'GET'", "request.method in ['PUT', 'PATCH']", "'POST' != request.method",
        "request.host == 'api.example.com'", "request.host.matches('.*[.]example[.]com')", "request.host == '[::1]'",
        "request.path[0] == 'v1'", "request.path[1] == uid", "/v1/users/$(uid)/$(rest) == request.path",
        "request.path == /v1/users/$(uid)", "request.path == path('/v1/users/' + uid)",
        "string(request.path).matches('/v1/.*')", "rest == request.path", "request.path.uid == uid",
        "request.path.bind({'uid': uid}) == rest", "rest[0] == 'photos'", "request.query.limit == '10'",
        "int(request.query.limit) <= 100", "'limit' in request.query",
        "!('limit' in request.query) || int(request.query.limit) <= 100", "request.query.get('limit', '10') == '10'",
        "request.query.keys().hasOnly(['limit', 'after'])", "request.headers['x-api-version'] == '2'",
        "request.headers.host == 'a'", "request.headers.get('x-tier', 'free') != 'free'", "'x-tier' in request.headers",
        "request.time < timestamp.date(2027, 1, 1)",
        "request.time.toMillis() / 1000 - request.auth.token.auth_time < 300",
        "request.time < timestamp.value(auth.token.exp * 1000)",
        "request.time - timestamp.value(auth.token.auth_time * 1000) < duration.value(5, 'm')",
        "request.time + duration.value(1, 'd') > timestamp.date(2027, 1, 1) - duration.time(1, 0, 0, 0)",
        "duration.abs(request.time - timestamp.value(auth.token.iat * 1000)).seconds() < 60",
        "request.time.hours() >= 8 && request.time.hours() < 18", "request.time.dayOfWeek() in [6, 7]",
        "request.time.date() == timestamp.date(2027, 1, 1)", "request.time.time() < duration.value(12, 'h')",
        "recentSignIn(duration.value(5, 'm'))", "secondFactor() && auth.uid == uid",
        "recentSignIn(uid == 'a' ? duration.value(5, 'm') : duration.value(1, 'h'))",
    ]

    static let onValues = [
        "uid.size() <= 128", "uid[0] == 'a'", "uid[0:2] == 'ab'", "uid.lower() == uid", "uid.split('-').size() == 2",
        "uid.split('-')[0] == 'a'", "uid.replace('-', '').trim() == 'a'", "uid < 'm' || uid >= 'n'", "uid is string",
        "uid.toUtf8().toBase64() == 'YQ=='", "hashing.sha256(uid).toHexString() == auth.token.hash",
        "hashing.crc32(uid) == b'aaaa'", "uid.toUtf8() < b'b'", "['a', uid].concat(['b']).join(',') == 'a'",
        "['a', 'b'].removeAll(['a']) == ['b']", "[1, 'a', null].size() == 3", "null in [auth.token.a]",
        "math.abs(auth.token.a) == 1.0", "math.floor(auth.token.a / 2) % 2 == 0", "-auth.token.a < -1.5e3",
        "math.isNaN(float(uid))", "int(uid) == 1.0", "bool(uid)", "debug(auth.uid) == uid", "debug(auth) != null",
        "(auth.token.a == 1) == (uid == 'a')", "auth.token.a == auth.token.b", "uid == 'a' ? rest[0] == 'b' : true",
        "(auth.token.a is number ? auth.token.a : 0) > 1", "[1, 2].toSet() == [2, 1].toSet()",
        "{'a': {'b': 1}}.get(['a', 'b'], 7) == 1", "{'a': 1}.a == 1", "{'a': 1}[uid] == 1", "{uid: 1}.size() == 1",
        "['a'].toSet().intersection(auth.token.roles.toSet()).size() > 0", "auth is map", "'a' is string",
    ]

    @Test(arguments: onTheCaller + onTheRequest + onValues)
    func `a condition is accepted without a warning`(condition: String) {
        expectNothing(in: Checked.condition(condition))
    }

    @Test func `a typical file is accepted without a warning`() {
        let findings = Checked.file(
            """
            rules_version = '2';
            service gatehouse.http {
              function signedIn() { return request.auth != null; }
              function isOwner(userId) { return signedIn() && request.auth.uid == userId; }
              function hasRole(role) { return signedIn() && role in request.auth.token.get('roles', []); }
              match /health { allow read: if true; }
              match /public/{file=**} { allow read; }
              match /v1 {
                match /users/{userId} {
                  function verified() { let token = request.auth.token; return token.email_verified == true; }
                  allow get: if isOwner(userId) || hasRole('admin');
                  allow create, update: if isOwner(userId) && verified();
                  allow delete: if isOwner(userId) && recentSignIn(duration.value(5, 'm'));
                  match /{document=**} {
                    allow read, write: if isOwner(userId) && document[0] != 'secret';
                  }
                }
                match /admin/{path=**} { allow read, write: if hasRole('admin') && secondFactor(); }
              }
              match /users/{uid} { allow read: if request.auth.uid == uid; }
            }
            """)
        expectNothing(in: findings)
    }
}
