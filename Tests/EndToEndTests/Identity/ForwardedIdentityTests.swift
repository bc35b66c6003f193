import DevelopmentIdentity
import Foundation
import Testing

/// The identity that the upstream receives.
@Suite(.sharedScenario) struct ForwardedIdentityTests: SharedScenarioSuite {
    @Test func `the upstream gets the identity of an ID token`() throws {
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

    @Test func `the auth variable has uid, provider and every claim`() throws {
        let token = scenario.provider.idToken(for: .ada)
        let report = try scenario.passes(.bearer(scenario.provider.sign(token), "/me/variable"))
        let expected: JSON = ["uid": "ada", "provider": "google", "token": .object(token.claims)]
        #expect(report.auth == expected)
    }

    @Test(arguments: ["/me/hidden", "/public/hidden"])
    func `the token is not forwarded, including on public routes`(target: String) throws {
        let token = try scenario.token()
        let report = try scenario.passes(.bearer(token, target, "X-Kept: yes"))
        #expect(report["Authorization"] == nil && report["X-Kept"] == "yes")
        let signature = token.split(separator: ".")[2].lowercased()
        #expect(!report.lines.contains { $0.contains(signature) })
    }

    @Test func `another scheme is forwarded unchanged on a public route`() throws {
        let report = try scenario.passes(.get("/public/basic", "Authorization: Basic  dTpw"))
        #expect(report.values("Authorization") == ["Basic  dTpw"])
    }

    @Test(arguments: [
        (DevelopmentUser.ada, "google"), (.grace, "password"), (.alan, "apple.com"), (.linus, "github"),
        (.dennis, "facebook"), (.margaret, "phone"), (.robot, "custom"), (.guest, "anonymous"),
        (.barbara, "microsoft.com"),
    ])
    func `the auth variable names providers as security rules do`(user: DevelopmentUser, provider: String) throws {
        let report = try scenario.passes(.bearer(scenario.token(user), "/me/provider"))
        #expect(report.auth?["provider"] == .string(provider))
        #expect(report["X-Auth-Provider"] == user.signInProvider)
    }

    @Test func `each request has an id and a trace`() throws {
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
}
