import DevelopmentIdentity
import Foundation
import Testing

/// What the upstream learns of who is asking.
@Suite(.sharedScenario) struct ForwardedIdentityTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test func anIDTokenPassesAndTheUpstreamSeesWhoIsAsking() throws {
        let signedIn = unixNow() - 100
        let report = try scenario.passes(.bearer(scenario.token { $0.signedIn(at: signedIn) }, "/me/profile?a=b%2F"))
        #expect(report.path == "/me/profile?a=b%2F")
        #expect(report.values("X-Auth-Uid") == ["ada"])
        #expect(report.values("X-Auth-Provider") == ["google.com"])
        #expect(report.values("X-Auth-Time") == ["\(signedIn)"])
        #expect(report.values("X-Auth-Email") == ["ada@example.com"])
        #expect(report.values("X-Auth-Email-Verified") == ["true"])
        #expect(report.values("X-Role") == ["admin"])
    }

    @Test func theAuthVariableHoldsUidProviderAndEveryClaim() throws {
        let token = scenario.provider.idToken(for: .ada)
        let report = try scenario.passes(.bearer(scenario.provider.sign(token), "/me/variable"))
        let expected: JSON = ["uid": "ada", "provider": "google", "token": .object(token.claims)]
        #expect(report.auth == expected)
    }

    @Test func theTokenItselfIsNotForwarded() throws {
        let token = try scenario.token()
        let report = try scenario.passes(.bearer(token, "/me/hidden", "X-Kept: yes"))
        #expect(report["Authorization"] == nil)
        #expect(report["X-Kept"] == "yes")
        let signature = token.split(separator: ".")[2].lowercased()
        #expect(!report.lines.contains { $0.contains(signature) })
    }

    @Test func anotherSchemeKeepsItsBytesWhereNoCredentialIsNeeded() throws {
        let report = try scenario.passes(.get("/public/basic", "Authorization: Basic  dTpw"))
        #expect(report.values("Authorization") == ["Basic  dTpw"])
    }

    @Test func aTokenIsNotForwardedOnAPublicRouteEither() throws {
        let report = try scenario.passes(.bearer(scenario.token(), "/public/token"))
        #expect(report["Authorization"] == nil)
        #expect(report["X-Auth-Uid"] == nil)
    }

    @Test func aSessionCookiePassesAndOtherCookiesKeepTheirBytes() throws {
        let cookie = try scenario.cookie(.alan)
        let report = try scenario.passes(
            .get("/me/cookie", "Cookie: a=1; b=\"q; __session=\(cookie); c=x=y ; __session2=z; d="))
        #expect(report.values("X-Auth-Uid") == ["alan"])
        #expect(report.values("X-Auth-Provider") == ["apple.com"])
        #expect(report.values("Cookie") == ["a=1; b=\"q; c=x=y ; __session2=z; d="])
    }

    @Test(arguments: [
        (DevelopmentUser.ada, "google"), (.grace, "password"), (.alan, "apple.com"), (.linus, "github"),
        (.dennis, "facebook"), (.margaret, "phone"), (.robot, "custom"), (.guest, "anonymous"),
        (.barbara, "microsoft.com"),
    ])
    func theVariableNamesProvidersAsSecurityRulesDo(user: DevelopmentUser, provider: String) throws {
        let report = try scenario.passes(.bearer(scenario.token(user), "/me/provider"))
        #expect(report.auth?["provider"] == .string(provider))
        #expect(report["X-Auth-Provider"] == user.signInProvider)
    }

    @Test func anUnverifiedAddressIsToldAsSuch() throws {
        let report = try scenario.passes(.bearer(scenario.token(.grace), "/me/unverified"))
        #expect(report.values("X-Auth-Email-Verified") == ["false"])
    }

    @Test(arguments: ["\"true\"", "1", "\"false\"", "null"])
    func e13OnlyTrueItselfVerifiesAnAddress(value: String) throws {
        let token = try scenario.token { $0.setting("email_verified", to: .raw(value)) }
        let report = try scenario.passes(.bearer(token, "/me/e13"))
        #expect(report.values("X-Auth-Email-Verified") == ["false"])
    }

    @Test func aUserWithoutAnAddressHasNoFieldForIt() throws {
        let report = try scenario.passes(.bearer(scenario.token(.margaret), "/me/phone"))
        #expect(report["X-Auth-Email"] == nil)
        #expect(report["X-Auth-Email-Verified"] == nil)
    }

    @Test func theRequestIsNamedAndTraced() throws {
        let first = try scenario.passes(.get("/public/trace", "X-Request-Id: mine", "traceparent: 00-evil"))
        let second = try scenario.passes(.get("/public/trace"))
        for report in [first, second] {
            #expect(report.values("X-Request-Id").count == 1)
            #expect(report["X-Request-Id"]?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect(report.values("traceparent").count == 1)
            #expect(report["traceparent"]?.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]/) != nil)
        }
        #expect(first["X-Request-Id"] != second["X-Request-Id"])
    }

    @Test func theUpstreamIsToldWhereTheRequestCameFrom() throws {
        let report = try scenario.passes(.get("/public/from"))
        #expect(report.values("X-Forwarded-For") == ["127.0.0.1"])
        #expect(report.values("X-Forwarded-Proto") == ["http"])
        #expect(report.values("X-Forwarded-Host") == ["gateway.example"])
        #expect(report.values("Forwarded") == ["for=127.0.0.1;proto=http;host=\"gateway.example\""])
        #expect(report.values("Host") == ["gateway.example"])
    }

    @Test(arguments: ["line\r\nX-Auth-Uid: root", "nul\u{0}", "cr\rlf\n", "umlaut \u{fc}", "per%cent"])
    func a14AClaimNeverMakesAFieldOfItsOwn(value: String) throws {
        let token = try scenario.token { $0.setting("role", to: .string(value)).setting("name", to: .string(value)) }
        let report = try scenario.passes(.bearer(token, "/me/a14"))
        #expect(report.values("X-Auth-Uid") == ["ada"])
        let role = try #require(report["X-Role"])
        #expect(role.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(role.removingPercentEncoding == value)
        #expect(report.auth?["token"]?["name"] == .string(value))
    }

    @Test func a14IdentityFieldsHaveABound() throws {
        let long = JSON.string(String(repeating: "n", count: 5_500))
        let token = try scenario.token { $0.setting("name", to: long).setting("role", to: long) }
        expectDenial(try scenario.send(.bearer(token, "/me/huge")), 431, "request/head-too-large")
    }
}
