import JOSE
import Testing

@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct ServiceAccountTests {
    private let key: SigningKey

    init() throws {
        key = try AccountRig.key.get()
    }

    @Test func `a key file has the account, the key and the endpoint`() throws {
        let account = try ServiceAccount(json: ServiceAccount.file(pem: key.pem()), name: "sa.json")
        #expect(account.email == "gw@my-app.iam.gserviceaccount.com")
        #expect(account.tokenURL == "https://oauth2.example/token")
        #expect(account.project == "my-app")
        #expect(account.key.keyID == "k1")
    }

    @Test(
        arguments: [
            ("type", "authorized_user", "its type"), ("type", nil, "its type"), ("client_email", nil, "client_email"),
            ("client_email", "", "client_email"), ("private_key_id", nil, "private_key_id"),
            ("private_key", nil, "private_key"), ("private_key", "-----BEGIN X-----", "private_key"),
            ("token_uri", nil, "token_uri"), ("token_uri", "http://oauth2.example/token", "https"),
            ("token_uri", "ftp://x/", "https"), ("token_uri", "https://u:p@x/", "https"),
        ] as [(String, String?, String)])
    func `an invalid key file has an error without the key`(member: String, value: String?, named: String) {
        let json = ServiceAccount.file(pem: key.pem(), [member: value])
        let failure = #expect(throws: ServiceAccount.Failure.self) { try ServiceAccount(json: json, name: "sa.json") }
        let text = failure?.description ?? ""
        #expect(text.contains("sa.json") && text.contains(named))
        #expect(!text.contains("BEGIN"))
    }

    @Test func `the token endpoint may be on loopback`() throws {
        let json = ServiceAccount.file(pem: key.pem(), ["token_uri": "http://127.0.0.1:9/token"])
        #expect(try ServiceAccount(json: json, name: "sa.json").tokenURL == "http://127.0.0.1:9/token")
    }

    @Test func `the errors on a missing file, other text and an elliptic key name the reason`() throws {
        let missing = #expect(throws: ServiceAccount.Failure.self) { try ServiceAccount(file: "/nonexistent/sa.json") }
        #expect(missing?.description.contains("/nonexistent/sa.json cannot be read") == true)
        let text = #expect(throws: ServiceAccount.Failure.self) {
            try ServiceAccount(json: Array("-----BEGIN".utf8), name: "sa.json")
        }
        #expect(text?.description.contains("is not JSON") == true)
        let elliptic = ServiceAccount.file(pem: try SigningKey.generate(.es256, keyID: "any").pem())
        #expect(throws: ServiceAccount.Failure.self) { try ServiceAccount(json: elliptic, name: "sa.json") }
    }

    @Test func `the grant is signed for the token endpoint`() throws {
        let account = try ServiceAccount(json: ServiceAccount.file(pem: key.pem()), name: "sa.json")
        let request = try #require(AccessTokenGrant(account: account).request(now: 1_700_000_000))
        #expect(request.url == "https://oauth2.example/token")
        let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        #expect(request.bodyText.hasPrefix(prefix))
        let assertion = String(request.bodyText.dropFirst(prefix.count))
        let token = try UnverifiedJWS(Array(assertion.utf8))
        #expect(token.algorithm == .rs256 && token.keyID == "k1")
        let claims = token.payload.root
        #expect(claims["iss"]?.equals("gw@my-app.iam.gserviceaccount.com") == true)
        #expect(claims["aud"]?.equals("https://oauth2.example/token") == true)
        #expect(claims["scope"]?.equals("https://www.googleapis.com/auth/identitytoolkit") == true)
        #expect(claims["iat"]?.integer == 1_700_000_000 && claims["exp"]?.integer == 1_700_003_600)
    }

    @Test(arguments: [
        (200, "{}"), (200, "<html>"), (200, #"{"access_token":"a b","expires_in":60}"#),
        (200, #"{"access_token":"","expires_in":60}"#), (200, #"{"access_token":"a"}"#),
        (200, #"{"access_token":"a","expires_in":0}"#), (200, #"{"access_token":"a","expires_in":"60"}"#),
        (200, #"{"access_token":"a","expires_in":60,"token_type":"mac"}"#),
        (200, #"{"access_token":"a\r\nX: y","expires_in":60}"#), (400, #"{"error":"invalid_grant"}"#), (503, ""),
    ])
    func `a response without an access token fails`(status: Int, body: String) {
        let result = AccessTokenGrant.read(OutboundResponse(status: status, body: Array(body.utf8)), now: 0)
        guard case .failure(let failure) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure.concernsAll)
        #expect((failure.kind == .ownCredentials) == (status == 400))
    }
}
