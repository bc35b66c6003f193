import DevelopmentIdentity
import JOSE
import Testing

@Suite struct MintTests {
    private func mint(_ body: String, fields: String = "") async throws -> Response {
        var response: Response?
        try await withProvider { provider in
            response = try await Response(exchange(provider.port, "POST", "/mint", fields: fields, body: body))
        }
        return try #require(response)
    }

    private func claims(_ body: String) async throws -> JSONValue {
        let response = try await mint(body)
        #expect(response.status == 200)
        return try UnverifiedJWS(#require(response.json?.root["token"]?.string)).payload.root
    }

    @Test func aTokenOfTheUserIsMinted() async throws {
        let claims = try await claims(#"{"user":"grace"}"#)
        #expect(claims["sub"]?.string == "grace")
        #expect(claims["iss"]?.string == "https://securetoken.google.com/demo-gatehouse")
        #expect(claims["exp"]?.integer == noon + 3600)
    }

    @Test func theMintedTokenVerifies() async throws {
        try await withProvider { provider in
            let response = try await Response(exchange(provider.port, "POST", "/mint", body: "{}"))
            let token = try UnverifiedJWS(#require(response?.json?.root["token"]?.string))
            let jwk = try #require(provider.keys.current(for: .idToken)).jwk
            let key = try #require(try KeySet(jwkSet: Array("{\"keys\":[\(jwk)]}".utf8)).keys.first)
            #expect(token.verify(with: key, algorithm: .rs256) != nil)
        }
    }

    @Test func timesAndFurtherClaimsAreTheChosenOnes() async throws {
        let claims = try await claims(#"{"auth_time":5,"expires_in":-1,"claims":{"role":"x"}}"#)
        #expect(claims["auth_time"]?.integer == 5)
        #expect(claims["exp"]?.integer == noon - 1)
        #expect(claims["role"]?.string == "x")
    }

    @Test func theSignInMayBeSomeSecondsAgo() async throws {
        #expect(try await claims(#"{"auth_age":600}"#)["auth_time"]?.integer == noon - 600)
    }

    @Test func aSessionCookieIsMinted() async throws {
        let claims = try await claims(#"{"kind":"session"}"#)
        #expect(claims["iss"]?.string == "https://session.firebase.google.com/demo-gatehouse")
    }

    @Test(arguments: IdentityProvider.wellKnown + [.oidc("corp")])
    func aProvidersOwnTokenIsMinted(identity: IdentityProvider) async throws {
        try await withProvider { provider in
            let body = #"{"provider":"\#(identity.id)","user":"grace","audience":"a","nonce":"n","auth_age":60}"#
            let response = try await Response(exchange(provider.port, "POST", "/mint", body: body))
            let token = try UnverifiedJWS(#require(response?.json?.root["token"]?.string))
            #expect(try provider.keys(of: identity).contains { $0.key.keyID == token.keyID })
            let claims = token.payload.root
            #expect(claims["aud"]?.string == "a")
            #expect(claims["nonce"]?.string == "n")
            #expect(claims["auth_time"]?.integer == noon - 60)
            let expected = provider.idToken(of: identity, for: .grace).claims["iss"]
            #expect(claims["iss"]?.string.map(JSON.string) == expected)
        }
    }

    @Test(arguments: [("microsoft.com", "scp"), ("google.com", "client_id"), ("oidc.corp", "client_id")])
    func anAccessTokenIsMinted(provider: String, claim: String) async throws {
        let claims = try await claims(#"{"provider":"\#(provider)","kind":"access","expires_in":5}"#)
        #expect(claims[claim]?.string?.isEmpty == false)
        #expect(claims["exp"]?.integer == noon + 5)
    }

    @Test(arguments: [
        (#"{"provider":"github.com"}"#, OpaqueToken.Kind.gitHub),
        (#"{"provider":"facebook.com","kind":"access"}"#, .facebook),
        (#"{"provider":"oauth.legacy","claims":{"scope":"x"},"expires_in":9}"#, .introspected),
    ])
    func anOpaqueTokenIsMintedAndKnown(body: String, kind: OpaqueToken.Kind) async throws {
        try await withProvider { provider in
            let response = try await Response(exchange(provider.port, "POST", "/mint", body: body))
            let text = try #require(response?.json?.root["token"]?.string)
            guard kind == .introspected else { return #expect(text.hasPrefix(kind == .gitHub ? "gho_" : "EAA")) }
            let credentials = basic("gatehouse", "introspection-secret")
            let answer = try await post(provider, "/introspect", form: "token=\(text)", fields: credentials)
            #expect(answer?.json?.root["scope"]?.string == "x")
            #expect(answer?.json?.root["exp"]?.integer == noon + 9)
        }
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
    func whatIsNotUnderstoodIsRefused(body: String) async throws {
        let response = try await mint(body)
        #expect(response.status == 400)
        #expect(response.json?.root["error"]?.string?.isEmpty == false)
    }

    @Test func aRequestForAnotherHostIsRefused() async throws {
        try await withProvider { provider in
            let client = try await SocketClient(port: provider.port)
            try await client.transmit(
                "POST /mint HTTP/1.1\r\nHost: rebound.example:\(provider.port)\r\nConnection: close\r\n"
                    + "Content-Length: 2\r\n\r\n{}")
            let response = try await Response(client.readToEnd())
            #expect(response?.status == 403)
        }
    }

    @Test func onlyPostMints() async throws {
        try await withProvider { provider in
            let response = try await Response(exchange(provider.port, "GET", "/mint"))
            #expect(response?.status == 405)
        }
    }

    @Test func aBodyBeyondTheBoundIsRefused() async throws {
        #expect(try await mint(String(repeating: " ", count: 16_385)).status == 413)
    }

    @Test func aClientThatWaitsIsToldToContinue() async throws {
        try await withProvider { provider in
            let client = try await SocketClient(port: provider.port)
            try await client.transmit(
                "POST /mint HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            #expect(try await client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.transmit("{}")
            let response = try await Response(client.readToEnd())
            #expect(response?.status == 200)
        }
    }
}
