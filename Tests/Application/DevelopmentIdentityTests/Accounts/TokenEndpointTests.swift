import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

@Suite(.provider) struct TokenEndpointTests {
    private let provider: DevelopmentProvider
    private static let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func request(_ assertion: String, grant: String = grant) async throws -> Response {
        try await post(provider, "/token", form: "grant_type=\(grant)&assertion=\(assertion)")
    }

    @Test func `a service account gets an access token`() async throws {
        let account = try provider.makeServiceAccount()
        let response = try await request(account.assertion())
        #expect(response.status == 200)
        let answer = try #require(response.json).root
        #expect(answer["access_token"]?.string?.hasPrefix("ya29.") == true)
        answer.expect(["expires_in": 3600, "token_type": "Bearer"])
        #expect(provider.calls(to: .oauthToken) == 1)
    }

    @Test func `the token endpoint of Google is an audience too`() async throws {
        let account = try provider.makeServiceAccount()
        let assertion = try account.assertion(["aud": "https://oauth2.googleapis.com/token"])
        #expect(try await request(assertion).status == 200)
    }

    @Test(
        arguments: [
            (["iss": "stranger@example.com"], "invalid_grant"),
            (["aud": "https://other.example/token"], "invalid_grant"),
            (["exp": .integer(noon)], "invalid_grant"), (["exp": .integer(noon + 3601)], "invalid_grant"),
            (["iat": .integer(noon + 301)], "invalid_grant"), (["iat": nil], "invalid_grant"),
            (["scope": ""], "invalid_scope"), (["scope": nil], "invalid_scope"),
        ] as [(JSONObject, String)])
    func `an invalid assertion is rejected`(claims: JSONObject, code: String) async throws {
        let response = try await request(provider.makeServiceAccount().assertion(claims))
        #expect(response.status == 400)
        #expect(response.json?.root["error"]?.string == code)
    }

    @Test func `a foreign signature is rejected`() async throws {
        let account = try provider.makeServiceAccount()
        let other = try #require(DevelopmentKeys.shared().current(for: .idToken))
        for key in [other, try SigningKey(pem: other.pem(), algorithm: .rs256, keyID: account.key.keyID)] {
            let response = try await request(account.assertion(key: key))
            #expect(response.json?.root["error_description"]?.string == "Invalid JWT Signature.")
        }
    }

    @Test(arguments: [("password", "unsupported_grant_type"), (grant, "invalid_grant")])
    func `other grants and no assertion are rejected`(grant: String, code: String) async throws {
        let response = try await request("", grant: grant)
        #expect(response.status == 400)
        #expect(response.json?.root["error"]?.string == code)
    }

    @Test func `the key file has Google's format`() async throws {
        let folder = try ScratchFolder()
        let path = try provider.makeServiceAccount().write(toDirectory: folder.path("account"))
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

extension ServiceAccount {
    /// An assertion in the format of Google's libraries, with changed claims. `null` removes a claim.
    func assertion(_ changes: JSONObject = [:], key: SigningKey? = nil) throws -> String {
        var claims: JSONObject = [
            "iss": .string(email), "aud": .string(tokenURL), "iat": .integer(noon), "exp": .integer(noon + 3600),
            "scope": "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email",
        ]
        for change in changes.members { claims[change.name] = change.value == .null ? nil : change.value }
        return try (key ?? self.key).sign(payload: claims.bytes)
    }
}
