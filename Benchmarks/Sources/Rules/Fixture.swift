import SecurityRules

/// A request of a user with the claims of an ordinary token.
struct Fixture {
    static let uid = "wPFMcTZ3kPeO9XbCm2hZ1Z7vXf42"
    let path = Array("/v1/users/\(uid)/orders".utf8)
    let captures = [
        RuleCapture(name: "uid", segment: 2, isRest: false), RuleCapture(name: "rest", segment: 3, isRest: true),
    ]
    let evaluator = RuleEvaluator()
    let bindings = Bindings()

    /// Measures the decision of a ruleset about the request.
    func measure(_ name: String, _ ruleset: Ruleset, _ operation: RuleOperation = .get) {
        guard let time = RuleTimestamp(seconds: 1_767_225_600) else { return }
        path.withUnsafeBytes { (path: UnsafeRawBufferPointer) in
            let request = RuleRequest(
                operation: operation, path: path, time: time, signIn: RuleSignIn(authTime: 1_767_225_000))
            measureCall("\(name): \(decide(ruleset, request))") { use(decide(ruleset, request)) }
        }
    }

    private func decide(_ ruleset: Ruleset, _ request: RuleRequest) -> RuleVerdict {
        evaluator.begin(request, bindings)
        defer { evaluator.end() }
        return evaluator.decide(ruleset)
    }
}

/// The values of the request that rules can read.
final class Bindings: RuleBindings {
    private let auth = Bindings.map([
        ("uid", .string(Fixture.uid)), ("provider", .string("google")), ("token", Bindings.map(Bindings.claims)),
    ])

    func value(of binding: RuleBinding) -> RuleValue {
        switch binding {
        case .auth: auth
        case .app: .null
        case .method: .string("GET")
        case .host: .string("api.example.com")
        case .header(let name): name == "x-tenant" ? .string("acme") : .null
        case .query, .headers: .map(RuleMap([]))
        }
    }

    private static func map(_ entries: [(key: String, value: RuleValue)]) -> RuleValue { .map(RuleMap(entries)) }

    private static let claims: [(key: String, value: RuleValue)] = [
        ("iss", .string("https://securetoken.google.com/my-project")), ("aud", .string("my-project")),
        ("auth_time", .integer(1_767_225_000)), ("user_id", .string(Fixture.uid)), ("sub", .string(Fixture.uid)),
        ("iat", .integer(1_767_225_000)), ("exp", .integer(1_767_228_600)), ("email", .string("ada@example.com")),
        ("email_verified", .bool(true)), ("name", .string("Ada Lovelace")), ("role", .string("admin")),
        ("picture", .string("https://example.com/ada/photo.jpg")), ("org", .string("organisation-of-some-length")),
        ("groups", .list([.string("staff"), .string("editors-of-the-whole-site")])),
        ("firebase", map([("sign_in_provider", .string("google.com"))])),
    ]
}
