internal import JOSE
internal import SecurityRules

/// A condition and a request for it to decide.
struct ConditionInput {
    static let now: Int64 = 1_767_225_600

    static let signIns = [
        RuleSignIn(authTime: now - 100),
        RuleSignIn(authTime: now - 1_000_000, record: .notRead, hasSecondFactor: true),
        RuleSignIn(authTime: .min, record: .read(.max), clockSkew: .max),
        RuleSignIn(authTime: nil, record: .unavailable, clockSkew: -1),
    ]

    let source: RuleSource
    let captures = [
        RuleCapture(name: "uid", segment: 1, isRest: false), RuleCapture(name: "rest", segment: 2, isRest: true),
    ]
    private let auth: RuleValue
    private let path: [UInt8]

    /// Returns `nil` without three lines, or if the first is not JSON.
    init?(_ input: UnsafeRawBufferPointer) {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, let claims = try? JSONDocument(Array(lines[0])) else { return nil }
        let token = Self.value(claims.root)
        // `null` is a request without a user.
        auth =
            if case .null = token { .null } else {
                .map(RuleMap([("uid", .string("ada")), ("provider", .string("google")), ("token", token)]))
            }
        path = Array(lines[1])
        source = RuleSource(Array(lines[2]), name: "condition")
    }

    func verdict(_ ruleset: Ruleset, _ signIn: RuleSignIn, _ evaluator: RuleEvaluator) -> RuleVerdict {
        evaluator.verdict(ruleset, nil, path: path, at: Self.now, signIn, auth: auth)
    }

    /// Returns a JSON value. Some strings that begin with `%` stand for values without a form in JSON.
    private static func value(_ json: JSONValue) -> RuleValue {
        switch json.kind {
        case .null: .null
        case .bool: .bool(json.bool ?? false)
        case .integer: json.integer.map(RuleValue.integer) ?? .unreadable
        case .number: json.double.map(RuleValue.float) ?? .unreadable
        case .string: json.string.map(special) ?? .unreadable
        case .array: .list(json.elements.map(value))
        case .object: .map(RuleMap(json.members.map { ($0.name, value($0.value)) }))
        }
    }

    private static func special(_ text: String) -> RuleValue {
        switch text {
        case "%nan": .float(.nan)
        case "%infinity": .float(-.infinity)
        case "%unreadable": .unreadable
        case "%bytes": .bytes([0xFF, 0, 0x61])
        case "%time": RuleTimestamp(seconds: now).map(RuleValue.timestamp) ?? .null
        case "%duration": RuleDuration(seconds: -300).map(RuleValue.duration) ?? .null
        case "%map": .map(RuleMap((0..<500).map { ("k\($0)", .integer(Int64($0))) }))
        case "%list": .list((0..<500).map { .string("element \($0 % 300)") })
        default: .string(text)
        }
    }
}
