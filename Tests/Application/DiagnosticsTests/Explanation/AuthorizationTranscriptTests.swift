import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import Diagnostics

@Suite struct AuthorizationTranscriptTests {
    /// Explains a request of a user who signed in `age` seconds ago.
    private func explain(
        signedInAgo age: Int64 = 600, as user: DevelopmentUser = .ada, records: RecordEvidence = .nothingRecorded,
        _ change: @escaping (inout Configuration.Route) -> Void = { _ in }
    ) async throws -> Explanation {
        let explainer = try Given.explainer(Given.configuration([Given.route("/a", change)]), records: records)
        let token = try Given.idToken(user) { $0.signedIn(at: Given.now - age) }
        return try await explainer.explain(ExplainedRequest(method: "GET", url: "/a", token: token))
    }

    // MARK: - Revocation

    @Test func `a revoked sign-in fails at revocation`() async throws {
        let explanation = try await explain(
            records: .recorded(UserRecord(validSince: UnixTime(clamping: Given.now - 599))))
        #expect(explanation.code == .idTokenRevoked && explanation.failures == ["revocation"])
        #expect(
            explanation.step("revocation")?.detail.contains("only sign-ins since 2027-01-15T07:50:01Z are valid")
                == true)
    }

    @Test func `a revoked session is reported`() async throws {
        let explanation = try await explain(records: .recorded(.init(), SessionRecord(revoked: true)))
        #expect(explanation.code == .idTokenRevoked)
        #expect(explanation.step("revocation")?.detail.hasPrefix("this session was revoked") == true)
    }

    @Test func `a route without revocation has a note`() async throws {
        let explanation = try await explain(records: .recorded(UserRecord(disabled: true))) { $0.revocation = .off }
        #expect(explanation.code == .ok)
        #expect(explanation.step("revocation")?.mark == .note)
    }

    @Test func `without records a permit is undetermined`() async throws {
        let explanation = try await explain(records: .unknown("nobody answers"))
        #expect(explanation.code == nil)
        #expect(explanation.step("revocation") == ExplanationStep(.unknown, "revocation", "nobody answers"))
    }

    // MARK: - Sign-in

    @Test func `a provider that the route does not list is denied`() async throws {
        let explanation = try await explain { $0.providers = ["apple.com"] }
        #expect(explanation.code == .permissionDenied && explanation.failures == ["providers"])
        #expect(try await explain { $0.providers = ["google.com"] }.code == .ok)
    }

    @Test func `an old sign-in is reported with the challenge`() async throws {
        let explanation = try await explain(signedInAgo: 301) { $0.recentSignIn = .seconds(300) }
        let refusal = try #require(explanation.refusal)
        #expect(refusal.code == .requiresRecentLogin && explanation.failures == ["recent sign-in"])
        #expect(
            refusal.fields
                == ["WWW-Authenticate: Bearer error=\"insufficient_user_authentication\", max_age=\"300\""])
    }

    @Test func `a recorded sign-in replaces the time of the token`() async throws {
        let proof = SessionRecord(signedInAt: UnixTime(clamping: Given.now - 10))
        let explanation = try await explain(records: .recorded(.init(), proof)) { $0.recentSignIn = .seconds(300) }
        #expect(explanation.forwarded?.identity.last == "X-Auth-Time: \(Given.now - 10)")
    }
}
