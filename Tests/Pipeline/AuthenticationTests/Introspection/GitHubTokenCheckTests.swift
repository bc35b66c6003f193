import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct GitHubTokenCheckTests {
    @Test func `the request authenticates the application`() throws {
        let request = check.request(about: Array(#"gho_a"b"#.utf8))
        #expect(request.method == .post)
        #expect(request.url == "https://api.github.com/applications/Iv1.a%2Fb/token")
        #expect(request.bodyText == #"{"access_token":"gho_a\"b"}"#)
        #expect(request.field("authorization") == "Basic SXYxLmEvYjpzM2NyZXQ=")
        #expect(request.field("accept") == "application/vnd.github+json")
        #expect(request.field("content-type") == "application/json")
    }

    @Test func `a valid response proves the user and the application`() throws {
        let body = answer(
            user: #"{"id":583231,"login":"octocat","name":"Mona","email":null,"avatar_url":"https://a.example/u"}"#,
            more: #""scopes":["user:email","repo"],"created_at":"2023-11-14T22:00:00Z","expires_at":null"#)
        let identity = try accepted(body, by: check)
        #expect(identity.subject == "583231")
        #expect(identity.scopes == ["user:email", "repo"])
        #expect(identity.issuedAt == 1_699_999_200)
        #expect(identity.authTime == nil)
        #expect(identity.expiresAt == .latest)
        let claims = String(decoding: identity.claims.payload.root.compact, as: UTF8.self)
        #expect(
            claims == #"{"sub":"583231","client_id":"Iv1.a/b","scope":"user:email repo","iat":1699999200,"#
                + #""login":"octocat","name":"Mona","picture":"https://a.example/u"}"#)
    }

    @Test(arguments: [
        #"{"client_id":"Iv1.other"}"#, #"{"client_id":"IV1.A/B"}"#, #"{"client_id":7}"#, "{}", #"{"name":"Iv1.a/b"}"#,
    ])
    func `G-12: a token of another application is rejected`(app: String) {
        #expect(judgement(of: answer(app: app), by: check).shown == "refused audience")
    }

    @Test(arguments: [404, 422])
    func `a token that GitHub does not know or does not search for is inactive`(status: Int) {
        #expect(judgement(of: "{}", status, by: check).shown == "refused inactive")
    }

    @Test(arguments: [
        (401, "failed ownCredentials"), (403, "failed status"), (429, "failed throttled"), (500, "failed status"),
        (302, "failed redirected"), (201, "failed status"),
    ])
    func `G-13: every other status is a failure, not a result`(status: Int, expected: String) {
        #expect(judgement(of: answer(), status, by: check).shown == expected)
    }

    /// The time is 2023-11-14T22:13:20Z.
    @Test(arguments: [
        (#""expires_at":"2023-11-14T22:13:21Z""#, "accepted 1"),
        (#""expires_at":"2023-11-14T22:13:20Z""#, "refused expired"),
        (#""expires_at":"2023-11-14T23:13:21+01:00""#, "accepted 1"), (#""expires_at":"tomorrow""#, "failed malformed"),
        (#""expires_at":1700000100"#, "failed malformed"),
        (#""created_at":"2023-11-14T22:13:26Z""#, "refused issuedInFuture"),
        (#""created_at":"0001-01-01T00:00:00Z""#, "refused issuedAt"), (#""created_at":7"#, "failed malformed"),
        (#""scopes":"repo""#, "failed malformed"), (#""scopes":[1]"#, "failed malformed"),
        (#""scopes":null"#, "accepted 1"),
    ])
    func `times of a token are checked`(member: String, expected: String) {
        #expect(judgement(of: answer(more: member), by: check).shown == expected)
    }

    @Test(arguments: [
        (#"{"id":"1"}"#, "failed malformed"), (#"{"id":1.5}"#, "failed malformed"), ("{}", "failed malformed"),
        (#"{"id":99999999999999999999}"#, "failed malformed"), ("null", "refused subject"), ("7", "failed malformed"),
    ])
    func `a user's id is a number`(user: String, expected: String) {
        #expect(judgement(of: answer(user: user), by: check).shown == expected)
    }

    private var check: any TokenCheck {
        Configuration.Provider.opaque(
            "github.com", kind: .github, url: "https://api.github.com/applications/{client_id}/token",
            client: "Iv1.a/b"
        ).tokenCheck!
    }

    private func answer(
        app: String = #"{"client_id":"Iv1.a/b","name":"App"}"#, user: String = #"{"id":1}"#, more: String = ""
    ) -> String {
        #"{"id":9,"app":\#(app),"user":\#(user)"# + (more.isEmpty ? "" : "," + more) + "}"
    }
}
