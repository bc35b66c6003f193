import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@Suite struct DiscoveryTests {
    private func document(_ provider: DevelopmentProvider, _ identity: IdentityProvider) async throws -> JSONDocument {
        let path = DevelopmentProvider.Endpoint.discovery(identity).rawValue
        return try #require(try await Response(exchange(provider.port, path))?.json)
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func theDocumentLeadsToTheKeys(identity: IdentityProvider) async throws {
        try await withProvider { provider in
            let document = try await document(provider, identity).root
            #expect(document["issuer"]?.string == provider.issuer(of: identity))
            #expect(document["jwks_uri"]?.string == provider.url(.keys(identity)))
            #expect(provider.calls(to: .discovery(identity)) == 1)
        }
    }

    @Test func itStandsBelowTheIssuerOfAGenericProvider() async throws {
        try await withProvider { provider in
            let issuer = provider.issuer(of: .oidc("corp"))
            #expect(provider.url(.discovery(.oidc("corp"))) == issuer + "/.well-known/openid-configuration")
            #expect(provider.idToken(of: .oidc("corp")).claims["iss"] == .string(issuer))
        }
    }

    @Test func microsoftsIssuerIsTheTemplate() async throws {
        try await withProvider { provider in
            let issuer = try await document(provider, .microsoft).root["issuer"]?.string
            #expect(issuer == "https://login.microsoftonline.com/{tenantid}/v2.0")
        }
    }

    @Test func theAlgorithmsAreListed() async throws {
        try await withProvider { provider in
            let name = "id_token_signing_alg_values_supported"
            let yahoo = try await document(provider, .yahoo).root[name]
            #expect(yahoo?.elements.map(\.string) == ["ES256", "RS256"])
            let other = try await document(provider, .oidc("a")).root[name]
            #expect(other?.elements.map(\.string) == ["RS256"])
        }
    }

    @Test func itCanLie() async throws {
        try await withProvider { provider in
            provider.updateDiscovery(of: .oidc("corp")) {
                $0["issuer"] = "https://evil.example"
                $0["jwks_uri"] = nil
            }
            let lie = try await document(provider, .oidc("corp")).root
            #expect(lie["issuer"]?.string == "https://evil.example")
            #expect(lie["jwks_uri"] == nil)
            #expect(provider.idToken(of: .oidc("corp")).claims["iss"] == .string(provider.issuer(of: .oidc("corp"))))
            #expect(try await document(provider, .oidc("other")).root["jwks_uri"] != nil)
        }
    }

    @Test func itCanMisbehave() async throws {
        try await withProvider { provider in
            provider.misbehave(.status(500), at: .discovery(.oidc("corp")), times: 1)
            provider.misbehave(.noKeys, at: .keys(.apple))
            let path = DevelopmentProvider.Endpoint.discovery(.oidc("corp")).rawValue
            for status in [500, 200] {
                let response = try await Response(exchange(provider.port, path))
                #expect(response?.status == status)
            }
            let keys = try await Response(exchange(provider.port, DevelopmentProvider.Endpoint.keys(.apple).rawValue))
            #expect(keys?.text == "{\"keys\":[]}")
        }
    }
}
