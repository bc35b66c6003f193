import DevelopmentIdentity
import JOSE
import Testing

@Suite struct FacebookTokenTests {
    private static let proof = "1234567890123456%7Cfacebook-secret"
    private let token = OpaqueToken.facebook(for: .dennis, now: noon)

    private func debug(
        _ provider: DevelopmentProvider, _ text: String, proof: String = proof
    ) async throws -> Response {
        let path = "/debug_token?input_token=\(text)&access_token=\(proof)"
        return try await #require(Response(exchange(provider.port, path)))
    }

    @Test func aKnownTokenIsToldAllAbout() async throws {
        try await withProvider { provider in
            try provider.add(token)
            let response = try await debug(provider, token.text)
            #expect(response.status == 200)
            let data = try #require(response.json?.root["data"])
            #expect(data["is_valid"]?.bool == true)
            #expect(data["app_id"]?.string == "1234567890123456")
            #expect(data["user_id"]?.string == "1234567890")
            #expect(data["issued_at"]?.integer == noon)
            #expect(data["scopes"]?.elements.map(\.string) == ["email", "public_profile"])
            #expect(provider.calls(about: token) == 1 && provider.calls(to: .facebookDebugToken) == 1)
        }
    }

    @Test func anyOtherIsNotValid() async throws {
        try await withProvider { provider in
            try provider.add(token)
            provider.revoke(token)
            let response = try await debug(provider, token.text)
            #expect(response.status == 200)
            #expect(response.json?.root["data"]?["is_valid"]?.bool == false)
            #expect(response.json?.root["data"]?["error"]?["code"]?.integer == 190)
        }
    }

    @Test func aTokenOfAnotherApplicationIsAnError() async throws {
        let foreign = OpaqueToken.facebook(for: .dennis, appID: "9", now: noon)
        try await withProvider { provider in
            try provider.add(foreign)
            let response = try await debug(provider, foreign.text)
            #expect(response.status == 400)
            #expect(response.json?.root["error"]?["code"]?.integer == 100)
        }
    }

    @Test func theAnswerCanNameAnotherApplication() async throws {
        try await withProvider { provider in
            try provider.add(token.setting("data", "app_id", to: "9").setting("data", "expires_at", to: 0))
            let data = try await debug(provider, token.text).json?.root["data"]
            #expect(data?["app_id"]?.string == "9")
            #expect(data?["expires_at"]?.integer == 0)
            #expect(data?["is_valid"]?.bool == true)
        }
    }

    @Test(arguments: ["", "1234567890123456%7Cwrong", "9%7Cfacebook-secret", "facebook-secret"])
    func onlyTheApplicationMayAsk(proof: String) async throws {
        try await withProvider { provider in
            try provider.add(token)
            let response = try await debug(provider, token.text, proof: proof)
            #expect(response.status == 400)
            #expect(response.json?.root["error"]?["type"]?.string == "OAuthException")
            #expect(provider.calls(about: token) == 0)
        }
    }

    @Test func aQuestionNamesATokenAndIsGot() async throws {
        try await withProvider { provider in
            let response = try await debug(provider, "")
            #expect(response.json?.root["error"]?["code"]?.integer == 100)
            let post = try await Response(exchange(provider.port, "POST", "/debug_token", body: "x"))
            #expect(post?.status == 405)
        }
    }
}
