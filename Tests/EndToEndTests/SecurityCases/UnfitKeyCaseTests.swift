import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@testable import SystemFixtures

/// Published keys that must not be used, although the signatures of tokens match them.
struct UnfitKeyCaseTests {
    /// Publishes the keys, followed by the valid ones.
    private func publish(_ jwks: [String], in scenario: Scenario) throws {
        let good = scenario.provider.keys[.idToken].map(\.jwk)
        scenario.provider.misbehave(.body("{\"keys\":[\((jwks + good).joined(separator: ","))]}"), at: .idTokenJWKSet)
        let refreshed = try scenario.admin("POST", "/v1/keys/refresh")
        #expect(refreshed.status == 200, "\(refreshed.text)")
        #expect(try scenario.send(.bearer(scenario.token(), "/me/good")).status == 200)
    }

    private static func rsa(_ kid: String, _ modulus: String, exponent: String = "AQAB", _ more: String = "") -> String
    {
        "{\"kty\":\"RSA\",\"kid\":\"\(kid)\",\"n\":\"\(modulus)\",\"e\":\"\(exponent)\"\(more)}"
    }

    @Test(.tags(.d22)) func `a weak key is skipped, even if a signature matches it`() async throws {
        try await Scenario.run { scenario in
            let forged = try Self.forgedForExponentOne()
            try publish(
                [
                    Self.rsa("weak-512", WeakKeyVectors.modulus512), Self.rsa("weak-1024", WeakKeyVectors.modulus1024),
                    Self.rsa("weak-e1", WeakKeyVectors.modulus2048, exponent: "AQ"),
                    "{\"kty\":\"EC\",\"kid\":\"off\",\"crv\":\"P-256\",\"x\":\"\(zeros(32))\",\"y\":\"\(zeros(32))\"}",
                    "{\"kty\":\"OKP\",\"kid\":\"short\",\"crv\":\"Ed25519\",\"x\":\"\(zeros(31))\"}",
                    "{\"kty\":\"oct\",\"kid\":\"secret\",\"k\":\"c2VjcmV0\"}",
                ], in: scenario)
            for token in [WeakKeyVectors.token512, WeakKeyVectors.token1024, forged] {
                try scenario.expectRefusal(.bearer(token, "/me/d22"), 401, "auth/invalid-id-token", token)
            }
            for kid in ["off", "short", "secret"] {
                let token = scenario.provider.idToken(for: .ada).settingHeader("kid", to: .string(kid))
                let tokens = try [scenario.provider.sign(token), token.signed(secret: Array("secret".utf8))]
                for token in tokens {
                    try scenario.expectRefusal(.bearer(token, "/me/d22"), 401, "auth/invalid-id-token", kid)
                }
            }
        }
    }

    @Test(.tags(.d22)) func `a set of only weak keys replaces nothing`() async throws {
        try await Scenario.run { scenario in
            scenario.provider.misbehave(
                .body("{\"keys\":[\(Self.rsa("weak-1024", WeakKeyVectors.modulus1024))]}"), at: .idTokenJWKSet)
            try scenario.admin("POST", "/v1/keys/refresh")
            #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 200)
            let response = try scenario.send(.bearer(WeakKeyVectors.token1024, "/me/x"))
            #expect(response.status == 503 || response.status == 401)
        }
    }

    @Test(.tags(.d04)) func `a key is used only for its purpose and algorithm`() async throws {
        try await Scenario.run { scenario in
            let key = try SigningKey.generate(.rs256, keyID: "purpose")
            let curve = try SigningKey.generate(.es256, keyID: "curve")
            let plain = key.jwk.replacing(",\"use\":\"sig\"", with: "").replacing("\"alg\":\"RS256\",", with: "")
            let unfit: [(kid: String, more: String)] = [
                ("enc", ",\"use\":\"enc\""), ("ops", ",\"key_ops\":[\"encrypt\"]"), ("sign", ",\"key_ops\":[\"sign\"]"),
                ("alg", ",\"alg\":\"RS512\""), ("pss", ",\"alg\":\"PS256\""), ("hmac", ",\"alg\":\"HS256\""),
                ("cipher", ",\"alg\":\"RSA-OAEP\""), ("other", ",\"alg\":\"X\""),
            ]
            func named(_ kid: String, _ more: String) -> String {
                plain.replacing("\"purpose\"", with: "\"\(kid)\"").dropLast() + more + "}"
            }
            try publish(unfit.map { named($0.kid, $0.more) } + [named("plain", ""), curve.jwk], in: scenario)
            let token = scenario.provider.idToken(for: .ada)
            #expect(
                try scenario.send(.bearer(token.settingHeader("kid", to: "plain").signed(by: key), "/me/x")).status
                    == 200)
            for kid in unfit.map(\.kid) {
                let signed = try token.settingHeader("kid", to: .string(kid)).signed(by: key)
                try scenario.expectRefusal(.bearer(signed, "/me/d04"), 401, "auth/invalid-id-token", kid)
            }
            let rows = try [
                token.signed(by: curve), token.settingHeader("alg", to: "RS256").signed(by: curve),
                token.settingHeader("kid", to: "curve").signed(by: key),
                token.settingHeader("kid", to: "plain").settingHeader("alg", to: "ES256").signed(by: curve),
                token.settingHeader("kid", to: "plain").signed(by: curve),
            ]
            for row in rows { try scenario.expectRefusal(.bearer(row, "/me/d04"), 401, "auth/invalid-id-token") }
        }
    }

    @Test(.tags(.f12)) func `the same key ID in two sets names two keys`() async throws {
        try await Scenario.run(arrange: { provider, _, _ in
            let keys = try [SigningKey.generate(.rs256, keyID: "same"), .generate(.rs256, keyID: "same")]
            provider.updateKeys {
                $0 = DevelopmentKeys()
                $0.add(keys[0], for: .idToken)
                $0.add(keys[1], for: .sessionCookie)
            }
        }) { scenario in
            let keys = scenario.provider.keys
            let idKey = try #require(keys.current(for: .idToken))
            let sessionKey = try #require(keys.current(for: .sessionCookie))
            #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 200)
            #expect(try scenario.send(.cookie(scenario.cookie(), "/me/x")).status == 200)
            let idToken = try scenario.provider.idToken(for: .ada).signed(by: sessionKey)
            let cookie = try scenario.provider.sessionCookie(for: .ada).signed(by: idKey)
            try scenario.expectRefusal(.bearer(idToken, "/me/f12"), 401, "auth/invalid-id-token")
            try scenario.expectRefusal(.cookie(cookie, "/me/f12"), 401, "auth/invalid-session-cookie")
        }
    }

    private func zeros(_ count: Int) -> String { Base64URL.encode([UInt8](repeating: 1, count: count)) }

    /// With `e` = 1 the signature is the padded digest itself (RFC 8017 section 9.2).
    private static func forgedForExponentOne() throws -> String {
        let input = FirebaseToken.idToken(for: .ada, now: unixNow()).settingHeader("alg", to: "RS256")
            .settingHeader("kid", to: "weak-e1").unsigned().dropLast()
        let digest = try #require(SHA256Hasher()?.hash(Array(input.utf8))).bytes
        let info: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
            0x20,
        ]
        let padding = [UInt8](repeating: 0xFF, count: 256 - 3 - info.count - digest.count)
        return input + "." + Base64URL.encode([0, 1] + padding + [0] + info + digest)
    }
}
