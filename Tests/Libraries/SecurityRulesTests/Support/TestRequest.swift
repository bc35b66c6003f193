@testable import SecurityRules

/// The `auth` variable of a user with these claims and `sub`.
func auth(_ uid: String = "ada", _ claims: [String: RuleValue] = [:]) -> RuleValue {
    let token = claims.map { (key: $0.key, value: $0.value) } + [(key: "sub", value: .string(uid))]
    return ["uid": .string(uid), "provider": "google", "token": .map(RuleMap(token))]
}

/// The value of an expression over `auth`, `uid`, `provider` and `token`. The expression is not checked, so that it can
/// combine kinds that the checker would refuse.
func value(
    of expression: String, auth: RuleValue = .null, evaluator: RuleEvaluator = RuleEvaluator()
) throws -> RuleValue {
    try evaluator.evaluate(RuleValueExpression(unchecked: RuleSource(expression, name: "test")), auth: auth)
}

/// The reason why the evaluation of an expression fails. `nil` if the expression has a value.
func failure(
    of expression: String, auth: RuleValue = .null, evaluator: RuleEvaluator = RuleEvaluator()
) throws -> RuleFailure.Reason? {
    do {
        _ = try value(of: expression, auth: auth, evaluator: evaluator)
        return nil
    } catch let failure as RuleFailure {
        return failure.reason
    }
}

/// A request for which rules are evaluated.
struct TestRequest {
    var method = "GET"
    var path = "/"
    /// 2026-01-01T00:00:00Z
    var time: Int64 = 1_767_225_600
    var signIn = RuleSignIn()
    var bindings = FixedBindings()
    var recorder: RuleRecorder?

    init(_ method: String = "GET", _ path: String = "/", auth: RuleValue = .null) {
        self.method = method
        self.path = path
        bindings.auth = auth
        bindings.method = method
    }

    /// The verdicts of several rulesets within one request.
    func verdicts(_ rulesets: [Ruleset], _ evaluator: RuleEvaluator = RuleEvaluator()) -> [RuleVerdict] {
        evaluator.recorder = recorder
        return Array(path.utf8).withUnsafeBytes { path in
            Array(method.utf8).withUnsafeBytes { method in
                guard let time = RuleTimestamp(seconds: time) else { return [] }
                let operation = RuleOperation(method: method, path: path)
                evaluator.begin(
                    RuleRequest(operation: operation, path: path, time: time, signIn: signIn), bindings)
                defer { evaluator.end() }
                return rulesets.map { evaluator.decide($0) }
            }
        }
    }

    func verdict(_ ruleset: Ruleset) -> RuleVerdict { verdicts([ruleset])[0] }

    /// The verdict of a rules file with these blocks in its service.
    func verdict(file blocks: String) throws -> RuleVerdict { verdict(try .file(blocks)) }

    /// The verdict of a route's condition.
    func verdict(_ condition: String, captures: [RuleCapture] = []) throws -> RuleVerdict {
        verdict(try .condition(condition, captures: captures))
    }
}

extension Ruleset {
    static func file(_ blocks: String) throws -> Ruleset {
        let text = "rules_version = '2';\nservice gatehouse.http {\n\(blocks)\n}\n"
        return try Ruleset(file: RuleSource(text, name: "test.rules"))
    }

    static func condition(_ text: String, captures: [RuleCapture] = []) throws -> Ruleset {
        try Ruleset(
            unchecked: RuleSource(text, name: "gatehouse.yaml"), captures: captures, label: "gatehouse.yaml:1")
    }
}

extension RuleVerdict {
    var isAllowed: Bool {
        if case .allowed = self { return true }
        return false
    }

    static let isTrue = RuleVerdict.allowed(rule: 0, signedInAt: nil)
    static let isFalse = RuleVerdict.denied(RuleDenial(.conditionIsFalse, rule: 0))
    static let failed = RuleVerdict.denied(RuleDenial(.conditionFailed, rule: 0))
    static let noRule = RuleVerdict.denied(RuleDenial(.noRule))
}

/// The bindings of a test request, which count their lookups.
final class FixedBindings: RuleBindings {
    var auth: RuleValue
    var app = RuleValue.null
    var method = "GET"
    var host = "api.example.com"
    var query = RuleValue.map(RuleMap([]))
    var headers: [String: RuleValue] = [:]
    private(set) var lookups: [RuleBinding: Int] = [:]

    init(auth: RuleValue = .null) {
        self.auth = auth
    }

    func value(of binding: RuleBinding) -> RuleValue {
        lookups[binding, default: 0] += 1
        switch binding {
        case .auth: return auth
        case .app: return app
        case .method: return .string(method)
        case .host: return .string(host)
        case .query: return query
        case .headers: return .map(RuleMap(headers.map { ($0.key, $0.value) }))
        case .header(let name): return headers[name] ?? .null
        }
    }
}
