import DevelopmentIdentity
import JOSE
import Testing

@Suite(.provider) struct FacebookTokenTests {
    private let provider: DevelopmentProvider
    private static let proof = "1234567890123456%7Cfacebook-secret"
    private let token = OpaqueToken.facebook(for: .dennis, now: noon)

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func debug(_ text: String, proof: String = proof) async throws -> Response {
        try await provider.response("/debug_token?input_token=\(text)&access_token=\(proof)")
    }

    @Test func `a known token is described`() async throws {
        try provider.add(token)
        let response = try await debug(token.text)
        #expect(response.status == 200)
        let data = try #require(response.json?.root["data"])
        data.expect([
            "is_valid": true, "app_id": "1234567890123456", "user_id": "1234567890", "issued_at": .integer(noon),
        ])
        #expect(data["scopes"]?.elements.map(\.string) == ["email", "public_profile"])
        #expect(provider.calls(about: token) == 1 && provider.calls(to: .facebookDebugToken) == 1)
    }

    @Test func `a revoked token is not valid`() async throws {
        try provider.add(token)
        provider.revoke(token)
        let response = try await debug(token.text)
        #expect(response.status == 200)
        #expect(response.json?.root["data"]?["is_valid"]?.bool == false)
        #expect(response.json?.root["data"]?["error"]?["code"]?.integer == 190)
    }

    @Test func `a token of another application is an error`() async throws {
        let foreign = OpaqueToken.facebook(for: .dennis, appID: "9", now: noon)
        try provider.add(foreign)
        let response = try await debug(foreign.text)
        #expect(response.status == 400)
        #expect(response.json?.root["error"]?["code"]?.integer == 100)
    }

    @Test func `the response can name another application`() async throws {
        try provider.add(token.setting("data", "app_id", to: "9").setting("data", "expires_at", to: 0))
        let data = try await debug(token.text).json?.root["data"]
        #expect(data?["app_id"]?.string == "9")
        #expect(data?["expires_at"]?.integer == 0)
        #expect(data?["is_valid"]?.bool == true)
    }

    @Test(arguments: ["", "1234567890123456%7Cwrong", "9%7Cfacebook-secret", "facebook-secret"])
    func `only the application may inspect tokens`(proof: String) async throws {
        try provider.add(token)
        let response = try await debug(token.text, proof: proof)
        #expect(response.status == 400)
        #expect(response.json?.root["error"]?["type"]?.string == "OAuthException")
        #expect(provider.calls(about: token) == 0)
    }

    @Test func `an inspection names a token and uses GET`() async throws {
        let response = try await debug("")
        #expect(response.json?.root["error"]?["code"]?.integer == 100)
        #expect(try await provider.response("/debug_token", method: "POST", body: "x").status == 405)
    }
}
