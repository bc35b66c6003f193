import GatewayConfiguration
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

/// Several issuers in one gateway.
@Suite struct VerifierTableTests {
    private static let firebase = Configuration.Firebase(project: TokenDraft.project)

    @Test func `each token is verified by the verifier of its issuer`() throws {
        let rig = try ProviderRig(ProviderSample.allCases, firebase: Self.firebase)
        for sample in ProviderSample.allCases { #expect(rig.principal(sample.signed())?.uid == sample.uid) }
        #expect(rig.principal(TokenDraft.idToken().signed())?.uid == "user-1")
        guard case .verified(let entry) = rig.outcome(TokenDraft.sessionCookie().signed(), .sessionCookie) else {
            Issue.record("a session cookie is not accepted")
            return
        }
        #expect(entry.principal.kind == .sessionCookie)
    }

    @Test func `a cached token is not verified again`() throws {
        let rig = try ProviderRig(ProviderSample.allCases, firebase: Self.firebase)
        let tokens = ProviderSample.allCases.map { $0.signed() }
        for token in tokens { _ = rig.outcome(token) }
        #expect(rig.hits == 0)
        for token in tokens { #expect(rig.principal(token) != nil) }
        #expect(rig.hits == UInt64(tokens.count))
    }

    @Test func `G-14: a token cached for the header is not accepted in the cookie`() throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase)
        let token = ProviderSample.apple.signed()
        #expect(rig.principal(token) != nil)
        #expect(rig.refusal(token, .sessionCookie)?.reason == .issuer)
        #expect(rig.hits == 0)
    }

