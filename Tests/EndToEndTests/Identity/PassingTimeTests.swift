import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// What is known of a token is decided anew on each request.
@Suite(.sharedScenario) struct PassingTimeTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    /// Sends the request, which must pass at first, until it is refused. Where tests are slow, `end` may be over already.
    private func firstRefusal(of request: WireRequest, at end: Int64) async throws -> WireResponse {
        let first = try scenario.send(request)
        #expect(first.status == 200 || unixNow() >= end, "\(first.text)")
        return try await eventually("a refusal") {
            let response = try scenario.send(request)
            return response.status == 200 ? nil : response
        }
    }

    @Test func g11ATokenThatWasVerifiedStillExpires() async throws {
        let end = unixNow() + 2
        let token = try scenario.token { $0.expiring(at: end) }
        expectDenial(try await firstRefusal(of: .bearer(token, "/me/x"), at: end), 401, "auth/id-token-expired")
        #expect(unixNow() >= end)
    }

    @Test func i06ASignInThatWasRecentGrowsOld() async throws {
        let signedIn = unixNow() - 298
        let token = try scenario.token { $0.signedIn(at: signedIn) }
        expectDenial(
            try await firstRefusal(of: .bearer(token, "/recent/x"), at: signedIn + 301), 401,
            "auth/requires-recent-login",
            challenge: SignInPolicyTests.stepUp)
        #expect(unixNow() > signedIn + 300)
    }
}
