@testable import SecurityRules

/// The outcome of rules for a request, in the terms of the tables.
enum RuleOutcome: Equatable {
    case isTrue, isFalse, fails
    /// No rule matches the request.
    case none
    case stepUp
    case limit
    /// The rules do not load. The messages are the errors.
    case refused(String)
}

/// A request with a value of each kind.
struct SampleRequest {
    /// Whether rules are checked when they are loaded.
    var isChecked = true
    var isSignedIn = true
    var method = "GET"
    var path = "/users/ada/docs"

    /// The outcome of a condition with the captures `user` and `rest` of the path.
    func outcome(ofCondition text: String) -> RuleOutcome {
        let source = RuleSource(text, name: "test")
        let captures = [
            RuleCapture(name: "user", segment: 1, isRest: false), RuleCapture(name: "rest", segment: 2, isRest: true),
        ]
        return outcome { () throws(RuleProblems) in
            isChecked
                ? try Ruleset(condition: source, captures: captures, label: "test:1")
                : try Ruleset(unchecked: source, captures: captures, label: "test:1")
        }
    }

    /// The outcome of a rules file, or of the contents of its `service`.
    func outcome(ofFile text: String) -> RuleOutcome {
        let isWhole = text.contains("rules_version") || text.contains("service ") || text.hasPrefix("{")
        let whole = isWhole ? text : "rules_version = '2'; service gatehouse.http { \(text) }"
        return outcome { () throws(RuleProblems) in try Ruleset(file: RuleSource(whole, name: "test")) }
    }

    private func outcome(_ load: () throws(RuleProblems) -> Ruleset) -> RuleOutcome {
        do {
            return outcome(of: try load())
        } catch {
            return .refused(error.description)
        }
    }

    private func outcome(of ruleset: Ruleset) -> RuleOutcome {
        var request = TestRequest(method, path, auth: isSignedIn ? RuleClaims.auth : .null)
        request.time = RuleClaims.now
        request.signIn = RuleSignIn(authTime: isSignedIn ? RuleClaims.signedInAt : nil)
        request.bindings.query = ["page": "2", "q": "a b", "twice": .unreadable]
        request.bindings.headers = ["accept": "text/html", "x-tenant": "acme"]
        return Self.outcome(of: request.verdict(ruleset))
    }

    private static func outcome(of verdict: RuleVerdict) -> RuleOutcome {
        switch verdict {
        case .allowed: .isTrue
        case .denied(let denial):
            switch denial.reason {
            case .noRule: .none
            case .conditionIsFalse: .isFalse
            case .conditionFailed: .fails
            case .limit: .limit
            }
        case .needsRecentSignIn, .needsSecondFactor, .needsSignInRecord, .signInRecordUnavailable: .stepUp
        }
    }
}

/// A user with a claim of each kind, including kinds that no token has. The kind of a claim is known only at the
/// request.
enum RuleClaims {
    /// 2009-02-13T23:40:00Z, in seconds since 1970.
    static let now: Int64 = 1_234_568_400
    /// Five minutes earlier.
    static let signedInAt = now - 300

    static let auth: RuleValue = ["uid": "ada", "provider": "google", "token": .map(RuleMap(token))]

    private static let firebase: RuleValue = [
        "sign_in_provider": "google.com", "identities": ["google.com": ["113"], "email": ["ada@example.com"]],
    ]

    private static let token: [(key: String, value: RuleValue)] = [
        ("null", nil), ("bool", true), ("int", 7), ("negative", -7), ("max", .integer(.max)), ("min", .integer(.min)),
        ("float", 1.5), ("nan", .float(.nan)), ("infinite", .float(.infinity)), ("string", "Ada"), ("lower", "ada"),
        ("empty", ""), ("text", "héllo"), ("broken", "("), ("bytes", .bytes("ab")), ("auth_time", .integer(signedInAt)),
        ("list", [1, 2, 3]), ("strings", ["a", "b", "c"]), ("set", .set("a", "b")), ("map", ["a": 1, "b": ["c": 2]]),
        ("other", ["a": 1, "d": 4]), ("path", .path(RulePath(["users", "ada", "docs"], names: [("user", 1)]))),
        // 2009-02-13T23:31:30.5Z
        ("timestamp", .time(1_234_567_890, 500_000_000)), ("duration", .span(90, 500_000_000)),
        ("unreadable", .unreadable), ("firebase", firebase),
    ]
}
