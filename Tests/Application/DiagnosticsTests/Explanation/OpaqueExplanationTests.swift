import GatewayConfiguration
import GatewayCore
import Revocation
import Synchronization
import Testing

@testable import Diagnostics
@testable import GatewayFixtures

/// `explain` of requests with opaque tokens, and of scopes.
@Suite struct OpaqueExplanationTests {
    private func explain(
        _ answer: String? = activeAnswer(#""scope":"read write""#), providers: [String] = ["oauth.legacy"],
        records: RecordEvidence = .nothingRecorded, _ change: (inout Configuration.Route) -> Void = { _ in }
    ) async throws -> Explanation {
        var configuration = Given.configuration([Given.route("/a", change)])
        configuration.identity.providers = providers.map { Configuration.Provider.opaque($0) }
        let explainer = try Given.explainer(
            configuration, records: records,
            opaqueTokens: answer.map { Given.opaqueTokens(.answering(200, $0)) } ?? .none)
        return try await explainer.explain(ExplainedRequest(method: "GET", url: "/a", token: "opaque-token"))
    }

    @Test func `a valid token passes without a sign-in time`() async throws {
        let explanation = try await explain()
        let forwarded = try #require(explanation.forwarded)
        #expect(forwarded.identity.contains { $0.hasPrefix("X-Auth-Uid: oauth.legacy") })
        #expect(!forwarded.identity.contains { $0.hasPrefix("X-Auth-Time") })
        #expect(explanation.step("revocation")?.mark == .passed)
    }

    @Test(arguments: [nil, "["])
    func `without a response the outcome is undetermined`(answer: String?) async throws {
        let explanation = try await explain(answer)
        #expect(explanation.code == nil)
        #expect(explanation.step("answer")?.mark == .unknown)
    }

    @Test func `the route selects one of several providers`() async throws {
        let both = ["oauth.legacy", "oauth.other"]
        let unclear = try await explain(providers: both)
        #expect(unclear.code == .argumentError && unclear.failures == ["provider"])
        let named = try await explain(providers: both) { $0.providers = ["oauth.other"] }
        #expect(named.code == .ok)
        #expect(named.step("provider")?.detail == "oauth.other, the route names it")
        #expect(try await explain(providers: []).failures == ["provider"])
    }

    @Test(arguments: [
        ([String](), DecisionCode.ok, ExplanationStep.Mark.note), (["write"], .ok, .passed),
        (["read", "admin"], .insufficientScope, .failed),
    ])
    func `scopes have a step`(scopes: [String], code: DecisionCode, mark: ExplanationStep.Mark) async throws {
        let explanation = try await explain { $0.scopes = scopes }
        #expect(explanation.code == code)
        #expect(explanation.step("scopes")?.mark == mark)
    }

    @Test func `missing scopes are reported with the challenge`() async throws {
        let explanation = try await explain { $0.scopes = ["admin"] }
        #expect(explanation.step("scopes")?.detail == #"the token has "read", "write", but the route requires admin"#)
        #expect(explanation.refusal?.fields.joined().contains(#"scope="admin""#) == true)
    }

    @Test(arguments: [
        RecordEvidence.nothingRecorded,
        .recorded(.init(), SessionRecord(signedInAt: UnixTime(clamping: Given.now))),
        .unknown("nobody answers"),
    ])
    func `a token without a sign-in time is never recent, whatever the records`(records: RecordEvidence) async throws {
        let explanation = try await explain(records: records) {
            $0.recentSignIn = .seconds(300)
            $0.revocation = .off
        }
        #expect(explanation.code == .requiresRecentLogin)
        #expect(explanation.step("recent sign-in")?.detail.contains("never recent") == true)
    }

    @Test func `no session is looked up for a token without one`() async throws {
        var configuration = Given.configuration([Given.route("/a")])
        configuration.identity.providers = [.opaque()]
        let looks = Mutex<[String]>([])
        let explainer = try Explainer(
            configuration, keys: try Given.keys(),
            records: RecordSource { user, session in
                looks.withLock { $0.append("\(user.name) \(session ?? "-")") }
                return .nothingRecorded
            }, opaqueTokens: Given.opaqueTokens(.answering(200, activeAnswer())), clock: Given.clock)
        _ = try await explainer.explain(ExplainedRequest(method: "GET", url: "/a", token: "opaque-token"))
        #expect(looks.withLock { $0 } == ["oauth.legacy:alice -"])
    }
}
