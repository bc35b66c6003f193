import DevelopmentIdentity
import JOSE
import Testing

@Suite(.provider) struct MintTests {
    private let provider: DevelopmentProvider

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func mint(_ body: String) async throws -> Response {
        try await provider.response("/mint", method: "POST", body: body)
    }

    private func claims(_ body: String) async throws -> JSONValue { try await provider.mint(body).payload.root }

    @Test(arguments: [
        (#"{"user":"grace"}"#, "https://securetoken.google.com/demo-gatehouse", Int64(3600)),
        (#"{"user":"grace","kind":"session"}"#, "https://session.firebase.google.com/demo-gatehouse", 432_000),
    ])
    func `a token of the user is minted`(body: String, issuer: String, lifetime: Int64) async throws {
        let claims = try await claims(body)
        claims.expect(["sub": "grace", "iss": .string(issuer), "exp": .integer(noon + lifetime)])
    }

    @Test func `a minted token verifies`() async throws {
        let token = try await provider.mint("{}")
        let jwk = try #require(provider.keys.current(for: .idToken)).jwk
        let key = try #require(try KeySet(jwkSet: Array("{\"keys\":[\(jwk)]}".utf8)).keys.first)
        #expect(token.verify(with: key, algorithm: .rs256) != nil)
    }

    @Test func `times and further claims are the requested ones`() async throws {
        let claims = try await claims(#"{"auth_time":5,"expires_in":-1,"claims":{"role":"x"}}"#)
        claims.expect(["auth_time": 5, "exp": .integer(noon - 1), "role": "x"])
    }

    @Test func `the sign-in time may be relative`() async throws {
        #expect(try await claims(#"{"auth_age":600}"#)["auth_time"]?.integer == noon - 600)
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func `a provider's own token is minted`(identity: IdentityProvider) async throws {
        let body = #"{"provider":"\#(identity.id)","user":"grace","audience":"a","nonce":"n","auth_age":60}"#
        let token = try await provider.mint(body)
        #expect(try provider.keys(of: identity).contains { $0.key.keyID == token.keyID })
        let claims = token.payload.root
        claims.expect(["aud": "a", "nonce": "n", "auth_time": .integer(noon - 60)])
        let expected = provider.idToken(of: identity, for: .grace).claims["iss"]
        #expect(claims["iss"]?.string.map(JSON.string) == expected)
    }

    @Test(arguments: [("microsoft.com", "scp"), ("google.com", "client_id"), ("oidc.corp", "client_id")])
    func `an access token is minted`(provider: String, claim: String) async throws {
        let claims = try await claims(#"{"provider":"\#(provider)","kind":"access","expires_in":5}"#)
        #expect(claims[claim]?.string?.isEmpty == false)
        #expect(claims["exp"]?.integer == noon + 5)
    }

    @Test(arguments: [
        (#"{"provider":"github.com"}"#, OpaqueToken.Kind.gitHub),
        (#"{"provider":"facebook.com","kind":"access"}"#, .facebook),
        (#"{"provider":"oauth.legacy","claims":{"scope":"x"},"expires_in":9}"#, .introspected),
    ])
    func `an opaque token is minted and known`(body: String, kind: OpaqueToken.Kind) async throws {
        let text = try #require(try await mint(body).json?.root["token"]?.string)
        guard kind == .introspected else { return #expect(text.hasPrefix(kind == .gitHub ? "gho_" : "EAA")) }
        let credentials = basic("gatehouse", "introspection-secret")
        let response = try await post(provider, "/introspect", form: "token=\(text)", fields: credentials)
        #expect(response.json?.root["scope"]?.string == "x")
        #expect(response.json?.root["exp"]?.integer == noon + 9)
    }

    @Test(arguments: [
        "", "[]", "{", #"{"usr":"ada"}"#, #"{"user":1}"#, #"{"user":""}"#, #"{"kind":"other"}"#,
        #"{"provider":"x.com"}"#, #"{"provider":"apple.com","kind":"session"}"#, #"{"audience":"a"}"#,
        #"{"event":"logout"}"#, #"{"event":"logout","provider":"github.com"}"#,
        #"{"event":"consent-revoked","provider":"google.com"}"#, #"{"event":"","provider":"apple.com"}"#,
        #"{"event":"logout","provider":"google.com","nonce":"n"}"#, #"{"events_as_text":true}"#,
        #"{"event":"logout","provider":"google.com","kind":"id"}"#,
        #"{"kind":"access"}"#, #"{"expires_in":1.5}"#, #"{"auth_time":9223372036854775807}"#, #"{"claims":[]}"#,
    ])
    func `an invalid request is rejected`(body: String) async throws {
        let response = try await mint(body)
        #expect(response.status == 400)
        #expect(response.json?.root["error"]?.string?.isEmpty == false)
    }

    @Test func `a request for another host is rejected`() async throws {
        let request =
            "POST /mint HTTP/1.1\r\nHost: rebound.example:\(provider.port)\r\nConnection: close\r\n"
            + "Content-Length: 2\r\n\r\n{}"
        #expect(try await response(to: request, port: provider.port).status == 403)
    }

    @Test func `only POST mints`() async throws {
        #expect(try await provider.response("/mint").status == 405)
    }

    @Test func `a body beyond the bound is rejected`() async throws {
        #expect(try await mint(String(repeating: " ", count: 16_385)).status == 413)
    }

    @Test func `a client that expects 100 receives it`() async throws {
        let client = try await SocketClient(port: provider.port)
        try await client.transmit(
            "POST /mint HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n"
                + "Expect: 100-continue\r\n\r\n")
        #expect(try await client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try await client.transmit("{}")
        #expect(try await Response(client.readToEnd())?.status == 200)
    }
}
