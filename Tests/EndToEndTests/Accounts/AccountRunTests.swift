import DevelopmentIdentity
import Testing

/// The life of an account, on two gateways that share one Redis.
struct AccountRunTests {
    private static let hourAgo = unixNow() - 3600
    private static let challenge = #"Bearer error="insufficient_user_authentication", max_age="300""#

    @Test func `an account works from its first sign-in to its last sign-out`() async throws {
        try await Fleet.withAccounts { fleet, _ in
            var app = AccountApp(fleet.gateways[0])
            let uid = try signInAnHourAgo(&app)
            try reauthenticate(&app, other: fleet.gateways[1], uid)
            try linkGitHub(&app, uid)
            try await redeem(of: uid, on: fleet.gateways[1])
            try await signOutEverywhere(&app, fleet, uid)
        }
    }

    private func signInAnHourAgo(_ app: inout AccountApp) throws -> String {
        let answer = try app.signIn { $0.signedIn(at: Self.hourAgo).setting("iat", to: .integer(Self.hourAgo)) }
        #expect(answer["is_new_user"] == true)
        let uid = try #require(answer["uid"]?.stringValue)
        let report = try #require(EchoReport(app.get("/me/x")))
        #expect(report["X-Auth-Uid"] == uid && report["X-Auth-Provider"] == "apple.com")
        #expect(report["X-Auth-Time"] == "\(Self.hourAgo)")
        #expect(report["Cookie"] == nil)
        return uid
    }

    private func reauthenticate(_ app: inout AccountApp, other: Scenario, _ uid: String) throws {
        expectDenial(try app.get("/recent/x"), 401, "auth/requires-recent-login", challenge: Self.challenge)
        let proof = try app.proof()
        let answer = try app.call("reauthenticate", proof)
        #expect(answer.json?["uid"] == .string(uid))
        // The proof applies immediately, on every gateway.
        #expect(try app.get("/recent/x").status == 200)
        #expect(try other.send(.cookie(#require(app.session), "/recent/x")).status == 200)
        expectDenial(try app.call("reauthenticate", proof), 400, "auth/missing-or-invalid-nonce")
    }

    private func linkGitHub(_ app: inout AccountApp, _ uid: String) throws {
        let withoutConsent = try app.call("link", app.gitHubProof())
        #expect(withoutConsent.status == 200 || withoutConsent.json?["code"] == "auth/consent-required")
        if withoutConsent.status != 200 {
            let linked = try app.call("link", app.gitHubProof().with("consent", true))
            #expect(linked.json?["providers"] == ["apple.com", "github.com"], "\(linked.text)")
        }
        var gitHub = AccountApp(app.scenario)
        let answer = try gitHub.call("sign-in", gitHub.gitHubProof())
        #expect(answer.json?["uid"] == .string(uid) && answer.json?["is_new_user"] == false, "\(answer.text)")
    }

    /// Another account cannot link the identity. The holder of the identity can sign in to its account once.
    private func redeem(of uid: String, on scenario: Scenario) async throws {
        var other = AccountApp(scenario)
        try other.signIn(.google, as: .ada)
        let refused = try other.call("link", other.gitHubProof().with("consent", true))
        expectDenial(refused, 409, "auth/credential-already-in-use")
        let pending: JSON = ["pending_token": try #require(refused.json?["pending_token"])]
        let signedIn = try other.call("sign-in", pending)
        #expect(signedIn.json?["uid"] == .string(uid), "\(signedIn.text)")
        let again = try other.call("sign-in", pending)
        #expect(again.status == 400, "\(again.text)")
    }

    private func signOutEverywhere(_ app: inout AccountApp, _ fleet: Fleet, _ uid: String) async throws {
        let cookie = try #require(app.session)
        for gateway in fleet.gateways { #expect(try gateway.send(.cookie(cookie, "/me/x")).status == 200) }
        let answer = try app.call("sign-out", ["everywhere": true])
        #expect(answer.status == 204 && app.session == nil)
        try await fleet.eventuallyAll(.cookie(cookie, "/me/x"), 401)
        for gateway in fleet.gateways {
            try expectDenial(gateway.send(.cookie(cookie, "/me/x")), 401, "auth/session-cookie-revoked")
        }
        // A new sign-in is accepted.
        try app.signIn()
        #expect(try app.get("/me/x").status == 200)
    }
}
