import DevelopmentIdentity
import Testing

@Suite struct IdentityProviderTests {
    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp"), .oidc("a-b_c.1")])
    func anIdLeadsBackToItsProvider(provider: IdentityProvider) {
        #expect(IdentityProvider(id: provider.id) == provider)
    }

    @Test(arguments: [
        "", "github.com", "oidc.", "oidc.a/b", "oidc.é", "oidc." + String(repeating: "a", count: 65), "oauth.x",
    ])
    func otherIdsIssueNoTokens(id: String) {
        #expect(IdentityProvider(id: id) == nil)
    }

    @Test(arguments: DevelopmentProvider.Endpoint.allCases + [.keys(.oidc("corp")), .discovery(.oidc("corp"))])
    func aPathLeadsBackToItsEndpoint(endpoint: DevelopmentProvider.Endpoint) {
        #expect(DevelopmentProvider.Endpoint(rawValue: endpoint.rawValue) == endpoint)
    }

    @Test(arguments: ["/oidc/corp/keys", "/oidc//jwks", "/oidc/a%20b/jwks", "/apple/auth/keys/", "/oidc/corp/x/jwks"])
    func otherPathsLeadNowhere(path: String) {
        #expect(DevelopmentProvider.Endpoint(rawValue: path) == nil)
    }
}
