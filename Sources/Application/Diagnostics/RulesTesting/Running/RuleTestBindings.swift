import Authorization
import SecurityRules

/// The bindings of a test's request.
final class RuleTestBindings: RuleBindings {
    private let request: RuleTestRequest
    private let auth: RuleValue

    init(_ test: RuleTest) {
        request = test.request
        auth = test.user?.variable(at: test.request.time) ?? .null
    }

    func value(of binding: RuleBinding) -> RuleValue {
        switch binding {
        case .auth: auth
        case .app: app
        case .method: .string(request.method)
        case .host: .string(request.host)
        case .query: query
        case .headers: .map(RuleMap(headers.map { (key: $0.name, value: .string($0.value)) }))
        case .header(let name): headers.first { $0.name == name }.map { .string($0.value) } ?? .null
        }
    }

    private var app: RuleValue {
        guard let app = request.app else { return .null }
        return .map(RuleMap([("id", .string(app.id)), ("name", .string(app.name))]))
    }

    /// Every request has a `Host`.
    private var headers: [(name: String, value: String)] { [("host", request.host)] + request.headers }

    private var query: RuleValue {
        (request.query ?? []).withUnsafeBytes { QueryText.value(of: $0) }
    }
}
