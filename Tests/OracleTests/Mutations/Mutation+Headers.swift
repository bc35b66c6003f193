extension Mutation {
    private static let algorithms = [
        "RS256", "rs256", "RS256 ", "RS384", "RS512", "PS256", "ES256", "ES384", "HS256", "EdDSA", "none", "None",
        "NONE", "nOnE", "", "RSA", "SHA256withRSA",
    ]

    private static let types = [
        "\"JWT\"", "\"jwt\"", "\"JOSE\"", "\"at+jwt\"", "\"application/jwt\"", "\"logout+jwt\"", "\"\"", "null", "7",
        "[]", "[\"JWT\"]", "{}", #""\u004aWT""#, "\"JWT \"", "\"\(String(repeating: "t", count: 300))\"",
    ]

    private static let keyIDs = [
        "\"key-2\"", "\"key-retired\"", "\"key-elliptic\"", "\"unknown\"", "\"KEY-1\"", "\"key-1 \"", #""key-1\u0000""#,
        #""\u006bey-1""#, "\"cl\u{E9}\"", "\"cle\u{301}\"", #""cl\u00e9""#, #""cle\u0301""#, "\"../key-1\"", "\"keys\"",
        "\"\(String(repeating: "k", count: 1025))\"",
    ]

    /// Members that name keys of their own, or that a verifier must understand.
    private static let extensions: [(String, [String])] = [
        ("crit", ["[]", "[\"exp\"]", "[\"b64\"]", "null", "\"exp\"", "7", "{}"]),
        ("b64", ["false", "true", "null", "\"false\""]),
        ("jwk", ["{}", #"{"kty":"RSA","e":"AQAB","n":"AQ"}"#, "null"]),
        ("jku", ["\"https://example.com/keys\"", "null"]), ("x5u", ["\"https://example.com/cert\""]),
        ("x5c", ["[]", "[\"MIIB\"]"]), ("x5t", ["\"AA\""]), ("cty", ["\"JWT\"", "7"]), ("zip", ["\"DEF\""]),
        ("enc", ["\"A256GCM\""]), ("nonce", ["\"n\""]), ("url", ["\"/\""]),
        ("x", ["1", "NaN", #""\ud800""#, "[[[[]]]]"]),
    ]

    static let headers: [Mutation] = [values, odd, extended, repeated, legacy].flatMap { $0 }

    private static let values: [Mutation] =
        algorithms.map { header("alg", "\"\($0)\"") } + types.map { header("typ", $0) }
        + keyIDs.map { header("kid", $0) }
    private static let odd: [Mutation] = ["alg", "kid", "typ"].flatMap { name in oddValues.map { header(name, $0) } }
    private static let extended: [Mutation] = extensions.flatMap { name, values in values.map { header(name, $0) } }
    private static let repeated: [Mutation] = ["alg", "kid", "typ", "crit"].flatMap { duplicates(inHeader: $0) }

    private static func duplicates(inHeader name: String) -> [Mutation] {
        let quoted = "\"\(name)\""
        return [
            Mutation("header \(name) twice, first wrong") { $0.header.prepend(quoted, "\"none\"") },
            Mutation("header \(name) twice, last wrong") { $0.header.append(quoted, "\"none\"") },
            Mutation("header \(name) twice, the same") { $0.header.append(quoted, $0.header[name] ?? "[]") },
            Mutation("header \(name) twice, one escaped") {
                $0.header.append(escaped(quoted), $0.header[name] ?? "[]")
            },
            Mutation("header \(name)'s name escaped") { $0.header.rename(name, to: escaped(quoted)) },
            Mutation("header \(name)'s name in upper case") { $0.header.rename(name, to: quoted.uppercased()) },
        ]
    }

    private static let legacy: [Mutation] = ["{\"uid\":\"a\"}", "[]", "[\"uid\"]", "\"uid\"", "null", "7"].map {
        value in
        Mutation("legacy custom token, d \(value)") {
            $0.header["alg"] = "\"HS256\""
            $0.header["kid"] = nil
            $0.claims["v"] = "0"
            $0.claims["d"] = value
        }
    }
}
