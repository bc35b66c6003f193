import DevelopmentIdentity
import JOSE
import RequestPipeline
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayCore

@Suite(.timeLimit(.minutes(1))) struct NonceTests {
    @Test func aNonceIsThirtyTwoSymbolsOfTheGuidesAlphabetWithItsHash() async throws {
        let rig = try await AccountsRig()
        let answer = await rig.call(.nonce)
        let nonce = try #require(answer.string("nonce"))
        #expect(RandomText.isNonce(nonce))
        #expect(answer.string("nonce_sha256") == (try sha256Text(nonce)))
        #expect(answer.json?["expires_in"]?.integer == 300)
    }

    @Test("the alphabet has 64 different symbols, letters without W")
    func alphabet() {
        #expect(Set(RandomText.nonceAlphabet).count == 64)
        #expect(!RandomText.nonceAlphabet.contains(UInt8(ascii: "W")))
        #expect(RandomText.nonceAlphabet.contains(UInt8(ascii: "w")))
    }

    @Test("H-09: nonces are unlike each other, and use every symbol alike")
    func uniform() {
        let nonces = (0..<2000).map { _ in RandomText.nonce() }
        #expect(Set(nonces).count == nonces.count)
        var counts: [UInt8: Int] = [:]
        for byte in nonces.joined().utf8 { counts[byte, default: 0] += 1 }
        // 64,000 symbols, 1000 of each expected; nine standard deviations.
        #expect(counts.count == 64)
        #expect(counts.values.allSatisfy { (715...1285).contains($0) })
    }

    /// What goes wrong with a nonce: the call's, as it was issued and sent, and the token's.
    enum Flaw: String, CaseIterable, Sendable {
        case missingInCall, missingInToken, another, neverIssued, hashedTwice, rawInAppleToken, upperCaseHash
        case otherPurpose, tooOld, notText, empty
    }

    @Test("E-20: a nonce must be in call and token, one of ours, the right one, for this", arguments: Flaw.allCases)
    func flaws(_ flaw: Flaw) async throws {
        let rig = try await AccountsRig()
        let nonce = try await rig.nonce(flaw == .otherPurpose ? "link" : "sign-in")
        let other = try await rig.nonce()
        var raw: String? = nonce
        var told: JSON? = .string(try sha256Text(nonce))
        switch flaw {
        case .missingInCall: raw = nil
        case .missingInToken: told = nil
        case .another: told = .string(try sha256Text(other))
        case .neverIssued:
            raw = RandomText.nonce()
            told = .string(try sha256Text(raw ?? ""))
        case .hashedTwice: told = .string(try sha256Text(try sha256Text(nonce)))
        case .rawInAppleToken: told = .string(nonce)
        case .upperCaseHash: told = .string(try sha256Text(nonce).uppercased())
        case .otherPurpose: break
        case .tooOld: rig.time.advance(seconds: 301)
        case .notText: told = 7
        case .empty: told = ""
        }
        let token = try rig.idToken(.apple, .alan) { token in
            told.map { token.setting("nonce", to: $0) } ?? token
        }
        var body: JSONObject = ["provider": "apple.com", "id_token": .string(token)]
        body["nonce"] = raw.map(JSON.string)
        #expect(await rig.call(.signIn, body).code == "auth/missing-or-invalid-nonce")
    }

    @Test func aNonceThatWasTakenForSomethingElseIsUsedUp() async throws {
        let rig = try await AccountsRig()
        let nonce = try await rig.nonce("link")
        let body: JSONObject = [
            "provider": "apple.com", "id_token": .string(try rig.idToken(.apple, .alan, nonce: nonce)),
            "nonce": .string(nonce),
        ]
        #expect(await rig.call(.signIn, body).code == "auth/missing-or-invalid-nonce")
        let digest = try AccountDenial.hash(Array(nonce.utf8))
        #expect(try await rig.store.takeNonce(digest) == nil)
    }

    @Test("a nonce of another token is compared before it is taken, and stays")
    func comparedFirst() async throws {
        let rig = try await AccountsRig()
        let (nonce, other) = (try await rig.nonce(), try await rig.nonce())
        var body: JSONObject = [
            "provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada, nonce: nonce)),
            "nonce": .string(other),
        ]
        #expect(await rig.call(.signIn, body).code == "auth/missing-or-invalid-nonce")
        body["nonce"] = .string(nonce)
        #expect(await rig.call(.signIn, body).code == "ok")
    }

    @Test("providers that repeat the nonce as they got it may have it raw", arguments: ["google.com", "facebook.com"])
    func verbatim(id: String) async throws {
        let rig = try await AccountsRig()
        let provider = try #require(IdentityProvider(id: id))
        let nonce = try await rig.nonce()
        let token = try rig.idToken(provider, .dennis) { $0.setting("nonce", to: .string(nonce)) }
        let body: JSONObject = ["provider": .string(id), "id_token": .string(token), "nonce": .string(nonce)]
        #expect(await rig.call(.signIn, body).code == "ok")
    }

    @Test func aTokenWithoutANonceNeedsNone() async throws {
        let rig = try await AccountsRig()
        let body: JSONObject = ["provider": "apple.com", "id_token": .string(try rig.idToken(.apple, .alan))]
        #expect(await rig.call(.signIn, body).code == "ok")
    }

    @Test func anOpaqueTokenHasNoNonce() async throws {
        let rig = try await AccountsRig()
        var body = rig.gitHub()
        body["nonce"] = .string(try await rig.nonce())
        #expect(await rig.call(.signIn, body).code == "auth/missing-or-invalid-nonce")
    }
}
