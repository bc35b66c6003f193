import DevelopmentIdentity
import JOSE
import Testing

@Suite(.provider) struct AccountLookupTests {
    private let provider: DevelopmentProvider
    private static let path = "/v1/projects/demo-gatehouse/accounts:lookup"

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func accessToken(_ claims: JSONObject = [:]) async throws -> String {
        let assertion = try provider.makeServiceAccount().assertion(claims)
        let form = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=\(assertion)"
        return try #require(try await post(provider, "/token", form: form).json?.root["access_token"]?.string)
    }

    private func lookUp(_ body: String, token: String? = nil, path: String = path) async throws -> Response {
        var bearer = token
        if bearer == nil { bearer = try await accessToken() }
        let fields = "Authorization: Bearer \(bearer ?? "")\r\nContent-Type: application/json\r\n"
        return try await provider.response(path, method: "POST", fields: fields, body: body)
    }

    @Test func `an account is found`() async throws {
        let response = try await lookUp(#"{"localId":["ada"]}"#)
        #expect(response.status == 200)
        let users = try #require(response.json?.root["users"])
        #expect(users.count == 1)
        let user = try #require(users.elements.first { _ in true })
        user.expect([
            "localId": "ada", "validSince": "1600000000", "disabled": nil, "emailVerified": true,
            "customAttributes": .string(#"{"role":"admin"}"#), "createdAt": "1600000000000",
        ])
        let info = user["providerUserInfo"]?.elements.first { _ in true }
        #expect(info?["providerId"]?.string == "google.com")
        #expect(info?["rawId"]?.string == "104242424242424242424")
        #expect(provider.lookups(of: "ada") == 1 && provider.calls(to: .accountsLookup) == 1)
    }

    @Test func `an unknown user is absent from the response`() async throws {
        for body in [#"{"localId":["nobody"]}"#, #"{"localId":[]}"#, "{}"] {
            let response = try await lookUp(body)
            #expect(response.status == 200)
            #expect(response.json?.root["kind"]?.string == "identitytoolkit#GetAccountInfoResponse")
            #expect(response.json?.root["users"] == nil)
        }
    }

    @Test func `several accounts are found at once`() async throws {
        let ids = (0..<98).map { "\"u\($0)\"" }.joined(separator: ",")
        let users = try await lookUp("{\"localId\":[\"ada\",\(ids),\"grace\"]}").json?.root["users"]
        #expect(users?.elements.map { $0["localId"]?.string } == ["ada", "grace"])
    }

    @Test func `an account is found by an identity or its address`() async throws {
        let identity = #"{"federatedUserId":[{"providerId":"google.com","rawId":"104242424242424242424"}]}"#
        for body in [identity, #"{"email":["ada@example.com"]}"#] {
            let users = try await lookUp(body).json?.root["users"]
            #expect(users?.elements.map { $0["localId"]?.string } == ["ada"])
        }
        #expect(provider.lookups(of: "104242424242424242424") == 1 && provider.lookups(of: "ada@example.com") == 1)
        let other = identity.replacing("google.com", with: "apple.com")
        for body in [other, #"{"email":["nobody@example.com"]}"#, #"{"federatedUserId":[]}"#] {
            #expect(try await lookUp(body).json?.root["users"] == nil)
        }
        let both = String(identity.dropLast()) + #","localId":["ada"]}"#
        #expect(try await lookUp(both).json?.root["users"]?.count == 1, "a user is listed once")
    }

    @Test func `accounts can be added, changed and deleted`() async throws {
        try provider.setAccount(DevelopmentAccount(.named("zoe"), validSince: 5, isDisabled: true))
        let zoe = try await lookUp(#"{"localId":["zoe"]}"#)
        #expect(zoe.text.contains(#""validSince":"5","disabled":true"#))
        #expect(provider.updateAccount("zoe") { $0.validSince = nil })
        #expect(try await !lookUp(#"{"localId":["zoe"]}"#).text.contains("validSince"))
        provider.deleteAccount("zoe")
        #expect(provider.account("zoe") == nil)
        #expect(!provider.updateAccount("zoe") { _ in })
        #expect(try await lookUp(#"{"localId":["zoe"]}"#).json?.root["users"] == nil)
    }

    @Test func `an account can have any members`() async throws {
        provider.updateAccount("ada") { $0.members = ["validSince": 7, "x": [nil]] }
        let text = try await lookUp(#"{"localId":["ada"]}"#).text
        #expect(text.contains(#""validSince":7,"#) && text.contains(#""x":[null]"#))
    }

    @Test func `an account of a tenant is found in its tenant only`() async throws {
        let path = "/v1/projects/demo-gatehouse/tenants/corp-abc12/accounts:lookup"
        let found = try await lookUp(#"{"localId":["edsger"]}"#, path: path)
        #expect(found.text.contains(#""tenantId":"corp-abc12""#))
        #expect(try await lookUp(#"{"localId":["edsger"]}"#).json?.root["users"] == nil)
        #expect(provider.calls(to: .accountsLookup) == 2)
    }

    @Test func `a foreign or revoked access token is rejected`() async throws {
        let revoked = try await accessToken()
        provider.revokeAccessTokens()
        for token in ["owner", revoked] {
            let response = try await lookUp(#"{"localId":["ada"]}"#, token: token)
            #expect(response.status == 401)
            #expect(response.json?.root["error"]?["status"]?.string == "UNAUTHENTICATED")
        }
        #expect(provider.lookups(of: "ada") == 0)
    }

    @Test func `a token of another scope and another project are rejected`() async throws {
        let token = try await accessToken(["scope": "https://www.googleapis.com/auth/userinfo.email"])
        #expect(try await lookUp("{}", token: token).status == 403)
        #expect(try await lookUp("{}", path: "/v1/projects/other/accounts:lookup").status == 403)
    }

    @Test(arguments: [
        "", "[]", #"{"localId":"ada"}"#, #"{"localId":[1]}"#, #"{"localId":null}"#,
        #"{"federatedUserId":[{"providerId":"google.com"}]}"#, #"{"email":"ada@example.com"}"#,
        "{\"localId\":[\((0...100).map { "\"u\($0)\"" }.joined(separator: ","))]}",
    ])
    func `a malformed lookup is rejected`(body: String) async throws {
        #expect(try await lookUp(body).status == 400)
    }

    @Test func `the URL is the template of the configuration`() async throws {
        let url = "http://127.0.0.1:\(provider.port)/v1/projects/{project}/accounts:lookup"
        #expect(provider.url(.accountsLookup) == url)
    }
}
