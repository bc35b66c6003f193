import DevelopmentIdentity
import JOSE
import Testing

@Suite(.provider) struct EventTokenTests {
    private let provider: DevelopmentProvider

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func draft(_ token: ProviderToken) throws -> UnverifiedJWS {
        try UnverifiedJWS(token.signed(by: #require(DevelopmentKeys.shared().current(for: .idToken))))
    }

    @Test func `a notification has the form of Apple's`() async throws {
        let token = try await provider.mint(#"{"provider":"apple.com","user":"alan","event":"email-disabled"}"#)
        let claims = token.payload.root
        #expect(token.type == nil)
        #expect(claims["iss"]?.string == "https://appleid.apple.com")
        #expect(claims["aud"]?.string == IdentityProvider.apple.demoAudience)
        claims.expect(["iat": .integer(noon), "exp": .integer(noon + 86_400)])
        #expect(claims["jti"]?.string?.count == 32)
        #expect(claims["sub"] == nil)
        let events = try JSONDocument(Array(#require(claims["events"]?.string).utf8)).root
        #expect(events["type"]?.string == "email-disabled")
        #expect(events["sub"]?.string == "000123.0123456789abcdef0123456789abcdef.0123")
        events.expect(["event_time": .integer(noon * 1000), "is_private_email": "true"])
    }

    @Test func `the events may be an object`() async throws {
        let body = #"{"provider":"apple.com","event":"account-delete","events_as_text":false}"#
        let events = try await provider.mint(body).payload.root["events"]
        #expect(events?["type"]?.string == "account-delete")
        #expect(events?["email"] == nil)
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func `a logout token names the user as ID tokens do`(_ identity: IdentityProvider) async throws {
        let body = #"{"provider":"\#(identity.id)","user":"grace","event":"logout","claims":{"sid":"s"}}"#
        let token = try await provider.mint(body)
        #expect(token.type == "logout+jwt")
        #expect(try provider.keys(of: identity).contains { $0.key.keyID == token.keyID })
        let claims = token.payload.root
        let idToken = provider.idToken(of: identity, for: .grace).claims
        for name in ["iss", "aud", "sub", "oid", "tid"] {
            #expect(claims[name]?.string.map(JSON.string) == idToken[name])
        }
        claims.expect(["sid": "s", "exp": .integer(noon + 120), "nonce": nil])
        #expect(claims["events"]?["http://schemas.openid.net/event/backchannel-logout"]?.count == 0)
    }

    @Test func `each event has its own identifier`() throws {
        let tokens = (0..<2).map { _ in ProviderToken.logoutToken(of: .google, for: .ada, now: noon) }
        #expect(try draft(tokens[0]).payload.root["jti"]?.string != draft(tokens[1]).payload.root["jti"]?.string)
        let named = ProviderToken.appleNotification("consent-revoked", about: .ada, id: "j", now: noon)
        #expect(try draft(named).payload.root["jti"]?.string == "j")
    }

    @Test func `an event can be changed like any token`() throws {
        let token = ProviderToken.logoutToken(of: .oidc("corp"), for: .ada, session: "s", now: noon)
            .removing("jti").setting("nonce", to: "n").settingHeader("typ", to: "JWT")
        let claims = try draft(token).payload.root
        claims.expect(["jti": nil, "nonce": "n", "sid": "s"])
        #expect(try draft(token).type == "JWT")
    }
}