    @Test func `with Firebase its verifier handles unknown issuers`() throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase)
        #expect(rig.reason(TokenDraft.idToken().with("iss", "\"https://id.evil.example\"").signed()) == .issuer)
        // Firebase's verifier checks the algorithm before the issuer.
        let draft = TokenDraft.idToken().with("iss", "\"https://id.evil.example\"").withHeader("alg", "\"ES256\"")
        #expect(rig.reason(draft.signed()) == .algorithm)
        #expect(rig.reason(TokenDraft.idToken().with("iss", nil).signed()) == .issuer)
    }

    @Test func `without Firebase its tokens are rejected`() throws {
        let rig = try ProviderRig([.apple])
        #expect(rig.refusal(TokenDraft.idToken().signed())?.code == .invalidIDToken)
        #expect(rig.refusal(TokenDraft.sessionCookie().signed(), .sessionCookie)?.code == .invalidSessionCookie)
    }

    @Test(arguments: ["apple.com:user-1", "apple.com:"])
    func `a user of Firebase may not have the uid of a provider's user`(uid: String) throws {
        let rig = try ProviderRig([.apple], firebase: Self.firebase)
        let draft = TokenDraft.idToken().with("sub", "\"\(uid)\"").with("user_id", "\"\(uid)\"")
        #expect(rig.refusal(draft.signed()) == VerificationFailure(code: .invalidIDToken, reason: .reservedUserID))
        #expect(try ProviderRig([.google], firebase: Self.firebase).principal(draft.signed())?.uid == uid)
    }

    @Test func `a provider without ID tokens reserves its uids, too`() throws {
        let github = Configuration.Provider(
            id: "github.com", kind: .github, location: SourceLocation(origin: "a test"))
        let rig = try ProviderRig([github], firebase: Self.firebase)
        let draft = TokenDraft.idToken().with("sub", "\"github.com:1\"").with("user_id", nil)
        #expect(rig.reason(draft.signed()) == .reservedUserID)
        #expect(rig.sources == [.url(Configuration.Firebase.defaultKeysURL), .url(Self.firebase.sessionKeysURL)])
    }

    @Test func `a gateway for the emulator verifies the tokens of providers`() throws {
        var emulator = Self.firebase
        emulator.insecureEmulator = true
        let rig = try ProviderRig([.apple], firebase: emulator)
        #expect(rig.sources == [KeySetSource(ProviderSample.apple.keys)])
        #expect(rig.principal(ProviderSample.apple.signed()) != nil)
        let unsigned = ProviderSample.apple.draft.withHeader("alg", "\"none\"").unsigned
        #expect(rig.reason(unsigned) == .providerAlgorithm)
    }

    @Test func `issuers, audiences and parties are compared by their bytes`() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let provider = ProviderSample.oidc.provider {
            $0.issuers = ["https://\(composed).example"]
            $0.audiences = [composed]
        }
        let rig = try ProviderRig([provider])
        func reason(issuer: String, audience: String, party: String) -> VerificationFailure.Reason? {
            rig.reason(
                ProviderSample.oidc.signed {
                    $0.with("iss", "\"https://\(issuer).example\"").with("aud", "\"\(audience)\"")
                        .with("azp", "\"\(party)\"")
                })
        }
        #expect(reason(issuer: composed, audience: composed, party: composed) == nil)
        #expect(reason(issuer: decomposed, audience: composed, party: composed) == .issuer)
        #expect(reason(issuer: composed, audience: decomposed, party: composed) == .audience)
        #expect(reason(issuer: composed, audience: composed, party: decomposed) == .authorizedParty)
    }

    // MARK: - Keys of several issuers

    private static func other(_ change: (inout Configuration.Provider.IDTokens) -> Void) -> Configuration.Provider {
        var provider = ProviderSample.oidc.provider {
            $0.issuers = ["https://id.other.example"]
            change(&$0)
        }
        provider.id = "oidc.other"
        return provider
    }

    @Test func `F-12: one kid at two issuers is two keys`() throws {
        let otherKey = TokenDraft.forgedKey
        let provider = Self.other { $0.keys = .url("https://keys.example/other") }
        let rig = try ProviderRig(
            [ProviderSample.oidc.provider(), provider],
            keys: [.url("https://keys.example/other"): TokenDraft.keySet([otherKey])])
        let draft = ProviderSample.oidc.draft
        let otherDraft = draft.with("iss", "\"https://id.other.example\"")
        #expect(rig.principal(draft.signed()) != nil)
        #expect(rig.principal(otherDraft.signed(by: otherKey)) != nil)
        #expect(rig.reason(draft.signed(by: otherKey)) == .signature)
        #expect(rig.reason(otherDraft.signed()) == .signature)
    }

    @Test func `F-13: two providers of one key set keep their own algorithms`() throws {
        let keys = Configuration.Provider.Keys.url("https://keys.example/shared")
        let first = ProviderSample.oidc.provider {
            $0.keys = keys
            $0.algorithms = [.rs256]
        }
        let second = Self.other {
            $0.keys = keys
            $0.algorithms = [.es256]
        }
        let rig = try ProviderRig([first, second])
        #expect(rig.sources == [.url("https://keys.example/shared")])
        let draft = ProviderSample.oidc.draft
        for _ in 0..<2 {
            #expect(rig.principal(draft.signed()) != nil)
            #expect(rig.reason(draft.with("iss", "\"https://id.other.example\"").signed()) == .providerAlgorithm)
        }
    }

    @Test func `F-13: a removed algorithm is rejected for cached tokens, too`() throws {
        let source = KeySetSource(ProviderSample.oidc.keys)
        let rig = try ProviderRig([.oidc])
        let token = ProviderSample.oidc.signed()
        #expect(rig.principal(token) != nil)
        rig.install(ProviderSample.oidc.keySet, of: source, algorithms: [.es256], generation: 2)
        #expect(rig.reason(token) == .providerAlgorithm)
    }

    @Test func `F-11: the removed key of a provider ends its cached tokens`() throws {
        let rig = try ProviderRig([.apple, .google])
        let (apple, google) = (ProviderSample.apple.signed(), ProviderSample.google.signed())
        _ = (rig.outcome(apple), rig.outcome(google))
        rig.install(
            TokenDraft.keySet([TokenDraft.secondKey]), of: KeySetSource(ProviderSample.apple.keys), generation: 2)
        #expect(rig.reason(apple) == .unknownKey)
        #expect(rig.principal(google) != nil)
    }

    @Test(arguments: [
        "http://169.254.169.254/latest", "file:///etc/passwd",
        "https://login.microsoftonline.com@evil.example/v2.0",
        "https://login.microsoftonline.com/../v2.0", "https://login.microsoftonline.com/{tenantid}/v2.0",
        "https://id.corp.example@evil.example", "https://id.corp.example/..",
        "https://id.corp.example.evil.example",
    ])
    func `F-14: no key set is fetched for a URL in a token`(issuer: String) throws {
        let rig = try ProviderRig([.microsoft, .oidc], loaded: false)
        for tenant in ["..", "169.254.169.254", "evil.example#"] {
            let token = ProviderSample.microsoft.signed {
                $0.with("iss", "\"\(issuer)\"").with("tid", "\"\(tenant)\"").withHeader("jku", "\"\(issuer)\"")
            }
            #expect(rig.refusal(token)?.code == .invalidIDToken)
        }
    }
}
