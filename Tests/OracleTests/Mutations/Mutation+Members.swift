extension Mutation {
    /// Around now, around now by each skew that is tried, and far from it.
    private static let offsets: [Int64] = [
        -1_000_000_000, -86_400, -3600, -61, -60, -59, -6, -5, -4, -2, -1, 0, 1, 2, 4, 5, 6, 59, 60, 61, 3600, 86_400,
        1_000_000_000,
    ]

    static let times: [Mutation] = ["iat", "exp", "auth_time", "nbf"].flatMap { name in
        (near + strangeTimes).map { claim(name, $0) }
    }

    private static let near: [String] =
        offsets.map { "\(TokenDraft.now + $0)" } + [-6, -5, -1, 0, 1, 5, 6].flatMap { forms(of: TokenDraft.now + $0) }

    /// A time as a JSON number that is not an integer, and as other kinds of values.
    private static func forms(of time: Int64) -> [String] {
        [
            "\(time).0", "\(time).5", "\(time)e0", "\(time)E+0", "\(time)0e-1", "\(time).000000000001", "\"\(time)\"",
            "[\(time)]", "{\"seconds\":\(time)}", "\(time)000",
        ]
    }

    private static let strangeTimes: [String] = [
        "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740991", "9007199254740993", "1e10", "1e18",
        "1e19", "1e308", "1e309", "-1e309", "9223372036854775806", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "253402300800", "62135596800",
        "-62135596801", "0.0", "-0", "-0.0", "0e0", "\"2023-11-14T22:13:20Z\"", "\"\(TokenDraft.now)\"", "true",
        "false", String(repeating: "1", count: 4300),
    ]

    private static let oddMembers = [
        "null", "true", "7", "1.5", "\"\"", "\"x\"", "[]", "[\"corp\"]", "{}", #""\ud800""#,
    ]

    private static let names = [
        "sign_in_provider", "tenant", "sign_in_second_factor", "identities", "sign_in_attributes", "other",
    ]
    private static let tenants = ["\"corp\"", "\"Corp\"", "\"corp \"", #""\u0063orp""#, #""corp\u0000""#, "\"other\""]
    private static let factors = ["\"phone\"", "\"totp\""]
    private static let providers = ["\"anonymous\"", "\"custom\"", "\"saml.corp\"", "\"oidc.okta\""]
    private static let wholes = [
        #"{"tenant":"corp","tenant":"other"}"#, #"{"tenant":"other","tenant":"corp"}"#, #"[{"tenant":"corp"}]"#,
        #""{\"tenant\":\"corp\"}""#,
    ]

    static let firebase: [Mutation] = [
        names.flatMap { name in oddMembers.map { member(name, $0) } }, tenants.map { member("tenant", $0) },
        factors.map { member("sign_in_second_factor", $0) }, providers.map { member("sign_in_provider", $0) },
        wholes.map { claim("firebase", $0) },
    ].flatMap { $0 }

    private static func member(_ name: String, _ value: String) -> Mutation {
        Mutation("firebase.\(name) \(value)") {
            var members = Members(["identities": "{}", "sign_in_provider": "\"google.com\""])
            members[name] = value
            $0.claims["firebase"] = members.text
        }
    }

    /// Around 128 in bytes, in UTF-16 units, in code points and in characters.
    static let subjects: [Mutation] =
        lengths.flatMap { text, counts in counts.map { subject(text, $0) } } + strangeTexts.map { subject($0, 1) }

    private static let lengths: [(String, [Int])] = [
        ("a", [1, 64, 127, 128, 129, 256]), ("\u{E9}", [32, 63, 64, 65, 127, 128, 129]),
        ("\u{20AC}", [42, 43, 127, 128, 129]), ("\u{1F600}", [31, 32, 33, 63, 64, 65, 127, 128, 129]),
        ("e\u{301}", [42, 43, 64, 65, 128]), (#"\u0061"#, [128, 129]), (#"\u00e9"#, [63, 64, 65]),
        (#"\ud83d\ude00"#, [32, 33, 64, 65]),
    ]

    private static let strangeTexts = [
        #"\u0000"#, #"\/"#, #"\\"#, #"\""#, #"\n"#, "..", "../admin", "a:b", "{a}", "a b", "\u{202E}", "\u{FFFD}",
        "\u{10FFFF}", #"\uFFFE"#, #"\ud800a"#, #"a\ud83d"#, #"\udc00\ud83d"#, "apple.com:1",
    ]

    private static func subject(_ text: String, _ count: Int) -> Mutation {
        let value = "\"\(String(repeating: text, count: count))\""
        return Mutation("sub \(text) \(count) times") {
            $0.claims["sub"] = value
            $0.claims["user_id"] = value
        }
    }
}
