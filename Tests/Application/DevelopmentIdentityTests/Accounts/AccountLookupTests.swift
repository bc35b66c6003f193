import DevelopmentIdentity
import JOSE
import Testing

@Suite struct AccountLookupTests {
    private static let path = "/v1/projects/demo-gatehouse/accounts:lookup"

    private func accessToken(_ provider: DevelopmentProvider, _ claims: JSONObject = [:]) async throws -> String {
        let assertion = try provider.makeServiceAccount().assertion(claims)
        let form = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=\(assertion)"
        return try #require(try await post(provider, "/token", form: form)?.json?.root["access_token"]?.string)
    }

    private func lookUp(
        _ provider: DevelopmentProvider, _ body: String, token: String? = nil, path: String = path
    ) async throws -> Response {
        var bearer = token
        if bearer == nil { bearer = try await accessToken(provider) }
        let fields = "Authorization: Bearer \(bearer ?? "")\r\nContent-Type: application/json\r\n"
        return try await #require(Response(exchange(provider.port, "POST", path, fields: fields, body: body)))
    }

    @Test func anAccountIsFound() async throws {
        try await withProvider { provider in
            let response = try await lookUp(provider, #"{"localId":["ada"]}"#)
            #expect(response.status == 200)
            let users = try #require(response.json?.root["users"])
            #expect(users.count == 1)
            let user = try #require(users.elements.first { _ in true })
            #expect(user["localId"]?.string == "ada")
            #expect(user["validSince"]?.string == "1600000000")
            #expect(user["disabled"] == nil)
            #expect(user["emailVerified"]?.bool == true)
            #expect(user["customAttributes"]?.string == #"{"role":"admin"}"#)
            #expect(user["createdAt"]?.string == "1600000000000")
            let info = user["providerUserInfo"]?.elements.first { _ in true }
            #expect(info?["providerId"]?.string == "google.com")
            #expect(info?["rawId"]?.string == "104242424242424242424")
            #expect(provider.lookups(of: "ada") == 1 && provider.calls(to: .accountsLookup) == 1)
        }
    }

    @Test func nobodyIsNoMember() async throws {
        try await withProvider { provider in
            for body in [#"{"localId":["nobody"]}"#, #"{"localId":[]}"#, "{}"] {
                let response = try await lookUp(provider, body)
                #expect(response.status == 200)
                #expect(response.json?.root["kind"]?.string == "identitytoolkit#GetAccountInfoResponse")
                #expect(response.json?.root["users"] == nil)
            }
        }
    }

    @Test func severalAreFoundAtOnce() async throws {
        try await withProvider { provider in
            let ids = (0..<98).map { "\"u\($0)\"" }.joined(separator: ",")
            let users = try await lookUp(provider, "{\"localId\":[\"ada\",\(ids),\"grace\"]}").json?.root["users"]
            #expect(users?.elements.map { $0["localId"]?.string } == ["ada", "grace"])
        }
    }

    @Test func accountsCanBeChangedAtAnyTime() async throws {
        try await withProvider { provider in
            try provider.setAccount(DevelopmentAccount(.named("zoe"), validSince: 5, isDisabled: true))
            let zoe = try await lookUp(provider, #"{"localId":["zoe"]}"#)
            #expect(zoe.text.contains(#""validSince":"5","disabled":true"#))
            #expect(provider.updateAccount("zoe") { $0.validSince = nil })
            #expect(try await !lookUp(provider, #"{"localId":["zoe"]}"#).text.contains("validSince"))
            provider.deleteAccount("zoe")
            #expect(provider.account("zoe") == nil)
            #expect(!provider.updateAccount("zoe") { _ in })
            #expect(try await lookUp(provider, #"{"localId":["zoe"]}"#).json?.root["users"] == nil)
        }
    }

    @Test func aRecordCanSayAnything() async throws {
        try await withProvider { provider in
            provider.updateAccount("ada") { $0.members = ["validSince": 7, "x": [nil]] }
            let text = try await lookUp(provider, #"{"localId":["ada"]}"#).text
            #expect(text.contains(#""validSince":7,"#) && text.contains(#""x":[null]"#))
        }
    }

    @Test func aTenantsAccountIsFoundInItsTenantOnly() async throws {
        try await withProvider { provider in
            let path = "/v1/projects/demo-gatehouse/tenants/corp-abc12/accounts:lookup"
            let found = try await lookUp(provider, #"{"localId":["edsger"]}"#, path: path)
            #expect(found.text.contains(#""tenantId":"corp-abc12""#))
            #expect(try await lookUp(provider, #"{"localId":["edsger"]}"#).json?.root["users"] == nil)
            #expect(provider.calls(to: .accountsLookup) == 2)
        }
    }

    @Test func onlyATokenOfTheEndpointCounts() async throws {
        try await withProvider { provider in
            let response = try await lookUp(provider, #"{"localId":["ada"]}"#, token: "owner")
            #expect(response.status == 401)
            #expect(response.json?.root["error"]?["status"]?.string == "UNAUTHENTICATED")
            #expect(provider.lookups(of: "ada") == 0)
        }
    }

    @Test func tokensEnd() async throws {
        try await withProvider { provider in
            let token = try await accessToken(provider)
            provider.revokeAccessTokens()
            #expect(try await lookUp(provider, "{}", token: token).status == 401)
        }
    }

    @Test func theScopeAndTheProjectMustSuit() async throws {
        try await withProvider { provider in
            let token = try await accessToken(provider, ["scope": "https://www.googleapis.com/auth/userinfo.email"])
            #expect(try await lookUp(provider, "{}", token: token).status == 403)
            let other = try await lookUp(provider, "{}", path: "/v1/projects/other/accounts:lookup")
            #expect(other.status == 403)
        }
    }

    @Test(arguments: ["", "[]", #"{"localId":"ada"}"#, #"{"localId":[1]}"#, #"{"localId":null}"#])
    func whatIsNoQuestionIsRefused(body: String) async throws {
        try await withProvider { provider in
            let response = try await lookUp(provider, body)
            #expect(response.status == 400)
        }
    }

    @Test func moreThanAHundredAreRefused() async throws {
        try await withProvider { provider in
            let ids = (0...100).map { "\"u\($0)\"" }.joined(separator: ",")
            let response = try await lookUp(provider, "{\"localId\":[\(ids)]}")
            #expect(response.status == 400)
        }
    }

    @Test func theURLIsTheTemplateOfTheConfiguration() async throws {
        try await withProvider { provider in
            let url = "http://127.0.0.1:\(provider.port)/v1/projects/{project}/accounts:lookup"
            #expect(provider.url(.accountsLookup) == url)
        }
    }
}
