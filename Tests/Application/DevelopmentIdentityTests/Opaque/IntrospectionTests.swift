import DevelopmentIdentity
import JOSE
import Testing

@Suite(.provider) struct IntrospectionTests {
    private let provider: DevelopmentProvider
    private static let credentials = basic("gatehouse", "introspection-secret")
    private let token = OpaqueToken.introspected(for: .ada, text: "abc", scope: "read write", now: noon)

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func introspect(_ form: String, fields: String = credentials) async throws -> Response {
        try await post(provider, "/introspect", form: form, fields: fields)
    }

    @Test func `a known token is described`() async throws {
        try provider.add(token)
        let response = try await introspect("token=abc&token_type_hint=access_token")
        #expect(response.status == 200)
        #expect(response.field("Cache-Control") == "no-store")
        let answer = try #require(response.json).root
        answer.expect([
            "active": true, "sub": "ada", "aud": "gatehouse", "client_id": "gatehouse", "scope": "read write",
            "exp": .integer(noon + 3600),
        ])
    }

    @Test func `a token of another kind is not active`() async throws {
        try provider.add(.gitHub(for: .linus, text: "abc", now: noon))
        #expect(try await introspect("token=abc").text == "{\"active\":false}\n")
        #expect(provider.calls(about: "abc", .introspected) == 1)
    }

    @Test func `a revoked token is not active`() async throws {
        try provider.add(token)
        provider.revoke(token)
        #expect(try await introspect("token=abc").text == "{\"active\":false}\n")
    }

    @Test func `the response is the stored one`() async throws {
        try provider.add(token.setting("aud", to: ["a", "b"]).setting("exp", to: -1.5).removing("scope"))
        let answer = try #require(try await introspect("token=abc").json).root
        #expect(answer["aud"]?.count == 2)
        #expect(answer["exp"]?.kind == .number)
        #expect(answer["scope"] == nil)
    }

    @Test func `calls are counted by token`() async throws {
        for text in ["abc", "abc", "x%2Bx", "x+x"] { _ = try await introspect("token=\(text)") }
        #expect(provider.calls(about: token) == 2)
        #expect(provider.calls(about: "x+x", .introspected) == 1)
        #expect(provider.calls(about: "x x", .introspected) == 1)
        #expect(provider.calls(to: .introspection) == 4)
    }

    @Test(arguments: [
        "", basic("gatehouse", "wrong"), basic("other", "introspection-secret"), "Authorization: Bearer x\r\n",
        "Authorization: Basic !!\r\n",
    ])
    func `only the client may inspect tokens`(fields: String) async throws {
        try provider.add(token)
        let response = try await introspect("token=abc", fields: fields)
        #expect(response.status == 401)
        #expect(response.json?.root["error"]?.string == "invalid_client")
        #expect(response.field("WWW-Authenticate") == "Basic realm=\"introspection\"")
        #expect(provider.calls(about: token) == 0)
    }

    @Test func `the client may authenticate in the body`() async throws {
        try provider.add(token)
        let form = "token=abc&client_id=gatehouse&client_secret=introspection-secret"
        #expect(try await introspect(form, fields: "").status == 200)
        #expect(try await introspect(form).status == 400)
    }

    @Test func `an endpoint may accept one method of authentication only`() async throws {
        provider.setClient(DevelopmentClient(id: "gw", secret: "s", accepts: [.post]), for: .introspected)
        #expect(try await introspect("token=a", fields: basic("gw", "s")).status == 401)
        #expect(try await introspect("token=a&client_id=gw&client_secret=s", fields: "").status == 200)
    }

    @Test func `credentials are form-encoded first`() async throws {
        provider.setClient(DevelopmentClient(id: "a b", secret: "p:%+ä"), for: .introspected)
        #expect(try await introspect("token=a", fields: basic("a+b", "p%3A%25%2B%C3%A4")).status == 200)
        #expect(try await introspect("token=a", fields: basic("a b", "p:%+ä")).status == 401)
    }

    @Test(arguments: ["", "token=", "tok=abc", "token=a&token=b", "token=%zz", "token=%FF"])
    func `a malformed lookup is rejected`(form: String) async throws {
        let response = try await introspect(form)
        #expect(response.status == 400)
        #expect(response.json?.root["error"]?.string == "invalid_request")
    }

    @Test func `only a posted form is accepted`() async throws {
        let json = "Content-Type: application/json\r\n" + Self.credentials
        let typed = try await provider.response("/introspect", method: "POST", fields: json, body: "token=abc")
        #expect(typed.status == 400)
        #expect(try await provider.response("/introspect?token=abc", fields: Self.credentials).status == 405)
    }

    @Test func `the number of tokens is bounded`() async throws {
        for number in 0..<65_536 {
            try provider.add(OpaqueToken(.introspected, text: "\(number)", response: [:]))
        }
        #expect(throws: DevelopmentIdentityError.self) { try provider.add(token) }
        try provider.add(OpaqueToken(.introspected, text: "7", response: ["active": true]))
    }
}
