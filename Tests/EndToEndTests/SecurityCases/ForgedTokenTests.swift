import DevelopmentIdentity
import JOSE
import Testing

@testable import SystemFixtures

/// Tokens created without the private key, by each known attack on libraries.
@Suite(.sharedScenario { $0["limits"] = "{ head_size: 256KiB }" }) struct ForgedTokenTests: SharedScenarioSuite {
    /// Each secret is a public form of the key.
    @Test(.tags(.d01)) func `a public key is never an HMAC secret`() throws {
        let key = try #require(scenario.provider.keys.current(for: .idToken))
        let jwk = key.jwk
        let modulus = try #require(Self.member("n", of: jwk))
        let certificate = try key.certificatePEM(commonName: "a", notBefore: 0, notAfter: 4_102_444_800)
        let der = PublicKeyInfo.der(modulus: Base64URL.decode(modulus) ?? [])
        let published = try RawClient.exchange(
            scenario.provider.port, .get(DevelopmentProvider.Endpoint.idTokenJWKSet.rawValue)
        ).body
        let pem = PublicKeyInfo.pem(der)
        let secrets: [(String, [UInt8])] = [
            ("JWK set", published), ("JWK", Array(jwk.utf8)), ("n, encoded", Array(modulus.utf8)),
            ("n", Base64URL.decode(modulus) ?? []), ("DER", der), ("PEM", Array(pem.utf8)),
            ("PEM without its last line end", Array(pem.dropLast().utf8)), ("certificate", certificate),
            ("kid", Array(key.keyID.utf8)), ("nothing", []), ("a word", Array("secret".utf8)),
        ]
        for (what, secret) in secrets {
            for algorithm in ["HS256", "HS384", "HS512", "RS256"] {
                let token = scenario.provider.idToken(for: .ada).settingHeader("kid", to: .string(key.keyID))
                    .settingHeader("alg", to: .string(algorithm))
                try scenario.expectRefusal(
                    .bearer(try token.signed(secret: secret), "/me/d01"), 401, "auth/invalid-id-token", what)
            }
        }
    }

    static let algorithms: [(value: JSON, code: String)] = [
        ("none", "auth/invalid-id-token"), ("None", "auth/invalid-id-token"), ("NONE", "auth/invalid-id-token"),
        ("nOnE", "auth/invalid-id-token"), (" none", "auth/invalid-id-token"), ("none\u{0}", "auth/invalid-id-token"),
        ("", "auth/argument-error"), (1, "auth/argument-error"), (0, "auth/argument-error"),
        (["RS256"], "auth/argument-error"), (["RS256", "none"], "auth/argument-error"), (nil, "auth/argument-error"),
        (["alg": "RS256"], "auth/argument-error"), (true, "auth/argument-error"),
        ("XX999", "auth/invalid-id-token"), ("RS1", "auth/invalid-id-token"), ("rs256", "auth/invalid-id-token"),
        ("RS256 ", "auth/invalid-id-token"), ("RS256\u{0}", "auth/invalid-id-token"),
        ("RS2560", "auth/invalid-id-token"),
        ("MD5", "auth/invalid-id-token"), ("dir", "auth/invalid-id-token"), ("RSA-OAEP", "auth/invalid-id-token"),
        ("A256GCM", "auth/invalid-id-token"), ("ES256K", "auth/invalid-id-token"), ("EdDSA", "auth/invalid-id-token"),
    ]

    @Test(.tags(.d02, .d03), arguments: algorithms)
    func `only the algorithm of the issuer is accepted`(row: (value: JSON, code: String)) throws {
        let signed = try scenario.token { $0.settingHeader("alg", to: row.value) }
        let unsigned = scenario.provider.idToken(for: .ada).settingHeader("alg", to: row.value).unsigned()
        for token in [signed, unsigned, String(signed.prefix { $0 != "." }) + signed.drop { $0 != "." } + "AA"] {
            try scenario.expectRefusal(.bearer(token, "/me/d02"), 401, row.code, "\(row.value.text)")
        }
        let without = try scenario.token { $0.removingHeader("alg") }
        try scenario.expectRefusal(.bearer(without, "/me/d02"), 401, "auth/argument-error")
    }

    @Test(.tags(.d03, .d04), arguments: [Algorithm.rs384, .rs512, .ps256, .ps384, .ps512])
    func `a signature by the correct key with another algorithm is invalid`(algorithm: Algorithm) throws {
        let key = try #require(scenario.provider.keys.current(for: .idToken))
        let other = try SigningKey(pem: key.pem(), algorithm: algorithm, keyID: key.keyID)
        let token = scenario.provider.idToken(for: .ada)
        for named in [token, token.settingHeader("alg", to: "RS256")] {
            try scenario.expectRefusal(.bearer(named.signed(by: other), "/me/d04"), 401, "auth/invalid-id-token")
        }
    }

