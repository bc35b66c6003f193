import Diagnostics
import Testing

@Suite struct RuleTestValueTests {
    /// Claims in YAML, with conditions that they make true.
    static let claims: [(yaml: String, condition: String)] = [
        ("7", "auth.token.x == 7 && auth.token.x is int"),
        ("-7", "auth.token.x == -7"),
        ("\"7\"", "auth.token.x == '7'"),
        ("'true'", "auth.token.x == 'true'"),
        ("true", "auth.token.x == true"),
        ("false", "!auth.token.x"),
        ("null", "auth.token.get('x', 7) == null"),
        ("~", "auth.token.get('x', 7) == null"),
        ("7.5", "auth.token.x == 7.5 && auth.token.x is float"),
        ("1e3", "auth.token.x == 1000 && auth.token.x is float"),
        ("yes", "auth.token.x == 'yes'"),
        ("2026-01-01", "auth.token.x == '2026-01-01'"),
        ("'${HOME}'", "auth.token.x == '${HOME}'"),
        ("[a, 1, [true]]", "auth.token.x == ['a', 1, [true]]"),
        ("{ a: { b: 1 } }", "auth.token.x.a.b == 1"),
        ("9223372036854775807", "auth.token.x == 9223372036854775807"),
        ("9223372036854775808", "'x' in auth.token && !(auth.token.x == 1 || true) || true"),
    ]

    /// Conditions that the defaults make true.
    static let defaults = [
        "auth.uid == 'ann' && auth.token.sub == 'ann' && auth.token.user_id == 'ann'",
        "auth.provider == 'custom' && auth.token.firebase.sign_in_provider == 'custom'",
        "auth.token.firebase.identities == {}",
        "auth.token.auth_time == 1767268800 - 7200 && auth.token.iat == 1767268800 && auth.token.exp == 1767272400",
        "request.time == timestamp.date(2026, 1, 1) + duration.value(12, 'h')",
        "request.host == 'api.example.com' && request.method == 'GET' && request.query == {}",
        "request.headers == {'host': 'api.example.com'} && request.headers['host'] == 'api.example.com'",
        "request.path == /a",
    ]

    /// Users, with conditions that they make true.
    static let users: [(auth: String, condition: String)] = [
        (
            "{ uid: a, provider: google.com }",
            "auth.provider == 'google' && auth.token.firebase.sign_in_provider == 'google.com'"
        ),
        (
            "{ uid: a, provider: google }",
            "auth.provider == 'google' && auth.token.firebase.sign_in_provider == 'google.com'"
        ),
        ("{ uid: a, provider: apple.com }", "auth.provider == 'apple.com'"),
        ("{ uid: a, provider: anonymous }", "auth.provider == 'anonymous'"),
        ("{ uid: a, token: { firebase: { sign_in_provider: github.com } } }", "auth.provider == 'github'"),
        (
            "{ uid: a, token: { firebase: { tenant: t } } }",
            "auth.token.firebase.tenant == 't' && auth.provider == 'custom'"
        ),
        ("{ uid: a, token: { firebase: 7 } }", "auth.token.firebase == 7"),
        ("{ uid: a, token: { iat: 5 } }", "auth.token.iat == 5"),
        ("{ uid: a, signed_in: unknown }", "!('auth_time' in auth.token)"),
        ("{ uid: a, second_factor: true }", "secondFactor() && 'sign_in_second_factor' in auth.token.firebase"),
        ("{ uid: a, token: { firebase: { sign_in_second_factor: phone } } }", "secondFactor()"),
        (
            "{ uid: a, signed_in: 5m }",
            "recentSignIn(duration.value(5, 'm')) && !recentSignIn(duration.value(299, 's'))"
        ),
        ("{ uid: a, token: { auth_time: 1767268799 } }", "recentSignIn(duration.value(1, 's'))"),
        ("{ uid: a, signed_in: 2h, reauthenticated: 30s }", "recentSignIn(duration.value(30, 's'))"),
    ]

    @Test(arguments: ["''", "null", "7"])
    func `only a string names a second factor`(factor: String) throws {
        let auth = "{ uid: a, token: { firebase: { sign_in_second_factor: \(factor) } } }"
        let run = try RuleTesting.run(
            "allow read: if secondFactor();", tests: RuleTesting.test(auth: auth, expect: "second-factor"))
        #expect(run.failures == 0, "\(run.results[0].trace)")
    }

    /// Requests, with conditions that they make true.
    static let requests: [(request: String, condition: String)] = [
        ("GET /a?b=c+d&e=%C3%A4", "request.query == {'b': 'c d', 'e': 'ä'}"),
        ("HEAD /a/../b", "request.path == /b && request.method == 'HEAD'"),
        (
            "{ path: /a, headers: { X-A: b, accept: '*/*' } }",
            "request.headers['x-a'] == 'b' && request.headers.size() == 3"
        ),
        ("{ path: /a, host: OTHER.example }", "request.host == 'other.example'"),
        (
            "{ path: /a, time: '2026-01-01T12:00:01+01:00' }",
            "request.time.hours() == 11 && auth.token.iat == 1767265201"
        ),
        ("{ path: /a }", "path[0] == 'a'"),
    ]

    private static let cases: [(tests: String, condition: String)] =
        claims.map { (RuleTesting.test(auth: "{ uid: a, token: { x: \($0.yaml) } }", expect: "allow"), $0.condition) }
        + defaults.map { (RuleTesting.test(expect: "allow"), $0) }
        + users.map { (RuleTesting.test(auth: $0.auth, expect: "allow"), $0.condition) }
        + requests.map { (RuleTesting.test($0.request, expect: "allow"), $0.condition) }

    @Test(arguments: cases) func `rules see the values of the test`(tests: String, condition: String) throws {
        let run = try RuleTesting.run("allow read: if \(condition);", tests: tests)
        #expect(run.failures == 0, "\(run.results[0].trace)")
    }
}
