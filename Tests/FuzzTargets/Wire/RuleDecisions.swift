internal import SecurityRules

/// The user of a request.
struct RuleUser {
    let auth: RuleValue
    let signIn: RuleSignIn

    static let all = [
        RuleUser(auth: .null, signIn: RuleSignIn()),
        RuleUser(
            auth: user("alice", token: usual),
            signIn: RuleSignIn(authTime: 1_700_000_000, hasSecondFactor: true, clockSkew: 60)),
        RuleUser(auth: user("", token: hostile), signIn: RuleSignIn(authTime: .max, record: .notRead, clockSkew: .max)),
        RuleUser(auth: user("alice", token: []), signIn: RuleSignIn(authTime: .min, record: .unavailable)),
        RuleUser(auth: user("alice", token: usual), signIn: RuleSignIn(authTime: 0, record: .read(.min))),
    ]

    private static func user(_ uid: String, token: [(key: String, value: RuleValue)]) -> RuleValue {
        .map(RuleMap([("uid", .string(uid)), ("provider", .string("password")), ("token", .map(RuleMap(token)))]))
    }

    private static let usual: [(key: String, value: RuleValue)] = [
        ("email", .string("alice@example.org")), ("email_verified", .bool(true)), ("admin", .bool(false)),
        ("roles", .list([.string("editor"), .string("reader")])), ("auth_time", .integer(1_700_000_000)),
        ("level", .float(2.5)), ("sub", .string("alice")),
        ("firebase", .map(RuleMap([("sign_in_provider", .string("password")), ("tenant", .null)]))),
    ]

    private static let hostile: [(key: String, value: RuleValue)] = [
        ("email", .float(.nan)), ("email_verified", .integer(.min)), ("admin", .unreadable),
        ("auth_time", .float(1e308)),
        ("roles", .list(Array(repeating: .integer(.max), count: 300))), ("level", .float(-.infinity)), ("sub", .null),
        ("firebase", .map(RuleMap((0..<300).map { ("k\($0)", .string("e\u{301}\0🎉")) }))),
    ]
}

/// A request for rules to decide.
struct RuleRequests {
    let operation: RuleOperation?
    let path: String
    let user: RuleUser
    /// Whether a condition of a route and a `match /{uid}/{rest=**}` with `read, write` both apply.
    var isSeenByBoth: Bool { operation != nil && path != "/" }

    static let all: [RuleRequests] = RuleUser.all.flatMap { user in
        [
            RuleRequests(operation: .get, path: "/alice/a%2Fb/c", user: user),
            RuleRequests(operation: .delete, path: "/%FF", user: user),
            RuleRequests(operation: .list, path: "/v1/users/", user: user),
            RuleRequests(operation: nil, path: "/", user: user),
        ]
    }

    static func decide(_ ruleset: Ruleset, _ request: RuleRequests, recorder: RuleRecorder?) -> RuleVerdict {
        let evaluator = RuleEvaluator()
        evaluator.recorder = recorder
        return evaluator.verdict(
            ruleset, request.operation, path: Array(request.path.utf8), at: 1_700_000_100, request.user.signIn,
            auth: request.user.auth)
    }
}

extension RuleEvaluator {
    /// Decides one request with fixed values.
    func verdict(
        _ ruleset: Ruleset, _ operation: RuleOperation?, path: [UInt8], at seconds: Int64, _ signIn: RuleSignIn,
        auth: RuleValue
    ) -> RuleVerdict {
        guard let time = RuleTimestamp(seconds: seconds, nanoseconds: 5) else { return .denied(RuleDenial(.noRule)) }
        return path.withUnsafeBytes { path in
            begin(RuleRequest(operation: operation, path: path, time: time, signIn: signIn), FixedBindings(auth: auth))
            defer { end() }
            return decide(ruleset)
        }
    }
}

/// The values of every request except the user.
private final class FixedBindings: RuleBindings {
    private let auth: RuleValue

    init(auth: RuleValue) {
        self.auth = auth
    }

    func value(of binding: RuleBinding) -> RuleValue {
        switch binding {
        case .auth: auth
        case .app: .map(RuleMap([("id", .string("1:1:web:1")), ("name", .string("web"))]))
        case .method: .string("GET")
        case .host: .string("api.example.org")
        case .query: .map(RuleMap([("page", .string("2")), ("q", .unreadable)]))
        case .headers: .map(RuleMap([("x-a", .string("b, c"))]))
        case .header(let name): name == "x-a" ? .string("b, c") : .null
        }
    }
}

/// A ruleset decides each request within the limits, and equally with and without a recorder.
func checkDecisions(_ ruleset: Ruleset) {
    for request in RuleRequests.all {
        let recorder = RuleRecorder()
        let verdict = RuleRequests.decide(ruleset, request, recorder: nil)
        require(verdict == RuleRequests.decide(ruleset, request, recorder: recorder), "a verdict stays the same")
        checkVerdict(verdict, ruleset, request)
        for entry in recorder.entries {
            require(ruleset.expressions.indices.contains(entry.expression), "what was evaluated is an expression")
            require(ruleset.rules.indices.contains(entry.rule), "for a rule")
        }
    }
}

private func checkVerdict(_ verdict: RuleVerdict, _ ruleset: Ruleset, _ request: RuleRequests) {
    let isSignedIn = if case .null = request.user.auth { false } else { true }
    switch verdict {
    case .allowed(let rule, _): require(ruleset.rules.indices.contains(rule), "a rule allows")
    case .denied(let denial): require(denial.rule.map(ruleset.rules.indices.contains) ?? true, "a rule denies")
    case .needsRecentSignIn(let maxAge, let rule):
        require(isSignedIn && maxAge >= 0 && ruleset.rules.indices.contains(rule), "who signed in may sign in again")
    case .needsSecondFactor(let rule):
        require(isSignedIn && ruleset.rules.indices.contains(rule), "who signed in may use a second factor")
    case .needsSignInRecord:
        require(ruleset.needsSignInRecord && request.user.signIn.record == .notRead, "a record is asked for once")
    case .signInRecordUnavailable:
        require(ruleset.needsSignInRecord && request.user.signIn.record == .unavailable, "a record that was looked for")
    }
}
