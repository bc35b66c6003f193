import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@Suite struct TokenEndpointTests {
    private static let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    private func ask(_ provider: DevelopmentProvider, _ assertion: String, grant: String = grant) async throws
        -> Response
    {
        try await #require(post(provider, "/token", form: "grant_type=\(grant)&assertion=\(assertion)"))
    }

    @Test func aServiceAccountGetsAnAccessToken() async throws {
        try await withProvider { provider in
            let account = try provider.makeServiceAccount()
            let response = try await ask(provider, account.assertion())
            #expect(response.status == 200)
            let answer = try #require(response.json).root
            #expect(answer["access_token"]?.string?.hasPrefix("ya29.") == true)
            #expect(answer["expires_in"]?.integer == 3600)
            #expect(answer["token_type"]?.string == "Bearer")
            #expect(provider.calls(to: .oauthToken) == 1)
        }
    }

    @Test func googlesOwnEndpointIsAnAudienceToo() async throws {
        try await withProvider { provider in
            let account = try provider.makeServiceAccount()
            let assertion = try account.assertion(["aud": "https://oauth2.googleapis.com/token"])
            #expect(try await ask(provider, assertion).status == 200)
        }
    }

    @Test(
        arguments: [
            (["iss": "stranger@example.com"], "invalid_grant"),
            (["aud": "https://other.example/token"], "invalid_grant"),
            (["exp": .integer(noon)], "invalid_grant"), (["exp": .integer(noon + 3601)], "invalid_grant"),
            (["iat": .integer(noon + 301)], "invalid_grant"), (["iat": nil], "invalid_grant"),
            (["scope": ""], "invalid_scope"), (["scope": nil], "invalid_scope"),
        ] as [(JSONObject, String)])
    func anUnfitAssertionIsRefused(claims: JSONObject, code: String) async throws {
        try await withProvider { provider in
            let response = try await ask(provider, provider.makeServiceAccount().assertion(claims))
            #expect(response.status == 400)
            #expect(response.json?.root["error"]?.string == code)
        }
    }

    @Test func aForeignSignatureIsRefused() async throws {
        try await withProvider { provider in
            let account = try provider.makeServiceAccount()
            let other = try #require(DevelopmentKeys.shared().current(for: .idToken))
            for key in [other, try SigningKey(pem: other.pem(), algorithm: .rs256, keyID: account.key.keyID)] {
                let response = try await ask(provider, account.assertion(key: key))
                #expect(response.json?.root["error_description"]?.string == "Invalid JWT Signature.")
            }
        }
    }

    @Test(arguments: [("password", "unsupported_grant_type"), (grant, "invalid_grant")])
    func otherGrantsAndNoAssertionAreRefused(grant: String, code: String) async throws {
        try await withProvider { provider in
            let response = try await ask(provider, "", grant: grant)
            #expect(response.status == 400)
            #expect(response.json?.root["error"]?.string == code)
        }
    }

    @Test func theFileIsWhatGoogleHandsOut() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sa-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withProvider { provider in
            let path = try provider.makeServiceAccount().write(toDirectory: directory)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let text = try JSONDocument(Array(Data(contentsOf: URL(fileURLWithPath: path)))).root
            #expect(text["type"]?.string == "service_account")
            #expect(text["project_id"]?.string == "demo-gatehouse")
            #expect(text["client_email"]?.string == "gatehouse@demo-gatehouse.iam.gserviceaccount.com")
            #expect(text["token_uri"]?.string == provider.url(.oauthToken))
            #expect(text["private_key"]?.string?.hasPrefix("-----BEGIN PRIVATE KEY-----\n") == true)
            #expect(text["private_key_id"]?.string?.count == 40)
        }
    }
}

extension ServiceAccount {
    /// An assertion as Google's libraries make it, some claims of it changed; `null` removes one.
    func assertion(_ changes: JSONObject = [:], key: SigningKey? = nil) throws -> String {
        var claims: JSONObject = [
            "iss": .string(email), "aud": .string(tokenURL), "iat": .integer(noon), "exp": .integer(noon + 3600),
            "scope": "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email",
        ]
        for change in changes.members { claims[change.name] = change.value == .null ? nil : change.value }
        return try (key ?? self.key).sign(payload: claims.bytes)
    }
}
