import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@Suite(.provider) struct DiscoveryTests {
    private let provider: DevelopmentProvider

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func document(_ identity: IdentityProvider) async throws -> JSONDocument {
        try #require(try await provider.response(at: .discovery(identity)).json)
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func `the document leads to the keys`(identity: IdentityProvider) async throws {
        let document = try await document(identity).root
        #expect(document["issuer"]?.string == provider.issuer(of: identity))
        #expect(document["jwks_uri"]?.string == provider.url(.keys(identity)))
        #expect(provider.calls(to: .discovery(identity)) == 1)
    }

    @Test func `the document is below the issuer of a generic provider`() async throws {
        let issuer = provider.issuer(of: .oidc("corp"))
        #expect(provider.url(.discovery(.oidc("corp"))) == issuer + "/.well-known/openid-configuration")
        #expect(provider.idToken(of: .oidc("corp")).claims["iss"] == .string(issuer))
    }

    @Test func `Microsoft's issuer is the template`() async throws {
        let issuer = try await document(.microsoft).root["issuer"]?.string
        #expect(issuer == "https://login.microsoftonline.com/{tenantid}/v2.0")
    }

    @Test func `the algorithms are listed`() async throws {
        let name = "id_token_signing_alg_values_supported"
        let yahoo = try await document(.yahoo).root[name]
        #expect(yahoo?.elements.map(\.string) == ["ES256", "RS256"])
        let other = try await document(.oidc("a")).root[name]
        #expect(other?.elements.map(\.string) == ["RS256"])
    }

    @Test func `the document can be changed to an invalid one`() async throws {
        provider.updateDiscovery(of: .oidc("corp")) {
            $0["issuer"] = "https://evil.example"
            $0["jwks_uri"] = nil
        }
        let lie = try await document(.oidc("corp")).root
        lie.expect(["issuer": "https://evil.example", "jwks_uri": nil])
        #expect(provider.idToken(of: .oidc("corp")).claims["iss"] == .string(provider.issuer(of: .oidc("corp"))))
        #expect(try await document(.oidc("other")).root["jwks_uri"] != nil)
    }

    @Test func `the endpoint can misbehave`() async throws {
        provider.misbehave(.status(500), at: .discovery(.oidc("corp")), times: 1)
        provider.misbehave(.noKeys, at: .keys(.apple))
        for status in [500, 200] {
            #expect(try await provider.response(at: .discovery(.oidc("corp"))).status == status)
        }
        #expect(try await provider.response(at: .keys(.apple)).text == "{\"keys\":[]}")
    }
}

@Suite struct IdentityProviderTests {
    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp"), .oidc("a-b_c.1")])
    func `an identifier names its provider`(provider: IdentityProvider) {
        #expect(IdentityProvider(id: provider.id) == provider)
    }

    @Test(arguments: [
        "", "github.com", "oidc.", "oidc.a/b", "oidc.é", "oidc." + String(repeating: "a", count: 65), "oauth.x",
    ])
    func `other identifiers are not issuers of tokens`(id: String) {
        #expect(IdentityProvider(id: id) == nil)
    }

    @Test(arguments: DevelopmentProvider.Endpoint.allCases + [.keys(.oidc("corp")), .discovery(.oidc("corp"))])
    func `a path names its endpoint`(endpoint: DevelopmentProvider.Endpoint) {
        #expect(DevelopmentProvider.Endpoint(rawValue: endpoint.rawValue) == endpoint)
    }

    @Test(arguments: ["/oidc/corp/keys", "/oidc//jwks", "/oidc/a%20b/jwks", "/apple/auth/keys/", "/oidc/corp/x/jwks"])
    func `other paths name no endpoint`(path: String) {
        #expect(DevelopmentProvider.Endpoint(rawValue: path) == nil)
    }
}
