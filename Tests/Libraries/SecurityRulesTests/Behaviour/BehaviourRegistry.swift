@testable import SecurityRules

/// The features of the language that the tables must contain. They come from the code if it lists them.
enum BehaviourRegistry {
    static let required: [String] =
        operators + typeTests + forms + methods + functions + names + structure + firebase

    /// `<` has rows for each kind. The other three comparisons share its code and have a few rows.
    static let operators =
        [
            "== null", "== bool", "== int and float", "== string", "== bytes", "== list", "== set", "== map", "== path",
            "== timestamp", "== duration", "== across kinds", "< int and float", "< string", "< bytes", "< bool",
            "< timestamp", "< duration", "< other kinds", "in list", "in set", "in map", "in other kinds", "+ int",
            "+ float", "+ string", "+ list", "+ bytes", "+ timestamp and duration", "+ duration", "- int and float",
            "- timestamp", "- duration", "unary -", "!", "&&", "||", "?:", "precedence",
        ] + BinaryOperator.allCases.map(\.rawValue).filter { !["==", "!=", "<", "in", "+", "-"].contains($0) }

    static let typeTests =
        RuleValue.Kind.allCases.filter { $0 != .null && $0 != .unreadable }.map { "is \($0.name)" }
        + ["is number", "is, other names"]

    static let forms = [
        "int literals", "float literals", "string literals", "bytes literals", "Boolean literals", "null literal",
        "list literals", "map literals", "path literals", "comments", "String[i]", "String[i:j]", "List[i]",
        "List[i:j]", "Map member", "Path[i]", "Path[name]",
    ]

    /// `Kind.method` for each kind that has one.
    static let methods = Builtin.allCases.flatMap { builtin in
        builtin.overloads.flatMap { overload in
            RuleValue.Kind.allCases.filter { overload.receiver?.contains(KindSet($0)) == true }
                .map { "\(title($0)).\(builtin.name)" }
        }
    }

    /// `math.abs`, `int`.
    static let functions = Builtin.allCases.filter { builtin in
        builtin.overloads.contains { $0.receiver == nil }
    }.map(\.name)

    static let names = [
        "request.auth", "request.auth, signed out", "auth", "request.method", "request.path", "request.time",
        "request.host", "request.query", "request.headers", "request", "captures", "unreadable values",
        "recentSignIn, signed out",
    ]

    static let structure = [
        "condition", "match a literal path", "match {name}", "match {name=**}", "nested match", "allow methods",
        "several allows", "function", "let", "scopes", "file",
    ]

    /// Behaviour of Storage rules, and expressions that users of Firestore and Realtime Database rules write.
    static let firebase = [
        "Storage: request.path", "Storage: conditions", "Firestore: request.auth", "Firestore: claims",
        "Firestore: missing claims", "Firestore: the database", "Firestore: request.method", "Firestore: matches",
        "Realtime Database: ===", "Realtime Database: null", "Realtime Database: null, signed out",
        "Realtime Database: variables", "Realtime Database: snapshots", "Realtime Database: strings",
        "Realtime Database: regular expressions", "Realtime Database: numbers", "Realtime Database: errors",
        "Realtime Database: cascade", "Realtime Database: rules", "slips of JavaScript",
    ]

    private static func title(_ kind: RuleValue.Kind) -> String {
        kind == .mapDiff ? "MapDiff" : kind.name.prefix(1).uppercased() + kind.name.dropFirst()
    }
}
