import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import Testing

@testable import GatewayFixtures

@Suite struct FacebookTokenCheckTests {
    @Test func `the request authenticates the application`() {
        let request = check.request(about: Array("EAA&x=|".utf8))
        #expect(request.method == .get)
        #expect(
            request.url
                == "https://graph.facebook.com/debug_token?input_token=EAA%26x%3D%7C&access_token=42%7Cs%263cret")
        #expect(request.body.isEmpty)
    }

    @Test func `a valid response proves the user and the application`() throws {
        let body = answer(#""expires_at":1700003600,"issued_at":1699999000,"scopes":["email","public_profile"]"#)
        let identity = try accepted(body, by: check)
        #expect(identity.subject == "1001")
        #expect(identity.scopes == ["email", "public_profile"])
        #expect(identity.issuedAt == 1_699_999_000)
        #expect(identity.authTime == nil)
        #expect(identity.expiresAt == 1_700_003_600)
        let claims = String(decoding: identity.claims.payload.root.compact, as: UTF8.self)
        #expect(
            claims == #"{"sub":"1001","app_id":"42","scope":"email public_profile","iat":1699999000,"#
                + #""exp":1700003600}"#)
    }

    @Test(arguments: [
        (#""expires_at":0"#, "accepted 1001"), (#""expires_at":1700000001"#, "accepted 1001"),
        (#""expires_at":1700000000"#, "refused expired"), (#""expires_at":"0""#, "failed malformed"),
        (#""application":"x""#, "failed malformed"), (#""expires_at":0,"error":{"code":190}"#, "refused inactive"),
        (#""expires_at":0,"issued_at":1700000006"#, "refused issuedInFuture"),
        (#""expires_at":0,"issued_at":-9223372036854775807"#, "refused issuedAt"),
        (#""expires_at":0,"issued_at":-1e300"#, "refused issuedAt"),
        (#""expires_at":-9223372036854775808"#, "refused expired"),
        (#""expires_at":0,"scopes":"email""#, "failed malformed"),
    ])
    func `each member of the response decides`(members: String, expected: String) {
        #expect(judgement(of: answer(members), by: check).shown == expected)
    }

    @Test(arguments: [
        (#"{"is_valid":true,"app_id":"43","type":"USER","user_id":"1","expires_at":0}"#, "refused audience"),
        (#"{"is_valid":true,"app_id":42,"type":"USER","user_id":"1","expires_at":0}"#, "refused audience"),
        (#"{"is_valid":true,"type":"USER","user_id":"1","expires_at":0}"#, "refused audience"),
        (#"{"is_valid":true,"app_id":"42","type":"PAGE","user_id":"1","expires_at":0}"#, "refused tokenType"),
        (#"{"is_valid":true,"app_id":"42","user_id":"1","expires_at":0}"#, "refused tokenType"),
        (#"{"is_valid":true,"app_id":"42","type":"USER","expires_at":0}"#, "refused subject"),
        (#"{"is_valid":true,"app_id":"42","type":"USER","user_id":1,"expires_at":0}"#, "refused subject"),
        (#"{"is_valid":false,"app_id":"42","type":"USER","user_id":"1","expires_at":0}"#, "refused inactive"),
        (#"{"is_valid":"true","app_id":"42","type":"USER","user_id":"1","expires_at":0}"#, "failed malformed"),
        (#"{"app_id":"42","type":"USER","user_id":"1","expires_at":0}"#, "failed malformed"),
        (#"{"error":{"code":190,"message":"no"},"is_valid":false,"scopes":[]}"#, "refused inactive"),
        ("[]", "failed malformed"), ("null", "failed malformed"),
    ])
    func `G-12: audience, type and subject are required`(data: String, expected: String) {
        #expect(judgement(of: #"{"data":\#(data)}"#, by: check).shown == expected)
    }

    @Test(arguments: [(400, "failed status"), (401, "failed ownCredentials"), (403, "failed ownCredentials")])
    func `G-13: a status other than 200 is a failure, not a result`(status: Int, expected: String) {
        #expect(judgement(of: #"{"error":{"code":190}}"#, status, by: check).shown == expected)
    }

    private var check: any TokenCheck {
        Configuration.Provider.opaque(
            "facebook.com", kind: .facebook, url: "https://graph.facebook.com/debug_token", client: "42",
            secret: "s&3cret"
        ).tokenCheck!
    }

    private func answer(_ more: String) -> String {
        #"{"data":{"app_id":"42","type":"USER","is_valid":true,"user_id":"1001",\#(more)}}"#
    }
}
