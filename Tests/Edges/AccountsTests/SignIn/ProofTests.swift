import DevelopmentIdentity
import JOSE
import RequestPipeline
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayCore
@testable import GatewayFixtures

@Suite(.timeLimit(.minutes(5))) struct ProofTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    /// The flaw of a credential.
    enum Flaw: String, CaseIterable, Sendable {
        case garbage, expired, future, otherAudience, otherIssuer, otherKey, badSignature, unsigned, anotherProviders
        case microsoftV1, microsoftV2, apiToken, firebases, ourOwnCookie, outlivesMemory

        func token(_ rig: AccountsRig) throws -> (provider: String, token: String) {
            let good = ProviderToken.idToken(of: .google, for: .ada, now: rig.now)
            let signed = try good.signed(by: TokenDraft.key)
            let text: String
            switch self {
            case .garbage: text = "not.a.token"
            case .expired: text = try good.expiring(at: rig.now).signed(by: TokenDraft.key)
            case .future: text = try good.issued(at: rig.now + 6).signed(by: TokenDraft.key)
            case .otherAudience: text = try good.setting("aud", to: "another").signed(by: TokenDraft.key)
            case .otherIssuer: text = try good.setting("iss", to: "https://evil.example").signed(by: TokenDraft.key)
            case .otherKey: text = try good.signed(by: TokenDraft.makeKey("key-9"))
            case .badSignature: text = try good.signed(by: TokenDraft.forgedKey)
            case .unsigned: text = good.unsigned()
            case .anotherProviders: return ("apple.com", signed)
            case .microsoftV1:
                let token = ProviderToken.microsoftAccessTokenV1(for: .barbara, now: rig.now)
                return ("microsoft.com", try token.signed(by: TokenDraft.key))
            case .microsoftV2:
                let token = ProviderToken.microsoftAccessTokenV2(for: .barbara, now: rig.now)
                return ("microsoft.com", try token.signed(by: TokenDraft.key))
            case .apiToken:
                text = try ProviderToken.accessToken(of: .google, for: .ada, now: rig.now).signed(by: TokenDraft.key)
            case .firebases: text = try FirebaseToken.idToken(for: .ada, now: rig.now).signed(by: TokenDraft.key)
            case .ourOwnCookie: text = SessionDraft.signed()
            case .outlivesMemory: text = try good.expiring(at: rig.now + 2_592_001).signed(by: TokenDraft.key)
            }
            return ("google.com", text)
        }
    }

    @Test(arguments: Flaw.allCases)
    func `every invalid token has the same response, with the reason in the log`(flaw: Flaw) async throws {
        let (provider, token) = try flaw.token(rig)
        let answer = await rig.call(.signIn, ["provider": .string(provider), "id_token": .string(token)])
        #expect(answer.code == "auth/invalid-credential" && answer.denial?.detail == nil)
        #expect(answer.text == "{}")
        #expect(rig.log.text.contains("auth/invalid-credential"))
        #expect(!rig.log.text.contains(token), "L-01")
    }

    @Test(arguments: [
        ("unknown.example", "id_token"), ("github.com", "id_token"), ("microsoft.com", "access_token"),
        ("apple.com", "access_token"), ("google.com ", "id_token"),
    ])
    func `an unknown provider or kind of token is not allowed`(provider: String, member: String) async throws {
        let token = try rig.idToken(.google, .ada)
        let answer = await rig.call(.signIn, ["provider": .string(provider), (member): .string(token)])
        #expect(answer.code == "auth/operation-not-allowed")
    }

    @Test func `unavailable keys or an unavailable provider are an outage`() async throws {
        let (body, opaque) = (try await rig.proof(.google, .ada), rig.gitHub())
        rig.keys.fail(retryAfter: 17)
        rig.opaque.fail()
        let keys = await rig.call(.signIn, body)
        #expect(keys.code == "auth/keys-unavailable" && keys.denial?.retryAfter == 17)
        let provider = await rig.call(.signIn, opaque)
        #expect(provider.code == "auth/introspection-unavailable" && provider.denial?.retryAfter == 1)
    }

    @Test func `an opaque token that the provider does not know is rejected`() async throws {
        let answer = await rig.call(.signIn, ["provider": "github.com", "access_token": "gho_unknown"])
        #expect(answer.code == "auth/invalid-credential")
    }

    @Test func `a failure of the store is 503`() async throws {
        let body = try await rig.proof(.google, .ada)
        try await rig.store.close()
        #expect(await rig.code(.signIn, body) == "auth/store-unavailable")
        #expect(await rig.code(.nonce) == "auth/store-unavailable")
    }

    @Test func `missing session keys are an outage`() async throws {
        let rig = try await AccountsRig(keysAreKnown: false)
        let body = try await rig.proof(.google, .ada)
        #expect(await rig.code(.signIn, body) == "auth/store-unavailable")
        rig.authority.set(try SessionDraft.keys())
        #expect(await rig.code(.signIn, body) == "ok", "the proof remains unused")
    }

    @Test func `E-20: a proof is accepted once, by any call`() async throws {
        let caller = try await rig.session()
        let token = try rig.idToken(.oidc("corp"), .ada)
        let body: JSONObject = ["provider": "oidc.corp", "id_token": .string(token)]
        #expect(await rig.code(.link, body, by: caller) == "ok")
        for endpoint in [AccountEndpoint.link, .signIn, .reauthenticate] {
            #expect(await rig.code(endpoint, body, by: caller) == "auth/missing-or-invalid-nonce")
        }
        #expect(rig.log.text.contains("duplicate"))
    }

    @Test func `an access token with another valid signature is the same proof`() async throws {
        let gitHub = rig.gitHub()
        #expect(await rig.code(.signIn, gitHub) == "ok")
        #expect(await rig.code(.signIn, gitHub) == "auth/missing-or-invalid-nonce", "the same token")
        let texts = [
            "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJyb2JvdCJ9.b25l", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJyb2JvdCJ9.dHdv",
        ]
        for (text, code) in zip(texts, ["ok", "auth/missing-or-invalid-nonce"]) {
            rig.opaque.add(.introspected(for: .robot, text: text, now: rig.now))
            let body: JSONObject = ["provider": "oauth.legacy", "access_token": .string(text)]
            #expect(await rig.code(.signIn, body) == code)
        }
    }

    @Test func `an ID token with another valid signature is the same proof`() async throws {
        let draft = ProviderToken.idToken(of: .google, for: .ada, now: rig.now)
        let body: JSONObject = ["provider": "google.com", "id_token": .string(try draft.signed(by: TokenDraft.key))]
        #expect(await rig.code(.signIn, body) == "ok")
        let digest = try AccountDenial.hash(
            Array(try draft.signed(by: TokenDraft.key).split(separator: ".")[..<2].joined(separator: ".").utf8))
        #expect(try await rig.store.markSeen(digest, lifetime: 1) == false)
    }

    @Test func `the number of concurrent verifications is bounded`() async throws {
        let slots = ProofSlots()
        let occupied = await OccupiedSlots(slots, count: ProofSlots.defaultCapacity)
        let refusal = await #expect(throws: AccountDenial.self) { try await slots.run {} }
        #expect(refusal?.denial.code == .overloaded && refusal?.denial.retryAfter == 1)
        try await occupied.release()
        try await slots.run {}
    }

    @Test func `only an ID token may have a nonce`() async throws {
        let body: JSONObject = ["provider": "apple.com", "id_token": .string(try rig.idToken(.apple, .alan))]
        #expect(await rig.code(.signIn, body) == "ok")
        var opaque = rig.gitHub()
        opaque["nonce"] = .string(try await rig.nonce())
        #expect(await rig.code(.signIn, opaque) == "auth/missing-or-invalid-nonce")
    }
}

