import GatewayConfiguration
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct OIDCRulesTests {
    private let sample = ProviderSample.oidc

    private func reason(_ audience: String, azp: String? = nil) throws -> VerificationFailure.Reason? {
        let token = sample.signed { $0.with("aud", audience).with("azp", azp) }
        return try ProviderRig([sample]).reason(token)
    }

    @Test("an audience among others needs azp", arguments: [#"["client-1","x"]"#, #"["x","client-1"]"#])
    func severalAudiences(audience: String) throws {
        #expect(try reason(audience) == .authorizedPartyMissing)
        #expect(try reason(audience, azp: "\"client-1\"") == nil)
        #expect(try reason(audience, azp: "\"x\"") == .authorizedParty)
    }

    @Test(
        "E-01: a list without us, or with what is no text",
        arguments: [#"["x"]"#, "[]", #"["client-1",7]"#, #"[["client-1"]]"#, #"["client-1",null]"#, #"[""]"#])
    func badLists(audience: String) throws {
        #expect(try reason(audience, azp: "\"client-1\"") == .audience)
    }

    @Test(
        "E-12: an access token is told by its claims too",
        arguments: [
            ("scope", #""openid profile""#), ("scope", "null"), ("scp", #"["read"]"#), ("token_use", #""access""#),
            ("token_use", "7"), ("typ", #""Bearer""#), ("typ", #""DPoP""#), ("typ", #""Refresh""#),
            ("typ", #""Offline""#),
            ("typ", #""Logout""#),
        ])
    func e12AccessTokens(claim: String, value: String) throws {
        #expect(try ProviderRig([sample]).reason(sample.signed { $0.with(claim, value) }) == .accessToken)
    }

    @Test(arguments: [("token_use", #""id""#), ("typ", #""ID""#), ("typ", #""JWT""#), ("client_id", #""client-1""#)])
    func anIDTokenMaySayThatItIsOne(claim: String, value: String) throws {
        #expect(try ProviderRig([sample]).reason(sample.signed { $0.with(claim, value) }) == nil)
    }

    private func reason(
        _ key: SigningKey, listed: Set<Algorithm>?, _ change: (inout Configuration.Provider.IDTokens) -> Void = { _ in }
    ) throws -> VerificationFailure.Reason? {
        let rig = try ProviderRig([sample.provider(change)])
        rig.install(TokenDraft.keySet([key]), of: KeySetSource(sample.keys), algorithms: listed)
        let token = sample.draft.withHeader("alg", "\"\(key.algorithm.rawValue)\"").signed(by: key)
        return rig.reason(token)
    }

    @Test func whatDiscoveryListsMaySign() throws {
        #expect(try reason(ProviderSample.elliptic, listed: [.es256]) == nil)
        #expect(try reason(ProviderSample.elliptic, listed: [.rs256]) == .providerAlgorithm)
        #expect(try reason(TokenDraft.key, listed: [.es256]) == .providerAlgorithm)
        #expect(try reason(TokenDraft.key, listed: []) == .providerAlgorithm)
    }

    @Test func withoutAListItIsRS256() throws {
        #expect(try reason(TokenDraft.key, listed: nil) == nil)
        #expect(try reason(ProviderSample.elliptic, listed: nil) == .providerAlgorithm)
    }

    @Test func theConfigurationOverridesTheList() throws {
        #expect(try reason(ProviderSample.elliptic, listed: [.rs256]) { $0.algorithms = [.es256] } == nil)
        #expect(try reason(TokenDraft.key, listed: [.rs256]) { $0.algorithms = [.es256] } == .providerAlgorithm)
    }

    @Test func beforeTheListIsKnownATokenWaitsForIt() throws {
        let rig = try ProviderRig([sample], loaded: false)
        let token = sample.draft.withHeader("alg", "\"ES256\"").signed(by: ProviderSample.elliptic)
        guard case .awaitKeys(set: 0, completedFetches: 0) = rig.outcome(token) else {
            Issue.record("judged without the list")
            return
        }
        #expect(rig.reason(sample.signed { $0.withHeader("alg", "\"HS256\"") }) == .providerAlgorithm)
    }

    @Test("E-17: one subject at two providers is two users")
    func twoProviders() throws {
        var other = sample.provider {
            $0.issuers = ["https://id.other.example"]
            $0.keys = .url("https://keys.example/other")
        }
        other.id = "oidc.other"
        let rig = try ProviderRig([sample.provider(), other])
        let second = sample.signed { $0.with("iss", "\"https://id.other.example\"") }
        #expect(rig.principal(sample.signed())?.uid == "oidc.corp:user-1")
        #expect(rig.principal(second)?.uid == "oidc.other:user-1")
    }
}
