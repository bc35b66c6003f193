@testable import SecurityRules

/// A user with a claim of each kind, of those too that no token has: a value whose kind only the request knows.
enum RuleClaims {
    /// 2009-02-13T23:40:00Z, in seconds since 1970.
    static let now: Int64 = 1_234_568_400
    /// Five minutes before.
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