@Suite(.timeLimit(.minutes(5))) struct NonceTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    @Test func `a nonce has 32 symbols and its hash`() async throws {
        let answer = await rig.call(.nonce)
        let nonce = try #require(answer.string("nonce"))
        #expect(RandomText.isNonce(nonce))
        #expect(answer.string("nonce_sha256") == (try sha256Text(nonce)))
        #expect(answer.json?["expires_in"]?.integer == 300)
    }

    @Test func `H-09: nonces are unique and use all symbols evenly`() {
        let nonces = (0..<2000).map { _ in RandomText.nonce() }
        #expect(Set(nonces).count == nonces.count)
        var counts: [UInt8: Int] = [:]
        for byte in nonces.joined().utf8 { counts[byte, default: 0] += 1 }
        // 64,000 symbols, with an expected count of 1000 each and a tolerance of nine standard deviations.
        #expect(counts.count == 64 && Set(RandomText.nonceAlphabet) == Set(counts.keys))
        #expect(counts[UInt8(ascii: "W")] == nil && counts[UInt8(ascii: "w")] != nil)
        #expect(counts.values.allSatisfy { (715...1285).contains($0) })
    }

    /// The flaw of a nonce in the call or in the token.
    enum Flaw: String, CaseIterable, Sendable {
        case missingInCall, missingInToken, another, neverIssued, hashedTwice, rawInAppleToken, upperCaseHash
        case tooOld, notText, empty
    }

    @Test(arguments: Flaw.allCases)
    func `E-20: an invalid nonce is rejected`(flaw: Flaw) async throws {
        let nonce = try await rig.nonce("sign-in")
        let other = try await rig.nonce()
        var raw: String? = nonce
        var claim: JSON? = .string(try sha256Text(nonce))
        switch flaw {
        case .missingInCall: raw = nil
        case .missingInToken: claim = nil
        case .another: claim = .string(try sha256Text(other))
        case .neverIssued:
            raw = RandomText.nonce()
            claim = .string(try sha256Text(raw ?? ""))
        case .hashedTwice: claim = .string(try sha256Text(try sha256Text(nonce)))
        case .rawInAppleToken: claim = .string(nonce)
        case .upperCaseHash: claim = .string(try sha256Text(nonce).uppercased())
        case .tooOld: rig.time.advance(seconds: 301)
        case .notText: claim = 7
        case .empty: claim = ""
        }
        let token = try rig.idToken(.apple, .alan) { token in
            claim.map { token.setting("nonce", to: $0) } ?? token
        }
        var body: JSONObject = ["provider": "apple.com", "id_token": .string(token)]
        body["nonce"] = raw.map(JSON.string)
        #expect(await rig.code(.signIn, body) == "auth/missing-or-invalid-nonce")
    }

    @Test func `a nonce for another purpose is used up`() async throws {
        let nonce = try await rig.nonce("link")
        let body: JSONObject = [
            "provider": "apple.com", "id_token": .string(try rig.idToken(.apple, .alan, nonce: nonce)),
            "nonce": .string(nonce),
        ]
        #expect(await rig.code(.signIn, body) == "auth/missing-or-invalid-nonce")
        let digest = try AccountDenial.hash(Array(nonce.utf8))
        #expect(try await rig.store.takeNonce(digest) == nil)
    }

    @Test func `a nonce that does not match the token is not used up`() async throws {
        let (nonce, other) = (try await rig.nonce(), try await rig.nonce())
        var body: JSONObject = [
            "provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada, nonce: nonce)),
            "nonce": .string(other),
        ]
        #expect(await rig.code(.signIn, body) == "auth/missing-or-invalid-nonce")
        body["nonce"] = .string(nonce)
        #expect(await rig.code(.signIn, body) == "ok")
    }

    @Test(arguments: ["google.com", "facebook.com"])
    func `Google and Facebook tokens may contain the raw nonce`(id: String) async throws {
        let provider = try #require(IdentityProvider(id: id))
        let nonce = try await rig.nonce()
        let token = try rig.idToken(provider, .dennis) { $0.setting("nonce", to: .string(nonce)) }
        let body: JSONObject = ["provider": .string(id), "id_token": .string(token), "nonce": .string(nonce)]
        #expect(await rig.code(.signIn, body) == "ok")
    }
}
