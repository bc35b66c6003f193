extension Mutation {
    /// JSON values that a claim may wrongly have.
    static let oddValues: [String?] = [
        nil, "null", "true", "false", "0", "-0", "1", "-1", "1.0", "1.5", "1e3", "1E400", "-1e-400",
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", String(repeating: "9", count: 400), "NaN",
        "Infinity", "-Infinity", "\"\"", "\" \"", "\"x\"", "\"0\"", "\"null\"", "[]", "{}", "[null]", "[[]]",
        #"{"a":1,"a":2}"#, #""\ud800""#, #""\udc00\ud800""#, #""\u0000""#, #""\ud83d\ude00""#, "\"\u{FEFF}\"",
    ]

    private static let names = [
        "iss", "aud", "sub", "user_id", "iat", "exp", "auth_time", "nbf", "firebase", "email", "role", "d", "v", "kid",
        "alg", "uid", "tenant",
    ]

    static let claims: [Mutation] = [odd, respelled, wrapped, others].flatMap { $0 }

    private static let odd: [Mutation] = names.flatMap { name in
        oddValues.map { claim(name, $0) } + duplicates(of: name)
    }
    private static let respelled: [Mutation] = ["iss", "aud", "sub", "user_id"].flatMap { name in
        spellings(of: name) + otherTexts(of: name)
    }
    private static let wrapped: [Mutation] = ["iss", "aud", "exp", "iat", "sub", "firebase"].flatMap {
        containers(of: $0)
    }
    private static let others: [Mutation] = audiences.map { claim("aud", $0) } + issuers.map { claim("iss", $0) }

    private static let audiences = [
        "\"\(customTokenAudience)\"", "[\"\(customTokenAudience)\"]", #"["my-app","other"]"#, #""my-app,other""#,
        #""my-ap""#, #""MY-APP""#,
    ]

    private static let issuers = [
        "\"https://securetoken.google.com/other\"", "\"accounts.google.com\"",
        "\"http://securetoken.google.com/my-app\"", "\"https://securetoken.google.com/my-app\"",
        #""https:\/\/securetoken.google.com\/my-app""#, "\"https://session.firebase.google.com/my-app\"",
        #""https:\/\/session.firebase.google.com\/my-app""#, "\"https://securetoken.google.com/\"",
        "\"securetoken.google.com/my-app\"",
    ]

    private static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// The right value in other words of JSON.
    private static func spellings(of name: String) -> [Mutation] {
        let names = [escaped("\"\(name)\""), "\"\(name.uppercased())\"", "\"\(name) \"", "\"\(name)\\u0000\""]
        return names.map { new in Mutation("\(name)'s name \(new)") { $0.claims.rename(name, to: new) } }
            + [changed(name, "escaped", escaped)]
    }

    /// Texts that resemble the right one.
    private static func otherTexts(of name: String) -> [Mutation] {
        let endings = ["/", " ", "\\u0000", "%00", "\u{200B}", "\u{301}", "#", "?"]
        return endings.map { more in changed(name, "followed by \(more)") { "\($0.dropLast())\(more)\"" } } + [
            changed(name, "after a space") { "\" \($0.dropFirst())" },
            changed(name, "in upper case") { $0.uppercased() },
            changed(name, "with a wide letter") { $0.replacing("e", with: "\u{FF45}") },
        ]
    }

    private static func containers(of name: String) -> [Mutation] {
        [
            changed(name, "in an array") { "[\($0)]" }, changed(name, "twice in an array") { "[\($0),\($0)]" },
            changed(name, "in an object") { "{\"\(name)\":\($0)}" },
            changed(name, "quoted") { "\"\($0.replacing("\"", with: "\\\""))\"" },
        ]
    }

    private static func duplicates(of name: String) -> [Mutation] {
        let quoted = "\"\(name)\""
        return [
            Mutation("\(name) twice, first wrong") { $0.claims.prepend(quoted, "\"x\"") },
            Mutation("\(name) twice, last wrong") { $0.claims.append(quoted, "\"x\"") },
            Mutation("\(name) twice, the same") { $0.claims.append(quoted, $0.claims[name] ?? "null") },
            Mutation("\(name) twice, one escaped") { $0.claims.append(escaped(quoted), $0.claims[name] ?? "null") },
            Mutation("\(name) also in upper case") { $0.claims.append(quoted.uppercased(), "\"x\"") },
        ]
    }

    private static func changed(
        _ name: String, _ what: String, _ change: @escaping @Sendable (String) -> String
    ) -> Mutation {
        Mutation("\(name) \(what)") { $0.claims[name] = $0.claims[name].map(change) }
    }

    /// A JSON string with each character written as an escape.
    @Sendable static func escaped(_ string: String) -> String {
        let units = string.dropFirst().dropLast().utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"\(units.joined())\""
    }
}
