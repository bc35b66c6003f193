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

    @Test(arguments: [#"["client-1","x"]"#, #"["x","client-1"]"#])
    func `several audiences require azp`(audience: String) throws {
        #expect(try reason(audience) == .authorizedPartyMissing)
        #expect(try reason(audience, azp: "\"client-1\"") == nil)
        #expect(try reason(audience, azp: "\"x\"") == .authorizedParty)
    }

    @Test(arguments: [#"["x"]"#, "[]", #"["client-1",7]"#, #"[["client-1"]]"#, #"["client-1",null]"#, #"[""]"#])
    func `E-01: a list without the client or with a non-string element is rejected`(audience: String) throws {
        #expect(try reason(audience, azp: "\"client-1\"") == .audience)
    }

    @Test(arguments: [
        ("scope", #""openid profile""#), ("scope", "null"), ("scp", #"["read"]"#), ("token_use", #""access""#),
        ("token_use", "7"), ("typ", #""Bearer""#), ("typ", #""DPoP""#), ("typ", #""Refresh""#), ("typ", #""Offline""#),
        ("typ", #""Logout""#),
    ])
    func `E-12: an access token is recognized by its claims`(claim: String, value: String) throws {
        #expect(try ProviderRig([sample]).reason(sample.signed { $0.with(claim, value) }) == .accessToken)
    }

    @Test(arguments: [("token_use", #""id""#), ("typ", #""ID""#), ("typ", #""JWT""#), ("client_id", #""client-1""#)])
    func `claims of an ID token are accepted`(claim: String, value: String) throws {
        #expect(try ProviderRig([sample]).reason(sample.signed { $0.with(claim, value) }) == nil)
    }

    /// Without a list, only RS256 is accepted.
    @Test(
        arguments: [
            (true, [.es256], nil, nil), (true, [.rs256], nil, .providerAlgorithm), (true, nil, nil, .providerAlgorithm),
            (true, [.rs256], [.es256], nil), (false, [.es256], nil, .providerAlgorithm),
            (false, [], nil, .providerAlgorithm), (false, nil, nil, nil),
            (false, [.rs256], [.es256], .providerAlgorithm),
        ] as [(Bool, Set<Algorithm>?, Set<Algorithm>?, VerificationFailure.Reason?)])
    func `the algorithms of the discovery document apply unless the configuration has a list`(
        isElliptic: Bool, listed: Set<Algorithm>?, configured: Set<Algorithm>?, reason: VerificationFailure.Reason?
    ) throws {
        let key = isElliptic ? ProviderSample.elliptic : TokenDraft.key
        let rig = try ProviderRig([sample.provider { if let configured { $0.algorithms = configured } }])
        rig.install(TokenDraft.keySet([key]), of: KeySetSource(sample.keys), algorithms: listed)
        let token = sample.draft.withHeader("alg", "\"\(key.algorithm.rawValue)\"").signed(by: key)
        #expect(rig.reason(token) == reason)
    }

    @Test func `a token waits for the list of algorithms`() throws {
        let rig = try ProviderRig([sample], loaded: false)
        let token = sample.draft.withHeader("alg", "\"ES256\"").signed(by: ProviderSample.elliptic)
        guard case .awaitKeys(set: 0, completedFetches: 0) = rig.outcome(token) else {
            Issue.record("decided without the list")
            return
        }
        #expect(rig.reason(sample.signed { $0.withHeader("alg", "\"HS256\"") }) == .providerAlgorithm)
    }

    @Test func `E-17: one subject at two providers is two users`() throws {
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
