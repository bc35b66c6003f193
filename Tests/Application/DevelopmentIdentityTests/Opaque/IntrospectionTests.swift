import DevelopmentIdentity
import JOSE
import Testing

@Suite struct IntrospectionTests {
    private static let credentials = basic("gatehouse", "introspection-secret")
    private let token = OpaqueToken.introspected(for: .ada, text: "abc", scope: "read write", now: noon)

    private func ask(
        _ provider: DevelopmentProvider, _ form: String, fields: String = credentials
    ) async throws -> Response {
        try await #require(post(provider, "/introspect", form: form, fields: fields))
    }

    @Test func aKnownTokenIsToldAllAbout() async throws {
        try await withProvider { provider in
            try provider.add(token)
            let response = try await ask(provider, "token=abc&token_type_hint=access_token")
            #expect(response.status == 200)
            #expect(response.field("Cache-Control") == "no-store")
            let answer = try #require(response.json).root
            #expect(answer["active"]?.bool == true)
            #expect(answer["sub"]?.string == "ada")
            #expect(answer["aud"]?.string == "gatehouse")
            #expect(answer["client_id"]?.string == "gatehouse")
            #expect(answer["scope"]?.string == "read write")
            #expect(answer["exp"]?.integer == noon + 3600)
        }
    }

    @Test func anyOtherIsNotActive() async throws {
        try await withProvider { provider in
            try provider.add(.gitHub(for: .linus, text: "abc", now: noon))
            #expect(try await ask(provider, "token=abc").text == "{\"active\":false}\n")
            #expect(provider.calls(about: "abc", .introspected) == 1)
        }
    }

    @Test func aRevokedTokenIsNotActive() async throws {
        try await withProvider { provider in
            try provider.add(token)
            provider.revoke(token)
            #expect(try await ask(provider, "token=abc").text == "{\"active\":false}\n")
        }
    }

    @Test func theAnswerIsGivenAsItStands() async throws {
        try await withProvider { provider in
            try provider.add(token.setting("aud", to: ["a", "b"]).setting("exp", to: -1.5).removing("scope"))
            let answer = try #require(try await ask(provider, "token=abc").json).root
            #expect(answer["aud"]?.count == 2)
            #expect(answer["exp"]?.kind == .number)
            #expect(answer["scope"] == nil)
        }
    }

    @Test func callsAreCountedByToken() async throws {
        try await withProvider { provider in
            for text in ["abc", "abc", "x%2Bx", "x+x"] { _ = try await ask(provider, "token=\(text)") }
            #expect(provider.calls(about: token) == 2)
            #expect(provider.calls(about: "x+x", .introspected) == 1)
            #expect(provider.calls(about: "x x", .introspected) == 1)
            #expect(provider.calls(to: .introspection) == 4)
        }
    }

    @Test(arguments: [
        "", basic("gatehouse", "wrong"), basic("other", "introspection-secret"), "Authorization: Bearer x\r\n",
        "Authorization: Basic !!\r\n",
    ])
    func onlyItsClientMayAsk(fields: String) async throws {
        try await withProvider { provider in
            try provider.add(token)
            let response = try await ask(provider, "token=abc", fields: fields)
            #expect(response.status == 401)
            #expect(response.json?.root["error"]?.string == "invalid_client")
            #expect(response.field("WWW-Authenticate") == "Basic realm=\"introspection\"")
            #expect(provider.calls(about: token) == 0)
        }
    }

    @Test func theClientMayAuthenticateInTheBody() async throws {
        try await withProvider { provider in
            try provider.add(token)
            let form = "token=abc&client_id=gatehouse&client_secret=introspection-secret"
            #expect(try await ask(provider, form, fields: "").status == 200)
            #expect(try await ask(provider, form).status == 400)
        }
    }

    @Test func anEndpointMayTakeOneWayOnly() async throws {
        try await withProvider { provider in
            provider.setClient(DevelopmentClient(id: "gw", secret: "s", accepts: [.post]), for: .introspected)
            let refused = try await ask(provider, "token=a", fields: basic("gw", "s"))
            #expect(refused.status == 401)
            let taken = try await ask(provider, "token=a&client_id=gw&client_secret=s", fields: "")
            #expect(taken.status == 200)
        }
    }

    @Test func credentialsAreFormEncodedBeforehand() async throws {
        try await withProvider { provider in
            provider.setClient(DevelopmentClient(id: "a b", secret: "p:%+ä"), for: .introspected)
            let taken = try await ask(provider, "token=a", fields: basic("a+b", "p%3A%25%2B%C3%A4"))
            #expect(taken.status == 200)
            let refused = try await ask(provider, "token=a", fields: basic("a b", "p:%+ä"))
            #expect(refused.status == 401)
        }
    }

    @Test(arguments: ["", "token=", "tok=abc", "token=a&token=b", "token=%zz", "token=%FF"])
    func whatIsNoQuestionIsRefused(form: String) async throws {
        try await withProvider { provider in
            let response = try await ask(provider, form)
            #expect(response.status == 400)
            #expect(response.json?.root["error"]?.string == "invalid_request")
        }
    }

    @Test func onlyAFormThatIsPostedCounts() async throws {
        try await withProvider { provider in
            let json = "Content-Type: application/json\r\n" + Self.credentials
            let typed = try await Response(
                exchange(provider.port, "POST", "/introspect", fields: json, body: "token=abc"))
            #expect(typed?.status == 400)
            let get = try await Response(exchange(provider.port, "/introspect?token=abc", fields: Self.credentials))
            #expect(get?.status == 405)
        }
    }

    @Test func theNumberOfTokensIsBounded() async throws {
        try await withProvider { provider in
            for number in 0..<65_536 {
                try provider.add(OpaqueToken(.introspected, text: "\(number)", response: [:]))
            }
            #expect(throws: DevelopmentIdentityError.self) { try provider.add(token) }
            try provider.add(OpaqueToken(.introspected, text: "7", response: ["active": true]))
        }
    }
}
