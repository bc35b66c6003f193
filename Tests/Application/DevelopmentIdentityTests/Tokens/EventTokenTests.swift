import DevelopmentIdentity
import JOSE
import Testing

@Suite struct EventTokenTests {
    private func token(_ body: String) async throws -> UnverifiedJWS {
        var token: UnverifiedJWS?
        try await withProvider { provider in
            let response = try await Response(exchange(provider.port, "POST", "/mint", body: body))
            token = try UnverifiedJWS(#require(response?.json?.root["token"]?.string))
        }
        return try #require(token)
    }

    private func draft(_ token: ProviderToken) throws -> UnverifiedJWS {
        try UnverifiedJWS(token.signed(by: #require(DevelopmentKeys.shared().current(for: .idToken))))
    }

    @Test func aNotificationHasWhatApplesHave() async throws {
        let token = try await token(#"{"provider":"apple.com","user":"alan","event":"email-disabled"}"#)
        let claims = token.payload.root
        #expect(token.type == nil)
        #expect(claims["iss"]?.string == "https://appleid.apple.com")
        #expect(claims["aud"]?.string == IdentityProvider.apple.demoAudience)
        #expect(claims["iat"]?.integer == noon)
        #expect(claims["exp"]?.integer == noon + 86_400)
        #expect(claims["jti"]?.string?.count == 32)
        #expect(claims["sub"] == nil)
        let events = try JSONDocument(Array(#require(claims["events"]?.string).utf8)).root
        #expect(events["type"]?.string == "email-disabled")
        #expect(events["sub"]?.string == "000123.0123456789abcdef0123456789abcdef.0123")
        #expect(events["event_time"]?.integer == noon * 1000)
        #expect(events["is_private_email"]?.string == "true")
    }

    @Test func theEventsMayBeAnObject() async throws {
        let body = #"{"provider":"apple.com","event":"account-delete","events_as_text":false}"#
        let events = try await token(body).payload.root["events"]
        #expect(events?["type"]?.string == "account-delete")
        #expect(events?["email"] == nil)
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func aLogoutTokenIsOfTheUserThatItsIDTokensName(_ identity: IdentityProvider) async throws {
        try await withProvider { provider in
            let body = #"{"provider":"\#(identity.id)","user":"grace","event":"logout","claims":{"sid":"s"}}"#
            let response = try await Response(exchange(provider.port, "POST", "/mint", body: body))
            let token = try UnverifiedJWS(#require(response?.json?.root["token"]?.string))
            #expect(token.type == "logout+jwt")
            #expect(try provider.keys(of: identity).contains { $0.key.keyID == token.keyID })
            let claims = token.payload.root
            let idToken = provider.idToken(of: identity, for: .grace).claims
            for name in ["iss", "aud", "sub", "oid", "tid"] {
                #expect(claims[name]?.string.map(JSON.string) == idToken[name])
            }
            #expect(claims["sid"]?.string == "s")
            #expect(claims["exp"]?.integer == noon + 120)
            #expect(claims["nonce"] == nil)
            #expect(claims["events"]?["http://schemas.openid.net/event/backchannel-logout"]?.count == 0)
        }
    }

    @Test func eachEventHasANameOfItsOwn() throws {
        let tokens = (0..<2).map { _ in ProviderToken.logoutToken(of: .google, for: .ada, now: noon) }
        #expect(try draft(tokens[0]).payload.root["jti"]?.string != draft(tokens[1]).payload.root["jti"]?.string)
        let named = ProviderToken.appleNotification("consent-revoked", about: .ada, id: "j", now: noon)
        #expect(try draft(named).payload.root["jti"]?.string == "j")
    }

    @Test func anEventMayBeChangedLikeAnyToken() throws {
        let token = ProviderToken.logoutToken(of: .oidc("corp"), for: .ada, session: "s", now: noon)
            .removing("jti").setting("nonce", to: "n").settingHeader("typ", to: "JWT")
        let claims = try draft(token).payload.root
        #expect(claims["jti"] == nil)
        #expect(claims["nonce"]?.string == "n")
        #expect(claims["sid"]?.string == "s")
        #expect(try draft(token).type == "JWT")
    }
}
