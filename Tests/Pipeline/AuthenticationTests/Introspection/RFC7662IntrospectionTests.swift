import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct RFC7662IntrospectionTests {
    @Test func `the request is a form with the client in Basic credentials`() throws {
        let check = check { ($0.clientID, $0.clientSecret) = ("g w", Secret("a:b%")) }
        let request = check.request(about: Array("t+/=k".utf8))
        #expect(request.method == .post)
        #expect(request.url == "https://as.example/introspect")
        #expect(request.bodyText == "token=t%2B%2F%3Dk&token_type_hint=access_token")
        #expect(request.field("content-type") == "application/x-www-form-urlencoded")
        #expect(request.field("accept") == "application/json")
        // RFC 6749 section 2.3.1: `g%20w:a%3Ab%25`.
        #expect(request.field("authorization") == "Basic ZyUyMHc6YSUzQWIlMjU=")
    }

    @Test func `the client's credentials may be in the body`() {
        let check = check { ($0.clientAuthentication, $0.clientSecret) = (.post, Secret("a&b")) }
        let request = check.request(about: Array("T".utf8))
        #expect(
            request.bodyText == "token=T&token_type_hint=access_token&client_id=gw&client_secret=a%26b")
        #expect(request.field("authorization") == nil)
    }

    @Test func `a valid response proves the user and the audience`() throws {
        let identity = try accepted(
            activeAnswer(
                #""scope":"read  write","client_id":"app","exp":1700000100.9,"iat":1699999999,"#
                    + #""auth_time":1699999000.5,"acr":"gold","amr":["pwd","otp"],"iss":"x","nothing":null"#),
            by: check())
        #expect(identity.provider == "oauth.legacy")
        #expect(identity.subject == "alice")
        #expect(identity.derivedUID == "oauth.legacy:alice")
        #expect(identity.scopes == ["read", "write"])
        #expect(identity.expiresAt == 1_700_000_100)
        #expect(identity.issuedAt == 1_699_999_999)
        #expect(identity.authTime == 1_699_999_000)
        let claims = String(decoding: identity.claims.payload.root.compact, as: UTF8.self)
        #expect(
            claims == #"{"sub":"alice","aud":"api","scope":"read  write","client_id":"app","exp":1700000100,"#
                + #""iat":1699999999,"auth_time":1699999000,"acr":"gold","amr":["pwd","otp"],"iss":"x"}"#)
    }

    @Test func `the principal has the form of a Firebase principal`() throws {
        let hasher = try #require(SHA256Hasher())
        let identity = try accepted(activeAnswer(#""scope":"a b""#), by: check())
        // G-06: without `exp` the token has no expiry.
        #expect(identity.expiresAt == .latest)
        let principal = try #require(Principal(identity, hasher: hasher))
        #expect(principal.uid == "oauth.legacy:alice")
        #expect(principal.scopes == ["a", "b"])
        #expect(principal.authTime == nil)
        #expect(principal.session == nil)
        #expect(principal.claims.root["firebase"]?["sign_in_provider"]?.equals("oauth.legacy") == true)
    }

    @Test(arguments: [
        (#""aud":"api""#, true), (#""aud":["x","api"]"#, true), (#""aud":["x","web"]"#, true),
        (#""aud":"other""#, false), (#""aud":["x"]"#, false), (#""aud":"API""#, false), (#""client_id":"api""#, true),
        (#""aud":[],"client_id":"api""#, true), (#""aud":null,"client_id":"api""#, true),
        (#""client_id":"other""#, false), (#""aud":"other","client_id":"api""#, false), (#""azp":"api""#, false),
        (#""username":"api""#, false),
    ])
    func `G-12: the audience is proven by aud, or without aud by client_id`(members: String, counts: Bool) {
        let check = check { $0.audiences = ["api", "web"] }
        let shown = evaluate(#"{"active":true,"sub":"alice",\#(members)}"#, check)
        #expect(shown == (counts ? "accepted alice" : "refused audience"))
    }

    @Test(arguments: [
        (#""active":false"#, "refused inactive"), ("", "refused inactive"),
        (#""active":"true","sub":"alice","aud":"api""#, "refused inactive"),
        (#""active":1,"sub":"alice","aud":"api""#, "refused inactive"), (#""active":null"#, "refused inactive"),
        (#""sub":"alice","aud":"api""#, "refused inactive"),
        (#""active":true,"sub":"","aud":"api""#, "refused subject"),
        (#""active":true,"sub":7,"aud":"api""#, "refused subject"), (#""active":true,"aud":"api""#, "refused subject"),
        (#""active":true,"sub":"alice""#, "refused audience"),
        (#""active":true,"sub":"a\u0000","aud":"api""#, "refused subject"),
        (
            #""active":true,"aud":"api","sub":"\#(String(repeating: "s", count: 255))""#,
            "accepted " + String(repeating: "s", count: 255)
        ),
        (#""active":true,"aud":"api","sub":"\#(String(repeating: "s", count: 256))""#, "refused subject"),
        (#""active":true,"sub":"a\n","aud":"api""#, "refused subject"),
    ])
    func `a token that is inactive or lacks a claim is rejected`(members: String, expected: String) {
        #expect(evaluate("{\(members)}") == expected)
    }

    @Test(arguments: [
        (#""token_type":"Bearer""#, "accepted alice"), (#""token_type":"bEARER""#, "accepted alice"),
        (#""token_type":null"#, "accepted alice"), (#""token_type":"DPoP""#, "refused tokenType"),
        (#""token_type":"""#, "refused tokenType"), (#""token_type":"refresh_token""#, "refused tokenType"),
        (#""token_type":"Bearer","token_use":"refresh_token""#, "refused tokenType"),
        (#""token_use":"id""#, "refused tokenType"), (#""token_use":"access_token""#, "accepted alice"),
        (#""token_use":"access""#, "accepted alice"), (#""token_use":null"#, "accepted alice"),
        (#""cnf":{"x5t#S256":"abc"}"#, "refused senderConstrained"), (#""cnf":{}"#, "refused senderConstrained"),
        (#""cnf":null"#, "accepted alice"),
    ])
    func `the type and the use of the token are checked`(member: String, expected: String) {
        #expect(evaluate(activeAnswer(member)) == expected)
    }

    /// The time is 1700000000, and the skew is 5 s.
    @Test(arguments: [
        (#""exp":1700000001"#, "accepted alice"), (#""exp":1700000000"#, "refused expired"),
        (#""exp":1700000000.9"#, "refused expired"), (#""exp":1699999999"#, "refused expired"),
        (#""exp":-5"#, "refused expired"), (#""exp":0"#, "refused expired"),
        (#""exp":99999999999999999999999"#, "accepted alice"), (#""exp":1e300"#, "accepted alice"),
        (#""nbf":1700000005"#, "accepted alice"), (#""nbf":1700000006"#, "refused notBefore"),
        (#""nbf":1e30"#, "refused notBefore"),
        (#""iat":1700000005"#, "accepted alice"), (#""iat":1700000006"#, "refused issuedInFuture"),
        (#""auth_time":1700000005"#, "accepted alice"),
        (#""auth_time":1700000006"#, "refused authenticatedInFuture"),
        (#""auth_time":-1"#, "refused authenticatedInFuture"),
        (#""iat":-1"#, "refused issuedAt"), (#""iat":-1e300"#, "refused issuedAt"),
        (#""nbf":-9223372036854775808"#, "refused notBefore"),
        (#""iat":9223372036854775807"#, "refused issuedInFuture"),
        // A value in milliseconds.
        (#""auth_time":1700000000000"#, "refused authenticatedInFuture"),
    ])
    func `times within the skew are accepted`(member: String, expected: String) {
        #expect(evaluate(activeAnswer(member)) == expected)
    }

    @Test(arguments: [
        "", "<html>sign in</html>", "null", "[]", "true", #""active""#, "{",
        #"{"active":true,"active":true,"sub":"alice","aud":"api"}"#,
        #"{"active":true,"sub":"alice","aud":"api"} x"#, #"{"active":true,"sub":"alice","aud":["api",7]}"#,
        #"{"active":true,"sub":"alice","aud":{"a":"api"}}"#, activeAnswer(#""exp":"1700000100""#),
        activeAnswer(#""exp":true"#), activeAnswer(#""nbf":"0""#), activeAnswer(#""iat":[]"#),
        activeAnswer(#""auth_time":"1""#), activeAnswer(#""exp":1e999"#), activeAnswer(#""scope":["a"]"#),
        activeAnswer(#""token_type":1"#),
        // More claims than the limit of a token.
        activeAnswer(#""name":"\#(String(repeating: "n", count: 17_000))""#),
    ])
    func `a malformed response is a failure, not a result`(body: String) {
        #expect(evaluate(body) == "failed malformed")
    }

    @Test(arguments: [
        (#""iss":"https://as.example""#, "accepted alice"), (#""iss":"https://as.example/""#, "refused issuer"),
        (#""iss":7"#, "refused issuer"), (#""scope":"a""#, "accepted alice"),
    ])
    func `a configured issuer is required if the response has one`(member: String, expected: String) {
        #expect(evaluate(activeAnswer(member), check { $0.issuer = "https://as.example" }) == expected)
    }

    @Test(arguments: [201, 204, 206, 302, 400, 401, 403, 404, 429, 500, 503])
    func `G-13: another status is a failure, not a result`(status: Int) {
        #expect(evaluate(activeAnswer(), status: status).hasPrefix("failed "))
    }

}

extension RFC7662IntrospectionTests {
    private func check(
        _ change: (inout Configuration.Provider.OpaqueTokens) -> Void = { _ in }
    ) -> any TokenCheck {
        Configuration.Provider.opaque("oauth.legacy", change).tokenCheck!
    }

    private func evaluate(_ body: String, _ check: (any TokenCheck)? = nil, status: Int = 200) -> String {
        judgement(of: body, status, by: check ?? self.check()).shown
    }

}

struct TestFailure: Error {
    let what: String
    init(_ what: String) { self.what = what }
}

/// The result of a response at 1700000000, with a skew of 5 s.
func judgement(of body: String, _ status: Int = 200, by check: any TokenCheck) -> Judgement {
    ProvenResponse.judge(
        OutboundResponse(status: status, body: Array(body.utf8)), by: check, now: 1_700_000_000, clockSkew: 5)
}

extension Judgement {
    var shown: String {
        switch self {
        case .accepted(let identity): "accepted \(identity.subject)"
        case .refused(let failure): "refused \(failure.reason)"
        case .failed(let failure): "failed \(failure.kind)"
        }
    }
}

/// The identity that a response proves.
func accepted(_ body: String, by check: any TokenCheck) throws -> ProviderIdentity {
    let judgement = judgement(of: body, by: check)
    guard case .accepted(let identity) = judgement else { throw TestFailure(judgement.shown) }
    return identity
}
