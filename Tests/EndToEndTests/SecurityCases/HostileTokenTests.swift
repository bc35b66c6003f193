import DevelopmentIdentity
import JOSE
import Testing

@testable import SystemFixtures

/// Tokens that are designed to use much time or memory, or to crash the process.
@Suite(.sharedScenario { $0["limits"] = "{ head_size: 1MiB }" }) struct HostileTokenTests: SharedScenarioSuite {
    /// Sends a token that must be rejected within the client timeout of 15 s.
    private func refuse(_ token: String, _ code: String = "auth/argument-error", _ what: String = "") throws {
        try scenario.expectRefusal(.bearer(token, "/me/hostile"), 401, code, what)
    }

    static let shapes: [(what: String, make: @Sendable (String) -> String)] = [
        ("D-09 100 KB of dots", { _ in String(repeating: ".", count: 100_000) }),
        ("D-09 900 KB of dots", { _ in String(repeating: ".", count: 900_000) }),
        ("D-09 parts of one letter", { _ in String(repeating: "a.", count: 50_000) }),
        ("D-10 two parts", { String($0.prefix(through: $0.lastIndex(of: ".")!).dropLast()) }),
        ("D-10 one part", { String($0.prefix { $0 != "." }) }), ("D-10 four parts", { $0 + "." }),
        ("D-10 four full parts", { $0 + "." + $0.split(separator: ".")[2] }), ("D-10 five parts", { $0 + ".AA.AA" }),
        ("D-10 no header", { String($0.drop { $0 != "." }) }), ("D-10 dots alone", { _ in ".." }),
        ("D-10 no payload", { part($0, 1) { _ in "" } }),
        ("D-10 16 KiB and a byte", { $0 + String(repeating: "A", count: 16_385 - $0.utf8.count) }),
        ("D-10 500 KB of one part", { _ in "eyJ" + String(repeating: "A", count: 500_000) + ".eyJ.AA" }),
        ("D-10 a newline in the middle", { $0.replacing(".eyJ", with: ".\teyJ") }),
        ("D-15 dir", { _ in jwe(#"{"alg":"dir","enc":"A256GCM"}"#) }),
        ("D-15 PBES2", { _ in jwe(#"{"alg":"PBES2-HS256+A128KW","p2c":1000000000,"p2s":"AA","enc":"A128GCM"}"#) }),
        ("D-15 a bomb", { _ in jwe(#"{"alg":"dir","enc":"A128GCM","zip":"DEF"}"#) }),
        ("D-15 RSA with an empty key", { _ in jwe(#"{"alg":"RSA-OAEP","enc":"A128GCM","kid":"a"}"#) }),
        ("D-15 a whole token inside", { _ in jwe(#"{"alg":"RSA-OAEP","cty":"JWT"}"#) }),
        ("D-15 encrypted none", { $0.replacing(".", with: "..") }),
    ]

    @Test(.tags(.d09, .d10, .d15), arguments: shapes)
    func `a token without exactly three parts is invalid`(row: (what: String, make: @Sendable (String) -> String))
        throws
    {
        try refuse(row.make(scenario.token()), "auth/argument-error", row.what)
    }

    /// Changes to one part of a token that lenient decoders ignore.
    static let spellings: [(what: String, change: @Sendable (String) -> String)] = [
        ("padding", { $0 + "=" }), ("two pads", { $0 + "==" }), ("padding encoded", { $0 + "%3D" }),
        ("a plus", { "+" + $0.dropFirst() }), ("a slash", { $0.dropLast() + "/" }),
        ("a tab", { $0.prefix(5) + "\t" + $0.dropFirst(5) }),
        ("a space within", { $0.prefix(4) + " " + $0.dropFirst(4) }),
        ("a line end", { $0.prefix(8) + "\u{B}" + $0.dropFirst(8) }),
        ("a letter outside of the alphabet", { $0.dropLast() + "!" }),
        ("a byte beyond ASCII", { $0.dropLast() + "\u{e9}" }),
        ("one letter too many", { $0 + String(repeating: "A", count: 5 - $0.count % 4) }), ("stray bits", strayBits),
        ("a colon", { ":" + $0 }), ("a tilde", { $0 + "~" }),
    ]

    @Test(.tags(.d11), arguments: spellings, [0, 1, 2])
    func `only one base64url spelling is accepted`(
        row: (what: String, change: @Sendable (String) -> String), index: Int
    ) throws {
        let token = Self.part(try scenario.token(), index) { row.change(String($0)) }
        let bytes = Array("GET /me/d11 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
        let client = try scenario.client(sending: bytes)
        let response = try client.response()
        // A control character is invalid in a field value.
        #expect(response.status == 401 || (response.status == 400 && token.contains("\u{B}")), "\(row.what)")
    }

    /// Payloads with a valid prefix, or with deep nesting.
    static let payloads: [(what: String, code: String, claim: String)] = [
        (
            "arrays in arrays", "auth/argument-error",
            String(repeating: "[", count: 4000) + String(repeating: "]", count: 4000)
        ),
        ("arrays without an end", "auth/argument-error", String(repeating: "[", count: 10_000)),
        (
            "objects in objects", "auth/argument-error",
            String(repeating: "{\"a\":", count: 1500) + "1" + String(repeating: "}", count: 1500)
        ),
        ("a number of 9000 digits", "", String(repeating: "9", count: 9000)),
        ("a fraction of 9000 digits", "", "0." + String(repeating: "9", count: 9000)),
        ("an exponent", "", "1e99999999999999999"), ("an exponent below", "", "1e-99999999999999999"),
        ("lone surrogates", "auth/argument-error", "\"" + String(repeating: "\\ud800", count: 1000) + "\""),
        ("escapes", "", "\"" + String(repeating: "\\u0041", count: 1500) + "\""),
        ("a control character", "auth/argument-error", "\"a\u{1}b\""), ("NaN", "auth/argument-error", "NaN"),
        ("Infinity", "auth/argument-error", "Infinity"), ("hexadecimal", "auth/argument-error", "0x10"),
        ("a comment", "auth/argument-error", "1 /* c */"), ("a comma too many", "auth/argument-error", "[1,]"),
        ("single quotes", "auth/argument-error", "'a'"), ("two values", "auth/argument-error", "1 2"),
        ("a second sub", "auth/argument-error", "1,\"sub\":\"root\""),
        ("a sub by escapes", "auth/argument-error", "1,\"s\\u0075b\":\"root\""),
        ("many members", "auth/argument-error", "1" + (0..<900).map { ",\"m\($0)\":1" }.joined() + ",\"m1\":2"),
    ]

    @Test(.tags(.d13), arguments: payloads)
    func `the cost of a claim is bounded by its length`(row: (what: String, code: String, claim: String)) throws {
        let token = try scenario.token { $0.setting("x", to: .raw(row.claim)) }
        let (response, count) = try scenario.forwarded { try scenario.send(.bearer(token, "/me/d13")) }
        // Valid JSON can be accepted. Then it is forwarded.
        guard response.status != 200 else {
            #expect(row.code == "" && EchoReport(response)?["X-Auth-Uid"] == "ada" && count == 1, "\(row.what)")
            return
        }
        #expect(response.status == 401 || (response.status == 431 && row.code == ""), "\(row.what): \(response.text)")
        #expect(count == 0)
        #expect(try scenario.send(.bearer(scenario.token(), "/me/after")).status == 200)
    }

    static let times = [
        "1e10", "4102444800.0", "4102444800.5", "1e400", "-1", "\"4102444800\"", "true", "null", "[4102444800]", "{}",
        "9223372036854775808", "-9223372036854775809", "18446744073709551616", String(repeating: "9", count: 9000),
    ]

    @Test(.tags(.d13, .e08), arguments: times, ["exp", "iat", "auth_time"])
    func `a time is an integer number of seconds`(value: String, claim: String) throws {
        let token = try scenario.token { $0.setting(claim, to: .raw(value)) }
        let response = try scenario.send(.bearer(token, "/me/time"))
        let isOver = value == "-1" && claim == "exp"
        expectDenial(response, 401, isOver ? "auth/id-token-expired" : "auth/invalid-id-token", "\(claim): \(value)")
    }

    static let keyIDs: [(value: JSON, code: String)] = [
        (1, "auth/argument-error"), (["a"], "auth/argument-error"), ([:], "auth/argument-error"),
        (true, "auth/argument-error"),
        (nil, "auth/argument-error"), ("", "auth/invalid-id-token"), ("../../etc/passwd", "auth/invalid-id-token"),
        ("%00", "auth/invalid-id-token"), ("a\u{0}b", "auth/invalid-id-token"),
        ("' OR 1=1 --", "auth/invalid-id-token"),
        ("${jndi:ldap://x}", "auth/invalid-id-token"), ("\u{1F600}", "auth/invalid-id-token"),
        ("*", "auth/invalid-id-token"),
        (.string(String(repeating: "k", count: 9000)), "auth/argument-error"),
        (.string(String(repeating: "k", count: 500_000)), "auth/argument-error"),
    ]

    @Test(.tags(.d14), arguments: keyIDs)
    func `a key ID is a string that is only looked up`(row: (value: JSON, code: String)) throws {
        try refuse(
            try scenario.token { $0.settingHeader("kid", to: row.value) }, row.code, row.value.text.prefix(40) + "")
    }

    @Test(
        .tags(.d14),
        arguments: ["[]", "\"text\"", "1", "null", "true", "", "{}", "{", "[{}]", " ", "{}{}", "\u{FEFF}{}"])
    func `a payload is a JSON object`(payload: String) throws {
        let key = try #require(scenario.provider.keys.current(for: .idToken))
        let code = payload == "{}" ? "auth/invalid-id-token" : "auth/argument-error"
        try refuse(key.sign(payload: Array(payload.utf8)), code, payload)
        let header = Base64URL.encode(Array(payload.utf8))
        try refuse(Self.part(scenario.token(), 0) { _ in header }, "auth/argument-error", payload)
    }

    @Test(.tags(.d08), arguments: [21_830, 12_000, 513, 255, 1, 0])
    func `a wrong signature of any length makes an invalid token`(length: Int) throws {
        let signature = Base64URL.encode([UInt8](repeating: 0x5A, count: length * 3 / 4))
        for algorithm in ["ES256", "RS256", "PS512"] {
            let token = Self.part(try scenario.token { $0.settingHeader("alg", to: .string(algorithm)) }, 2) { _ in
                signature
            }
            try refuse(token, token.utf8.count > 16_384 ? "auth/argument-error" : "auth/invalid-id-token", "\(length)")
        }
    }

    private static func part(_ token: String, _ index: Int, _ change: (Substring) -> String) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return parts.enumerated().map { $0.offset == index ? change($0.element) : String($0.element) }.joined(
            separator: ".")
    }

    private static func jwe(_ header: String) -> String {
        Base64URL.encode(Array(header.utf8))
            + "..AAAAAAAAAAAAAAAA.\(String(repeating: "A", count: 4000)).AAAAAAAAAAAAAAAAAAAAAA"
    }

    /// Returns the part with unused bits set in its last letter, or with one more letter if it has no unused bits.
    private static func strayBits(_ part: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard part.count % 4 != 0, let last = part.last, let value = alphabet.firstIndex(of: last) else {
            return part + "A"
        }
        return part.dropLast() + String(alphabet[value | 1])
    }
}
