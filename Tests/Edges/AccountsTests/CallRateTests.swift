import Authentication
import DevelopmentIdentity
import GatewayCore
import RequestPipeline
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import Accounts
@testable import CoreFixtures

/// Notes who is counted, and refuses whom the test says.
final class NotedRates: CallRating {
    private let noted = Mutex<(networks: [PeerNetwork], accounts: [String])>(([], []))
    private let refusesNetworks: Bool
    private let refused: @Sendable (String) -> Bool

    init(refusesNetworks: Bool = false, refused: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.refusesNetworks = refusesNetworks
        self.refused = refused
    }

    var networks: [PeerNetwork] { noted.withLock { $0.networks } }
    var accounts: [String] { noted.withLock { $0.accounts } }

    func allow(network: PeerNetwork, now: UInt64) -> Int? {
        noted.withLock { $0.networks.append(network) }
        return refusesNetworks ? 11 : nil
    }

    func allow(user: UserKey, now: UInt64) -> Int? {
        noted.withLock { $0.accounts.append(user.name) }
        return refused(user.name) ? 22 : nil
    }
}

@Suite(.timeLimit(.minutes(1))) struct CallCountingTests {
    @Test("every call but auth and events counts for its network", arguments: AccountEndpoint.allCases)
    func networks(endpoint: AccountEndpoint) async throws {
        let rates = NotedRates(refusesNetworks: true)
        let rig = try await AccountsRig(parts: { $0.rating = rates })
        let answer = await rig.call(endpoint, from: 7)
        let isCounted = !endpoint.isEvent && endpoint != .auth
        #expect(rates.networks == (isCounted ? [.version4(7)] : []))
        guard isCounted else { return }
        #expect(answer.code == "request/rate-limited")
        #expect(answer.denial?.retryAfter == 11)
    }

    @Test func whomACallConcernsIsCounted() async throws {
        let rates = NotedRates()
        let rig = try await AccountsRig(parts: { $0.rating = rates })
        let caller = try await rig.session(.google, .ada)
        let link = "google.com:\(DevelopmentUser.ada.subject(at: "google.com"))"
        #expect(rates.accounts == [link])
        _ = await rig.call(
            .reauthenticate, try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }, by: caller)
        _ = await rig.call(.link, rig.gitHub(), by: caller)
        _ = await rig.call(.unlink, ["provider": "github.com"], by: caller)
        let token = try FirebaseToken.idToken(for: .grace, now: rig.now).signed(by: TokenDraft.key)
        _ = await rig.call(.session, ["id_token": .string(token)])
        #expect(
            rates.accounts.dropFirst() == [caller.uid, link, caller.uid, "github.com:583231", caller.uid, "grace"])
    }

    @Test("who is over the rate is refused before a proof is used")
    func refused() async throws {
        let rates = NotedRates(refused: { $0.hasPrefix("google.com:") })
        let rig = try await AccountsRig(parts: { $0.rating = rates })
        let nonce = try await rig.nonce()
        let body: JSONObject = [
            "provider": "google.com", "id_token": .string(try rig.idToken(.google, .ada, nonce: nonce)),
            "nonce": .string(nonce),
        ]
        let answer = await rig.call(.signIn, body)
        #expect(answer.code == "request/rate-limited")
        #expect(answer.denial?.retryAfter == 22)
        #expect(try await rig.store.takeNonce(try AccountDenial.hash(Array(nonce.utf8))) == "any")
    }

    @Test func withoutEventsTheirCallsAreNotFound() async throws {
        let rig = try await AccountsRig()
        #expect(await rig.call(.appleEvents).code == "route/not-found")
    }
}
