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
    func everyTokenHasWhatOpenIDConnectAsksFor(provider: IdentityProvider, issuer: String) throws {
        let claims = try claims(provider)
        #expect(claims["iss"]?.string == issuer)
        #expect(claims["aud"]?.string == provider.demoAudience)
        #expect(claims["sub"]?.string?.isEmpty == false)
        #expect(claims["iat"]?.integer == noon)
        #expect((claims["exp"]?.integer ?? 0) >= noon + 3600)
        #expect(claims["nonce"] == nil)
    }

    @Test(arguments: [
        (IdentityProvider.apple, true), (.oidc("corp"), true), (.google, false), (.microsoft, false),
        (.facebook, false), (.yahoo, false), (.linkedIn, false),
    ])
    func onlySomeSayWhenTheUserSignedIn(provider: IdentityProvider, says: Bool) throws {
        #expect(try claims(provider)["auth_time"]?.integer == (says ? noon : nil))
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func audienceIssuerAndNonceAreTheChosenOnes(provider: IdentityProvider) throws {
        let claims = try claims(
            .idToken(of: provider, for: .ada, audience: "a", issuer: "https://i.example", nonce: "n", now: noon))
        #expect(claims["aud"]?.string == "a")
        #expect(claims["iss"]?.string == "https://i.example")
        #expect(claims["nonce"]?.string == "n")
    }

    @Test func appleWritesBooleansAsStringsAndNoName() throws {
        let claims = try claims(.apple, .alan)
        #expect(claims["email_verified"]?.string == "true")
        #expect(claims["is_private_email"]?.string == "true")
        #expect(claims["nonce_supported"]?.bool == true)
        #expect(claims["sub"]?.string == "000123.0123456789abcdef0123456789abcdef.0123")
        #expect(try self.claims(.apple, .ada)["is_private_email"]?.string == "false")
        #expect(try self.claims(.apple, .ada)["name"] == nil)
        #expect(try self.claims(.apple, .robot)["is_private_email"] == nil)
    }

    @Test func appleNamesNoType() throws {
        let key = try #require(DevelopmentKeys.shared().current(for: .idToken))
        #expect(try UnverifiedJWS(ProviderToken.idToken(of: .apple, for: .ada, now: noon).signed(by: key)).type == nil)
    }

    @Test func googleNamesThePresenterAndTheDomain() throws {
        let claims = try claims(.google)
        #expect(claims["azp"]?.string == IdentityProvider.google.demoAudience)
        #expect(claims["hd"]?.string == "example.com")
        #expect(claims["email_verified"]?.bool == true)
        #expect(claims["given_name"]?.string == "Ada")
        #expect(claims["sub"]?.string == "104242424242424242424")
        #expect(try self.claims(.google, .grace)["hd"] == nil)
    }

    @Test func microsoftTellsUserAndTenantApartFromTheSubject() throws {
        let claims = try claims(.microsoft, .barbara)
        #expect(claims["ver"]?.string == "2.0")
        #expect(claims["oid"]?.string == "8eaef023-2b34-4da1-9baa-8bc8c9d6a490")
        #expect(claims["tid"]?.string == DevelopmentUser.microsoftTenant)
        #expect(claims["preferred_username"]?.string == "barbara@contoso.example")
        let other = try self.claims(.idToken(of: .microsoft, for: .barbara, audience: "b", now: noon))
        #expect(claims["sub"]?.string != other["sub"]?.string)
        #expect(claims["oid"]?.string == other["oid"]?.string)
    }

    @Test func aPersonalMicrosoftAccountIsOfTheTenantOfAll() throws {
        let claims = try claims(.microsoft, .hedy)
        #expect(claims["oid"]?.string == "00000000-0000-0000-4b2e-abcdef012345")
        #expect(claims["tid"]?.string == "9188040d-6c67-4c5b-b112-36a304b66dad")
        #expect(
            claims["iss"]?.string == "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0")
    }

    @Test func anotherTenantHasAnotherIssuer() throws {
        let claims = try claims(ProviderToken.idToken(of: .microsoft, for: .ada, now: noon).inTenant("t"))
        #expect(claims["tid"]?.string == "t")
        #expect(claims["iss"]?.string == "https://login.microsoftonline.com/t/v2.0")
    }

    @Test func linkedInWritesBooleansAsStrings() throws {
        #expect(try claims(.linkedIn, .ada)["email_verified"]?.string == "true")
        #expect(try claims(.linkedIn, .grace)["email_verified"]?.string == "false")
    }

    @Test func facebookSaysNothingOfTheAddress() throws {
        let claims = try claims(.facebook, .dennis)
        #expect(claims["sub"]?.string == "1234567890")
        #expect(claims["email"]?.string == "dennis@example.com")
        #expect(claims["email_verified"] == nil)
        #expect(claims["jti"]?.string?.isEmpty == false)
    }

    @Test func microsoftAccessTokensAreOfEitherVersion() throws {
        let first = try claims(.microsoftAccessTokenV1(for: .barbara, now: noon))
        #expect(first["iss"]?.string == "https://sts.windows.net/\(DevelopmentUser.microsoftTenant)/")
        #expect(first["aud"]?.string == "https://graph.microsoft.com")
        #expect(first["ver"]?.string == "1.0")
        let second = try claims(.microsoftAccessTokenV2(for: .barbara, now: noon))
        let id = try claims(.microsoft, .barbara)
        #expect(second["iss"]?.string == id["iss"]?.string)
        #expect(second["aud"]?.string == id["aud"]?.string)
        #expect(second["scp"]?.string == "User.Read")
        #expect(id["scp"] == nil)
    }

    @Test func anAccessTokenSaysThatItIsOne() throws {
        let key = try #require(DevelopmentKeys.shared().current(for: .idToken))
        let token = try UnverifiedJWS(ProviderToken.accessToken(of: .oidc("c"), for: .ada, now: noon).signed(by: key))
        #expect(token.type == "at+jwt")
        #expect(token.payload.root["client_id"]?.string == "another-client")
        #expect(token.keyID == key.keyID)
    }

    @Test func claimsAndHeaderCanBeAnything() throws {
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
