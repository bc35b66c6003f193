import Testing

@testable import SecurityRules

@Suite struct BindingTests {
    private func request() -> TestRequest {
        let request = TestRequest("GET", "/a", auth: auth())
        request.bindings.query = ["page": "2", "twice": .unreadable]
        request.bindings.headers = ["x-tenant": "acme", "x-odd": .unreadable]
        return request
    }

    @Test(arguments: [
        ("request.method == 'GET'", true), ("request.host == 'api.example.com'", true), ("request.auth == auth", true),
        ("request.time == timestamp.date(2026, 1, 1)", true), ("request.query.page == '2'", true),
        ("request.query['page'] == '2'", true), ("request.query.twice == '2'", false),
        ("request.query.twice != '2'", false), ("'twice' in request.query", true), ("request.query.none == '2'", false),
        ("request.query.get('none', 'x') == 'x'", true), ("request.headers['x-tenant'] == 'acme'", true),
        ("request.headers['x-none'] == 'acme'", false), ("request.headers['x-none'] != 'acme'", false),
        ("'x-tenant' in request.headers", true), ("'x-none' in request.headers", false),
        ("!('x-none' in request.headers)", true), ("request.headers.get('x-tenant', 'none') == 'acme'", true),
        ("request.headers.get('x-none', 'none') == 'none'", true),
        ("request.headers.get('x-none', auth.token.missing) == null || true", true),
        ("request.headers.get('x-tenant', auth.token.missing) == 'acme'", false), ("'x-odd' in request.headers", true),
        ("request.headers['x-odd'] == 'a'", false), ("request.headers.size() == 2", true),
        ("request.headers['x-' + 'tenant'] == 'acme'", true), ("request.headers.keys().hasAll(['x-tenant'])", true),
        ("request.headers['accept'] == 'a' || true", true),
    ])
    func `a request has members`(condition: String, isAllowed: Bool) throws {
        #expect(try request().verdict(condition).isAllowed == isAllowed)
    }

    @Test func `a binding is looked up once for each request`() throws {
        let request = request()
        let condition = try Ruleset.condition(
            "auth != null && auth.uid == 'ada' && request.method == 'GET' && request.method != 'X' && request.query.size() == 2"
        )
        _ = request.verdicts([condition, condition])
        #expect(request.bindings.lookups == [.auth: 1, .method: 1, .query: 1])
    }

    @Test func `a binding that is not evaluated is not looked up`() throws {
        let request = request()
        #expect(try request.verdict("true || auth.uid == 'ada'") == .isTrue)
        #expect(request.bindings.lookups.isEmpty)
    }

    @Test func `a single header field needs no map of all fields`() throws {
        let request = request()
        _ = try request.verdict("'x-tenant' in request.headers && request.headers['x-tenant'] == 'acme'")
        #expect(request.bindings.lookups == [.header("x-tenant"): 2])
    }

    @Test func `a request has no values of the previous one`() throws {
        let evaluator = RuleEvaluator()
        let condition = try Ruleset.condition("auth.uid == 'ada' && request.headers['x-tenant'] == 'acme'")
        #expect(request().verdicts([condition], evaluator) == [.isTrue])
        #expect(TestRequest("GET", "/a", auth: auth("bob")).verdicts([condition], evaluator) == [.isFalse])
        #expect(TestRequest("GET", "/a").verdicts([condition], evaluator) == [.failed])
        #expect(evaluator.decide(condition) == .noRule)
    }

    @Test(arguments: [
        ("token.role", "admin"), ("uid", "ada"), ("auth.provider", "google"), ("token.role + '@' + uid", "admin@ada"),
    ])
    func `a value expression sees the token`(expression: String, text: String) throws {
        let expression = try RuleValueExpression(RuleSource(expression, name: "test"))
        guard case .string(text) = RuleEvaluator().value(of: expression, auth: auth("ada", ["role": "admin"])) else {
            Issue.record("not \(text)")
            return
        }
        #expect(RuleEvaluator().value(of: expression, auth: .null) == nil)
    }

    @Test(arguments: [
        ("token.role == 'admin'", true), ("auth.token.role == 'admin' && uid == 'ada'", true),
        ("token.role == 'user'", false), ("token.missing == 'admin'", false), ("token.role", false),
    ])
    func `a condition over a token is not true if it fails`(text: String, expected: Bool) throws {
        let (condition, _) = try RuleValueExpression.condition(RuleSource(text, name: "test"))
        #expect(RuleEvaluator().isTrue(condition, auth: auth("ada", ["role": "admin"])) == expected)
        #expect(!RuleEvaluator().isTrue(condition, auth: .null))
    }

    @Test(arguments: ["", "uid", "uid.size()", "request.method == 'GET'", "recentSignIn(duration.value(1, 'm'))", "(1"])
    func `a condition over a token is a boolean of the token only`(text: String) {
        #expect(throws: RuleProblems.self) { try RuleValueExpression.condition(RuleSource(text, name: "test")) }
    }
}
