import DevelopmentIdentity
import JOSE
import Testing

@Suite struct ProviderTokenTests {
    private func claims(_ token: ProviderToken) throws -> JSONValue {
        try UnverifiedJWS(token.signed(by: #require(DevelopmentKeys.shared().current(for: .idToken)))).payload.root
    }

    private func claims(
        _ provider: IdentityProvider, _ user: DevelopmentUser = .ada, nonce: String? = nil
    ) throws -> JSONValue {
        try claims(.idToken(of: provider, for: user, nonce: nonce, now: noon))
    }

    @Test(arguments: [
        (IdentityProvider.apple, "https://appleid.apple.com"), (.google, "https://accounts.google.com"),
        (.microsoft, "https://login.microsoftonline.com/3aa4a235-b6e2-48d5-9195-7fcf05b459b0/v2.0"),
        (.facebook, "https://www.facebook.com"), (.yahoo, "https://api.login.yahoo.com"),
        (.linkedIn, "https://www.linkedin.com/oauth"), (.oidc("corp"), "https://corp.example"),
    ])
    func `every token has the claims that OpenID Connect requires`(provider: IdentityProvider, issuer: String) throws {
        let claims = try claims(provider)
        claims.expect(["iss": .string(issuer), "aud": .string(provider.demoAudience)])
        #expect(claims["sub"]?.string?.isEmpty == false)
        #expect(claims["iat"]?.integer == noon)
        #expect((claims["exp"]?.integer ?? 0) >= noon + 3600)
        #expect(claims["nonce"] == nil)
    }

    @Test(arguments: [
        (IdentityProvider.apple, true), (.oidc("corp"), true), (.google, false), (.microsoft, false),
        (.facebook, false), (.yahoo, false), (.linkedIn, false),
    ])
    func `only some providers state the time of the sign-in`(provider: IdentityProvider, statesTime: Bool) throws {
        #expect(try claims(provider)["auth_time"]?.integer == (statesTime ? noon : nil))
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func `audience, issuer and nonce are the requested ones`(provider: IdentityProvider) throws {
        let claims = try claims(
            .idToken(of: provider, for: .ada, audience: "a", issuer: "https://i.example", nonce: "n", now: noon))
        claims.expect(["aud": "a", "iss": "https://i.example", "nonce": "n"])
    }

    @Test func `Apple writes booleans as strings and no name`() throws {
        let claims = try claims(.apple, .alan)
        #expect(claims["email_verified"]?.string == "true")
        #expect(claims["is_private_email"]?.string == "true")
        claims.expect(["nonce_supported": true, "sub": "000123.0123456789abcdef0123456789abcdef.0123"])
        #expect(try self.claims(.apple, .ada)["is_private_email"]?.string == "false")
        #expect(try self.claims(.apple, .ada)["name"] == nil)
        #expect(try self.claims(.apple, .robot)["is_private_email"] == nil)
    }

    @Test func `Apple names no type`() throws {
        let key = try #require(DevelopmentKeys.shared().current(for: .idToken))
        #expect(try UnverifiedJWS(ProviderToken.idToken(of: .apple, for: .ada, now: noon).signed(by: key)).type == nil)
    }

    @Test func `Google names the presenter and the domain`() throws {
        let claims = try claims(.google)
        claims.expect([
            "azp": .string(IdentityProvider.google.demoAudience), "hd": "example.com", "email_verified": true,
            "given_name": "Ada", "sub": "104242424242424242424",
        ])
        #expect(try self.claims(.google, .grace)["hd"] == nil)
    }

    @Test func `Microsoft names user and tenant in addition to the subject`() throws {
        let claims = try claims(.microsoft, .barbara)
        #expect(claims["ver"]?.string == "2.0")
        #expect(claims["oid"]?.string == "8eaef023-2b34-4da1-9baa-8bc8c9d6a490")
        #expect(claims["tid"]?.string == DevelopmentUser.microsoftTenant)
        #expect(claims["preferred_username"]?.string == "barbara@contoso.example")
        let other = try self.claims(.idToken(of: .microsoft, for: .barbara, audience: "b", now: noon))
        #expect(claims["sub"]?.string != other["sub"]?.string)
        #expect(claims["oid"]?.string == other["oid"]?.string)
    }

    @Test func `a personal Microsoft account has the common tenant`() throws {
        let claims = try claims(.microsoft, .hedy)
        claims.expect(["oid": "00000000-0000-0000-4b2e-abcdef012345", "tid": "9188040d-6c67-4c5b-b112-36a304b66dad"])
        #expect(
            claims["iss"]?.string == "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0")
    }

    @Test func `another tenant has another issuer`() throws {
        let claims = try claims(ProviderToken.idToken(of: .microsoft, for: .ada, now: noon).inTenant("t"))
        claims.expect(["tid": "t", "iss": "https://login.microsoftonline.com/t/v2.0"])
    }

    @Test func `LinkedIn writes booleans as strings`() throws {
        #expect(try claims(.linkedIn, .ada)["email_verified"]?.string == "true")
        #expect(try claims(.linkedIn, .grace)["email_verified"]?.string == "false")
    }

    @Test func `Facebook does not state whether the address is verified`() throws {
        let claims = try claims(.facebook, .dennis)
        claims.expect(["sub": "1234567890", "email": "dennis@example.com", "email_verified": nil])
        #expect(claims["jti"]?.string?.isEmpty == false)
    }

    @Test func `Microsoft's access tokens have either version`() throws {
        let first = try claims(.microsoftAccessTokenV1(for: .barbara, now: noon))
        #expect(first["iss"]?.string == "https://sts.windows.net/\(DevelopmentUser.microsoftTenant)/")
        first.expect(["aud": "https://graph.microsoft.com", "ver": "1.0"])
        let second = try claims(.microsoftAccessTokenV2(for: .barbara, now: noon))
        let id = try claims(.microsoft, .barbara)
        #expect(second["iss"]?.string == id["iss"]?.string)
        #expect(second["aud"]?.string == id["aud"]?.string)
        #expect(second["scp"]?.string == "User.Read")
        #expect(id["scp"] == nil)
    }

    @Test func `an access token states its type`() throws {
        let key = try #require(DevelopmentKeys.shared().current(for: .idToken))
        let token = try UnverifiedJWS(ProviderToken.accessToken(of: .oidc("c"), for: .ada, now: noon).signed(by: key))
        #expect(token.type == "at+jwt")
        #expect(token.payload.root["client_id"]?.string == "another-client")
        #expect(token.keyID == key.keyID)
    }

    @Test func `claims and header can be changed`() throws {
        let token = ProviderToken.idToken(of: .google, for: .ada, now: noon)
            .setting("aud", to: ["a", "b"]).removing("sub").setting("x", "y", to: 1).signedIn(at: 5)
            .settingHeader("kid", to: 7).removingHeader("typ")
        let claims = try claims(token.settingHeader("kid", to: "k"))
        #expect(claims["aud"]?.count == 2)
        #expect(claims["sub"] == nil)
        #expect(claims["x"]?["y"]?.integer == 1)
        #expect(claims["auth_time"]?.integer == 5)
        #expect(token.header["kid"] == 7 && token.removedHeader == ["typ"])
        #expect(token.unsigned().hasSuffix("."))
    }
}
