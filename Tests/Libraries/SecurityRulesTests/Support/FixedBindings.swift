import SecurityRules

/// What a made-up request gives rules. Counts how often it is asked.
final class FixedBindings: RuleBindings {
    var auth: RuleValue
    var method = "GET"
    var host = "api.example.com"
    var query = RuleValue.map(RuleMap([]))
    var headers: [String: RuleValue] = [:]
    private(set) var asked: [RuleBinding: Int] = [:]
    /// Counting allocates, which who counts allocations has no use for.
    var counts = true

    init(auth: RuleValue = .null) {
        self.auth = auth
    }

    func value(of binding: RuleBinding) -> RuleValue {
        if counts { asked[binding, default: 0] += 1 }
        switch binding {
        case .auth: return auth
        case .method: return .string(method)
        case .host: return .string(host)
        case .query: return query
        case .headers: return .map(RuleMap(headers.map { ($0.key, $0.value) }))
        case .header(let name): return headers[name] ?? .null
        }
    }
}
