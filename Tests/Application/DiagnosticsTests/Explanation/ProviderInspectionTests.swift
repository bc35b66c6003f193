import Gatehouse
import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import Diagnostics
@testable import GatewayFixtures

/// `token inspect` of providers' own ID tokens.
@Suite struct ProviderInspectionTests {
    private static let clock = GatewayClock(now: { ManualClock.start }, monotonic: { 1_000_000_000 })

    private func inspector(
        _ providers: [Configuration.Provider], firebase: Bool = false, keys: KeyEvidenceSource? = nil
    ) throws -> TokenInspector {
        var configuration = Given.configuration([Given.route("/**")])
        if !firebase { configuration.identity.firebase = nil }
        configuration.identity.providers = providers
        return TokenInspector(try Snapshot(configuration), keys: try keys ?? Self.keys(), clock: Self.clock)
    }

    private static func keys() throws -> KeyEvidenceSource {
        let sets = try ProviderSample.allCases.map { sample in
            (KeySetSource(sample.keys), try FetchedKeySet(sample.keySet, maxAge: 60))
        }
        return KeyEvidenceSource { source in
            guard let set = sets.first(where: { $0.0 == source })?.1 else {
                return .failed(KeyFetchError(.unreachable), of: source)
            }
            return .fetched(set, of: source)
        }
    }

    @Test(arguments: ProviderSample.allCases, [false, true])
    func `a good token passes every check`(sample: ProviderSample, firebase: Bool) async throws {
        let inspection = try await inspector([sample.provider()], firebase: firebase).inspect(sample.signed())
        #expect(inspection.isValid)
        #expect(inspection.steps.allSatisfy { $0.mark == .passed || $0.mark == .note })
        #expect(inspection.steps.contains(ExplanationStep(.passed, "kind", "an ID token of \(sample.id)")))
        #expect(inspection.steps.contains(ExplanationStep(.note, "uid", ShownText.quoted(sample.uid))))
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        let sample: ProviderSample
        let step: String
        var code = DecisionCode.invalidIDToken
        let change: @Sendable (TokenDraft) -> TokenDraft
        var testDescription: String { "\(sample): \(step)" }
    }

