import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import Diagnostics

@Suite struct AuthorizationTranscriptTests {
    /// The account of ada's request, signed in `age` seconds ago.
    private func explain(
        signedInAgo age: Int64 = 600, as user: DevelopmentUser = .ada, records: RecordEvidence = .nothingRecorded,
        _ change: @escaping (inout Configuration.Route) -> Void = { _ in }
    ) async throws -> Explanation {
        let explainer = try Given.explainer(Given.configuration([Given.route("/a", change)]), records: records)
        let token = try Given.idToken(user) { $0.signedIn(at: Given.now - age) }
        return try await explainer.explain(ExplainedRequest(method: "GET", url: "/a", token: token))
    }

    // MARK: - Revocation

    @Test func aRevokedSignInFailsAtRevocation() async throws {
        let explanation = try await explain(
            records: .recorded(UserRecord(validSince: UnixTime(clamping: Given.now - 599))))
        #expect(explanation.code == .idTokenRevoked && explanation.failures == ["revocation"])
        #expect(
            explanation.step("revocation")?.detail.contains("only sign-ins since 2027-01-15T07:50:01Z count") == true)
    }

    @Test func aRevokedSessionIsToldSo() async throws {
        let explanation = try await explain(records: .recorded(.init(), SessionRecord(revoked: true)))
        #expect(explanation.code == .idTokenRevoked)
        #expect(explanation.step("revocation")?.detail.hasPrefix("this session was revoked") == true)
    }

    @Test func aRouteThatDoesNotAskIsANote() async throws {
        let explanation = try await explain(records: .recorded(UserRecord(disabled: true))) { $0.revocation = .off }
        #expect(explanation.code == .ok)
        #expect(explanation.step("revocation")?.mark == .note)
    }

    @Test(arguments: [(Configuration.StoreFailurePolicy.deny, DecisionCode.storeUnavailable), (.allow, .ok)])
    func anInvalidRecordIsTheRoutesToDecide(policy: Configuration.StoreFailurePolicy, code: DecisionCode) async throws {
        let faulty = RecordEvidence.known(user: .faulty, session: .none, source: "test")
        #expect(try await explain(records: faulty) { $0.onStoreFailure = policy }.code == code)
    }

    @Test func withoutRecordsAPassIsNotDetermined() async throws {
        let explanation = try await explain(records: .unknown("nobody answers"))
        #expect(explanation.code == nil)
        #expect(explanation.step("revocation") == ExplanationStep(.unknown, "revocation", "nobody answers"))
    }

    @Test func withoutRecordsARefusalForAnotherReasonIs() async throws {
        let explanation = try await explain(records: .unknown("nobody answers")) { $0.providers = ["apple.com"] }
        #expect(explanation.code == .permissionDenied)
    }

    // MARK: - Sign-in

    @Test func aProviderThatMayNotPassIsNamed() async throws {
        let explanation = try await explain { $0.providers = ["apple.com"] }
        #expect(explanation.code == .permissionDenied && explanation.failures == ["providers"])
        #expect(try await explain { $0.providers = ["google.com"] }.code == .ok)
    }

    @Test func anOldSignInIsToldWithTheChallenge() async throws {
        let explanation = try await explain(signedInAgo: 301) { $0.recentSignIn = .seconds(300) }
        guard case .refused(let refusal) = explanation.verdict else { return #expect(Bool(false)) }
        #expect(refusal.code == .requiresRecentLogin && explanation.failures == ["recent sign-in"])
        #expect(
            refusal.fields
                == ["WWW-Authenticate: Bearer error=\"insufficient_user_authentication\", max_age=\"300\""])
    }

    @Test func aRecordedSignInMakesUpForTheTokens() async throws {
        let proof = SessionRecord(signedInAt: UnixTime(clamping: Given.now - 10))
        let explanation = try await explain(records: .recorded(.init(), proof)) { $0.recentSignIn = .seconds(300) }
        guard case .passes(let forwarded) = explanation.verdict else { return #expect(Bool(false)) }
        #expect(forwarded.identity.last == "X-Auth-Time: \(Given.now - 10)")
    }

    @Test func withoutRecordsAnOldSignInIsNotDetermined() async throws {
        let explanation = try await explain(records: .unknown("nobody answers")) { $0.recentSignIn = .seconds(300) }
        #expect(explanation.code == nil)
    }

    @Test func aFreshSignInNeedsNoRecordsWhereRevocationIsNotAsked() async throws {
        let explanation = try await explain(signedInAgo: 10, records: .unknown("nobody answers")) {
            $0.recentSignIn = .seconds(300)
            $0.revocation = .off
        }
        #expect(explanation.code == .ok)
    }

    @Test func aMissingSecondFactorIsRefused() async throws {
        #expect(try await explain { $0.secondFactor = true }.code == .secondFactorRequired)
    }
}
