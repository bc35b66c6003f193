import DevelopmentIdentity
import JOSE
import Testing

@Suite(.provider) struct AppTokenConsumptionTests {
    private let provider: DevelopmentProvider

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func consume(
        _ token: String, scope: String = "firebase", bearer: String? = nil
    ) async throws -> Response {
        let assertion = try provider.makeServiceAccount().assertion([
            "scope": .string("https://www.googleapis.com/auth/\(scope)")
        ])
        let form = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=\(assertion)"
        let issued = try await post(provider, "/token", form: form).json?.root["access_token"]?.string
        let fields = "Authorization: Bearer \(bearer ?? issued ?? "")\r\nContent-Type: application/json\r\n"
        return try await provider.response(
            "/v1beta/projects/123:verifyAppCheckToken", method: "POST", fields: fields,
            body: "{\"app_check_token\":\"\(token)\"}")
    }

    private func token(_ id: String) throws -> String {
        try provider.sign(FirebaseToken(kind: .idToken, claims: ["jti": .string(id)]))
    }

    @Test func `a token is consumed once, by its ID`() async throws {
        let token = try token("one")
        #expect(try await consume(token).text == "{}\n")
        for again in [token, try self.token("one")] {
            #expect(try await consume(again).json?.root["alreadyConsumed"]?.bool == true)
        }
        #expect(try await consume(self.token("two")).text == "{}\n")
        #expect(provider.calls(to: .appCheckConsumption) == 4)
    }

    @Test func `a foreign token and a caller without rights are rejected`() async throws {
        #expect(try await consume("a.b.c").status == 403)
        #expect(try await consume(token("three"), scope: "identitytoolkit").status == 403)
        #expect(try await consume(token("three"), bearer: "unknown").status == 401)
        #expect(try await consume(token("three")).text == "{}\n", "not consumed by the rejected calls")
    }
}