    static let flaws =
        [
            Flaw(sample: .google, step: "hd") { $0.with("hd", nil) },
            Flaw(sample: .microsoft, step: "tid") { $0.with("tid", "\"common\"").with("iss", "\"\(commonIssuer)\"") },
            Flaw(sample: .microsoft, step: "ver") { $0.with("ver", "\"1.0\"") },
            Flaw(sample: .microsoft, step: "oid") { $0.with("oid", nil) },
            Flaw(sample: .microsoft, step: "kind") { $0.with("scp", "\"User.Read\"") },
            Flaw(sample: .oidc, step: "azp") { $0.with("aud", #"["client-1","x"]"#) },
        ]
        + ProviderSample.allCases.flatMap { sample in
            [
                Flaw(sample: sample, step: "kind", code: .argumentError) {
                    $0.with("aud", "\"\(FirebaseVerifier.customTokenAudience)\"")
                },
                Flaw(sample: sample, step: "kind") { $0.with("events", "{}") },
                Flaw(sample: sample, step: "kid") { $0.withHeader("kid", nil) },
                Flaw(sample: sample, step: "key") { $0.withHeader("kid", "\"another\"") },
                Flaw(sample: sample, step: "alg") { $0.withHeader("alg", "\"ES384\"") },
                Flaw(sample: sample, step: "typ") { $0.withHeader("typ", "\"at+jwt\"") },
                Flaw(sample: sample, step: "iss") { $0.with("iss", "\"\(sample.issuer)/\"") },
                Flaw(sample: sample, step: "aud") { $0.with("aud", "\"x\"") },
                Flaw(sample: sample, step: "azp") { $0.with("azp", "\"x\"") },
                Flaw(sample: sample, step: sample.subjectClaim) { $0.with(sample.subjectClaim, "7") },
                Flaw(sample: sample, step: "exp", code: .idTokenExpired) { $0.with("exp", "1") },
                Flaw(sample: sample, step: "iat") { $0.with("iat", nil) },
                Flaw(sample: sample, step: "nbf") { $0.with("nbf", "null") },
                Flaw(sample: sample, step: "auth_time") { $0.with("auth_time", "-1") },
            ]
        }
    private static let commonIssuer = ProviderSample.issuer(of: "common")

    @Test(arguments: flaws)
    func `a flaw fails its own check with the code of the request path`(flaw: Flaw) async throws {
        let provider = flaw.sample.provider { if flaw.step == "hd" { $0.hostedDomain = "corp.example" } }
        let inspection = try await inspector([provider]).inspect(flaw.sample.signed(flaw.change))
        #expect(inspection.code == flaw.code)
        let failed = inspection.steps.failures
        // The issuer contains the tenant.
        #expect(flaw.step == "tid" ? failed == ["iss", "tid"] : failed.first == flaw.step)
    }

    @Test(arguments: ProviderSample.allCases)
    func `a forged token fails at its signature alone`(sample: ProviderSample) async throws {
        let forged = sample.key.algorithm == .rs256 ? TokenDraft.forgedKey : TokenDraft.makeKey("key-1", .es256)
        let inspection = try await inspector([sample.provider()]).inspect(sample.draft.signed(by: forged))
        #expect(inspection.code == .invalidIDToken)
        #expect(inspection.steps.failures == ["signature"])
    }

    @Test func `a key of another issuer is reported`() async throws {
        let other = TokenDraft.keySet([TokenDraft.key], issuer: ProviderSample.issuer(of: "common"))
        let set = try FetchedKeySet(other, maxAge: 60)
        let inspection = try await inspector(
            [ProviderSample.microsoft.provider()], keys: KeyEvidenceSource { .fetched(set, of: $0) }
        ).inspect(ProviderSample.microsoft.signed())
        #expect(inspection.steps.failures.first == "key issuer")
        #expect(inspection.code == .invalidIDToken)
    }

    @Test func `a wrong discovery document is reported at the key`() async throws {
        let keys = KeyEvidenceSource { .failed(KeyFetchError(.issuerMismatch, "the document's is x"), of: $0) }
        let inspection = try await inspector([ProviderSample.oidc.provider()], keys: keys)
            .inspect(ProviderSample.oidc.signed())
        #expect(inspection.code == .keysUnavailable)
        #expect(inspection.steps["key"]?.detail.contains("belongs to another issuer") == true)
    }

    @Test func `a token without a verifier is reported`() async throws {
        let token = TokenDraft.idToken().signed()
        let some = try await inspector([ProviderSample.apple.provider()]).inspect(token)
        #expect(some.code == .invalidIDToken)
        #expect(some.payload != nil)
        #expect(some.steps.failures == ["iss"])
        let none = try await inspector([]).inspect(token)
        #expect(none.steps.failures == ["verifier"])
        let custom = TokenDraft.idToken().with("aud", "\"\(FirebaseVerifier.customTokenAudience)\"").signed()
        #expect(try await inspector([]).inspect(custom).code == .argumentError)
    }

    @Test func `an explanation covers tokens of providers`() async throws {
        var configuration = Given.configuration([Given.route("/**")])
        configuration.identity.firebase = nil
        configuration.identity.providers = [ProviderSample.apple.provider()]
        let explainer = try Explainer(
            configuration, keys: try Self.keys(), records: RecordSource { _, _ in .nothingRecorded }, clock: Self.clock)
        let request = ExplainedRequest(method: "GET", url: "/x", token: ProviderSample.apple.signed())
        let explanation = try await explainer.explain(request)
        #expect(explanation.code == .ok)
        #expect(explanation.step("kind")?.detail == "an ID token of apple.com")
    }
}
