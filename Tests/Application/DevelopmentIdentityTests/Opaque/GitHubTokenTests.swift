import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@Suite(.provider) struct GitHubTokenTests {
    private let provider: DevelopmentProvider
    private static let agent = "User-Agent: gatehouse\r\n"
    private static let fields = agent + basic("Iv1.gatehouse", "github-secret")
    private let token = OpaqueToken.gitHub(for: .linus, scopes: ["repo", "user"], now: noon)

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func check(
        _ body: String, client: String = "Iv1.gatehouse", fields: String = fields
    ) async throws -> Response {
        try await provider.response("/applications/\(client)/token", method: "POST", fields: fields, body: body)
    }

    private func check(_ token: OpaqueToken) async throws -> Response {
        try await check("{\"access_token\":\"\(token.text)\"}")
    }

    @Test func `a known token is described`() async throws {
        try provider.add(token)
        let response = try await check(token)
        #expect(response.status == 200)
        let answer = try #require(response.json).root
        #expect(answer["user"]?["id"]?.integer == 583_231)
        #expect(answer["user"]?["login"]?.string == "linus")
        #expect(answer["app"]?["client_id"]?.string == "Iv1.gatehouse")
        #expect(answer["scopes"]?.elements.map(\.string) == ["repo", "user"])
        #expect(answer["created_at"]?.string == "2023-11-14T22:13:20Z")
        #expect(answer["expires_at"]?.kind == .null)
        #expect(answer["token_last_eight"]?.string == String(token.text.suffix(8)))
        #expect(provider.calls(about: token) == 1)
        #expect(provider.calls(to: .gitHubTokenCheck) == 1)
    }

    @Test func `unknown, revoked and foreign tokens are not found`() async throws {
        let foreign = OpaqueToken.gitHub(for: .linus, clientID: "Iv1.other", now: noon)
        try provider.add(token)
        provider.revoke(token)
        try provider.add(foreign)
        for text in [token.text, foreign.text, "gho_unknown"] {
            let response = try await check("{\"access_token\":\"\(text)\"}")
            #expect(response.status == 404)
            #expect(response.json?.root["message"]?.string == "Not Found")
        }
    }

    @Test(arguments: [
        ("Iv1.gatehouse", agent), ("Iv1.gatehouse", agent + basic("Iv1.gatehouse", "wrong")), ("Iv1.other", fields),
        ("Iv1.other", agent + basic("Iv1.other", "github-secret")),
    ])
    func `only the application may inspect tokens`(client: String, fields: String) async throws {
        try provider.add(token)
        let response = try await check("{\"access_token\":\"\(token.text)\"}", client: client, fields: fields)
        #expect(response.status == 401)
        #expect(provider.calls(about: token) == 0)
    }

    @Test(arguments: [
        ("{}", 422), ("{\"access_token\":7}", 422), ("{\"access_token\":\"\"}", 422), ("x", 400), ("", 400),
    ])
    func `a malformed lookup is rejected`(body: String, status: Int) async throws {
        #expect(try await check(body).status == status)
    }

    @Test func `a request without a user agent is rejected`() async throws {
        #expect(try await check("{}", fields: basic("Iv1.gatehouse", "github-secret")).status == 403)
    }

    @Test func `the URL is the template of the configuration`() async throws {
        let url = "http://127.0.0.1:\(provider.port)/applications/{client_id}/token"
        #expect(provider.url(.gitHubTokenCheck) == url)
    }

    @Test func `the endpoint can misbehave`() async throws {
        provider.misbehave(.status(429, fields: ["Retry-After": "7"]), at: .gitHubTokenCheck, times: 1)
        let response = try await check(token)
        #expect(response.status == 429)
        #expect(response.field("Retry-After") == "7")
        #expect(try await check(token).status == 404)
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"), (1_735_689_599, "2024-12-31T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
    ])
    func `the creation time is written as a calendar date`(seconds: Int64, text: String) {
        #expect(OpaqueToken.gitHub(for: .ada, now: seconds).response["created_at"] == .string(text))
    }
}
