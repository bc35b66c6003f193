import DevelopmentIdentity
import GatewayCore
import RequestPipeline
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite(.timeLimit(.minutes(1))) struct ProofTests {
    /// What is wrong with a credential, and the code that says so.
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

    @Test("whatever is wrong with a token is one answer, with the reason in the log only", arguments: Flaw.allCases)
    func flaws(_ flaw: Flaw) async throws {
        let rig = try await AccountsRig()
        let (provider, token) = try flaw.token(rig)
        let answer = await rig.call(.signIn, ["provider": .string(provider), "id_token": .string(token)])
        #expect(answer.code == "auth/invalid-credential")
        #expect(answer.denial?.detail == nil)
        #expect(answer.text == "{}")
        #expect(rig.log.text.contains("auth/invalid-credential"))
        #expect(!rig.log.text.contains(token), "L-01")
    }

    @Test(
        "a provider that is unknown, or whose tokens of that kind are not taken, is 400",
        arguments: [
            ("unknown.example", "id_token"), ("github.com", "id_token"), ("microsoft.com", "access_token"),
            ("apple.com", "access_token"), ("google.com ", "id_token"),
        ])
    func notAllowed(provider: String, member: String) async throws {
        let rig = try await AccountsRig()
        let token = try rig.idToken(.google, .ada)
        let answer = await rig.call(.signIn, ["provider": .string(provider), (member): .string(token)])
        #expect(answer.code == "auth/operation-not-allowed")
    }

    @Test func keysThatCannotBeHadAreAnOutage() async throws {
        let rig = try await AccountsRig()
        let body = try await rig.proof(.google, .ada)
        rig.keys.fail(retryAfter: 17)
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "auth/keys-unavailable")
        #expect(answer.denial?.retryAfter == 17)
    }

    @Test func aProviderThatCannotBeAskedIsAnOutage() async throws {
        let rig = try await AccountsRig()
        let body = rig.gitHub()
        rig.opaque.fail()
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "auth/introspection-unavailable")
        #expect(answer.denial?.retryAfter == 1)
    }

    @Test func anOpaqueTokenThatTheProviderDoesNotKnowIsRefused() async throws {
        let rig = try await AccountsRig()
        let answer = await rig.call(.signIn, ["provider": "github.com", "access_token": "gho_unknown"])
        #expect(answer.code == "auth/invalid-credential")
    }

    @Test("a failure of the store is 503, and changes nothing that was told")
    func store() async throws {
        let rig = try await AccountsRig()
        let body = try await rig.proof(.google, .ada)
        try await rig.store.close()
        #expect(await rig.call(.signIn, body).code == "auth/store-unavailable")
        #expect(await rig.call(.nonce).code == "auth/store-unavailable")
    }

    @Test func sessionKeysThatAreNotKnownYetAreAnOutage() async throws {
        let rig = try await AccountsRig(keysAreKnown: false)
        let body = try await rig.proof(.google, .ada)
        #expect(await rig.call(.signIn, body).code == "auth/store-unavailable")
        rig.authority.set(try SessionDraft.keys())
        #expect(await rig.call(.signIn, body).code == "ok", "the proof was not used")
    }

    @Test("E-20: a proof counts once, whichever call takes it")
    func once() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let token = try rig.idToken(.oidc("corp"), .ada)
        let body: JSONObject = ["provider": "oidc.corp", "id_token": .string(token)]
        #expect(await rig.call(.link, body, by: caller).code == "ok")
        for endpoint in [AccountEndpoint.link, .signIn, .reauthenticate] {
            #expect(await rig.call(endpoint, body, by: caller).code == "auth/missing-or-invalid-nonce")
        }
        #expect(rig.log.text.contains("duplicate"))
    }

    @Test("an opaque token counts once")
    func opaqueOnce() async throws {
        let rig = try await AccountsRig()
        let body = rig.gitHub()
        #expect(await rig.call(.signIn, body).code == "ok")
        #expect(await rig.call(.signIn, body).code == "auth/missing-or-invalid-nonce")
    }

    @Test("an access token that is a JWS with another signature that fits is the same proof")
    func malleableAccessToken() async throws {
        let rig = try await AccountsRig()
        let texts = [
            "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJyb2JvdCJ9.b25l", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJyb2JvdCJ9.dHdv",
        ]
        for (text, code) in zip(texts, ["ok", "auth/missing-or-invalid-nonce"]) {
            rig.opaque.add(.introspected(for: .robot, text: text, now: rig.now))
            let body: JSONObject = ["provider": "oauth.legacy", "access_token": .string(text)]
            #expect(await rig.call(.signIn, body).code == code)
        }
    }

    @Test("a token with another signature that fits is the same proof")
    func reencoded() async throws {
        let rig = try await AccountsRig()
        let draft = ProviderToken.idToken(of: .google, for: .ada, now: rig.now)
        let body: JSONObject = ["provider": "google.com", "id_token": .string(try draft.signed(by: TokenDraft.key))]
        #expect(await rig.call(.signIn, body).code == "ok")
        let digest = try AccountDenial.hash(
            Array(try draft.signed(by: TokenDraft.key).split(separator: ".")[..<2].joined(separator: ".").utf8))
        #expect(try await rig.store.markSeen(digest, lifetime: 1) == false)
    }

    @Test func noMoreProofsAreVerifiedAtATimeThanTheBoundAllows() async throws {
        let slots = ProofSlots()
        let gate = AsyncStream.makeStream(of: Void.self)
        let started = AsyncStream.makeStream(of: Void.self)
        let running = (0..<ProofSlots.capacity).map { _ in
            Task {
                try await slots.run {
                    started.continuation.yield()
                    for await _ in gate.stream { return }
                }
            }
        }
        var count = 0
        for await _ in started.stream {
            count += 1
            if count == ProofSlots.capacity { break }
        }
        let refusal = await #expect(throws: AccountDenial.self) { try await slots.run {} }
        #expect(refusal?.denial.code == .overloaded)
        #expect(refusal?.denial.retryAfter == 1)
        gate.continuation.finish()
        for task in running { try await task.value }
        try await slots.run {}
    }
}