    static let criticals: [[(String, JSON)]] = [
        [("crit", ["foo"]), ("foo", 1)], [("crit", [])], [("crit", ["exp"])], [("crit", "exp")], [("crit", nil)],
        [("crit", 1)], [("crit", ["b64"]), ("b64", false)], [("crit", ["b64"]), ("b64", true)], [("b64", false)],
        [("b64", true)], [("b64", "false")], [("crit", ["alg"])], [("crit", ["b64", "b64"]), ("b64", false)],
    ]

    @Test(.tags(.d06), arguments: criticals)
    func `a token with a critical header parameter is invalid`(members: [(String, JSON)]) throws {
        let token = try scenario.token { token in
            members.reduce(token) { $0.settingHeader($1.0, to: $1.1) }
        }
        try scenario.expectRefusal(.bearer(token, "/me/d06"), 401, "auth/argument-error")
    }

    static let types: [JSON] = [
        "logout+jwt", "at+jwt", "application/at+jwt", "vp+jwt", "dpop+jwt", "secevent+jwt", "gatehouse-session+jwt",
        "JWE",
        "jwt ", "", "none",
    ]

    @Test(.tags(.e12), arguments: types)
    func `another kind of token is not an ID token`(type: JSON) throws {
        let token = try scenario.token { $0.settingHeader("typ", to: type) }
        try scenario.expectRefusal(.bearer(token, "/me/e12"), 401, "auth/invalid-id-token", "\(type)")
    }

    static let urls = [
        "http://169.254.169.254/latest/meta-data", "http://127.0.0.1:PORT/evil", "http://localhost:PORT/evil",
        "file:///etc/passwd",
        "http://securetoken.google.com@127.0.0.1:PORT/", "https://securetoken.google.com/demo-gatehouse/../evil",
        "../../evil", "//127.0.0.1:PORT/evil", "gopher://127.0.0.1:PORT/",
    ]

    @Test(.tags(.f14), arguments: urls)
    func `a URL in a token is never fetched`(url: String) throws {
        let url = JSON.string(url.replacing("PORT", with: "\(scenario.echo.port)"))
        let calls = scenario.provider.received.count
        let tokens = try [
            scenario.token { $0.setting("iss", to: url) },
            scenario.token { $0.settingHeader("jku", to: url).setting("iss", to: url) },
            scenario.token { $0.settingHeader("x5u", to: url).settingHeader("kid", to: url).setting("iss", to: url) },
            scenario.token { $0.setting("tid", to: url).setting("aud", to: url) },
        ]
        for token in tokens {
            try scenario.expectRefusal(.bearer(token, "/me/f14"), 401, "auth/invalid-id-token")
        }
        #expect(scenario.provider.received.count == calls)
    }

    @Test(.tags(.f14)) func `a key in the token is never used`() throws {
        let own = try SigningKey.generate(.rs256, keyID: "own")
        for member in ["jwk", "x5c", "x5t", "jku"] {
            let value: JSON = member == "jwk" ? .raw(own.jwk) : member == "x5c" ? ["MIIB"] : "http://127.0.0.1:1/"
            let kid = try #require(keyIdentifier(of: scenario.token()))
            let token = scenario.provider.idToken(for: .ada).settingHeader(member, to: value)
                .settingHeader("kid", to: .string(kid))
            try scenario.expectRefusal(.bearer(token.signed(by: own), "/me/f14"), 401, "auth/invalid-id-token", member)
        }
    }

    private static func member(_ name: String, of jwk: String) -> String? {
        if case .string(let text)? = JSON(parsing: Array(jwk.utf8))?[name] { text } else { nil }
    }
}

/// The public key in common encodings of X.509's SubjectPublicKeyInfo.
enum PublicKeyInfo {
    static func der(modulus: [UInt8]) -> [UInt8] {
        let key = element(0x30, element(0x02, [0] + modulus) + element(0x02, [1, 0, 1]))
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return element(0x30, algorithm + element(0x03, [0] + key))
    }

    static func pem(_ der: [UInt8]) -> String {
        var text = Base64URL.encode(der).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text.dropFirst($0).prefix(64)) }
        return "-----BEGIN PUBLIC KEY-----\n" + lines.joined(separator: "\n") + "\n-----END PUBLIC KEY-----\n"
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}
