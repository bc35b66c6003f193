import Accounts
import Authentication
import Authorization
import DevelopmentIdentity
import GatewayCore
import JOSE
import Revocation
import Synchronization

@testable import CoreFixtures
@testable import OutboundHTTP

/// Key sets that are available immediately, or a fixed result of each lookup.
final class FixedKeys: KeyWaiting {
    private let views: [KeySetView]
    private let result: Mutex<KeyLookupResult?>

    init(_ sets: [KeySet], result: KeyLookupResult? = nil) {
        self.result = Mutex(result)
        views = sets.map {
            KeySetView(
                keys: $0, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
                usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        }
    }

    /// Makes all keys unavailable. `retryAfter` is in seconds.
    func fail(retryAfter: Int) { result.withLock { $0 = .unavailable(retryAfter: retryAfter) } }

    func view(of set: Int) -> KeySetView { views[set] }

    func key(kid: String, set: Int) async -> KeyLookupResult {
        if let result = result.withLock({ $0 }) { return result }
        guard let key = views[set].keys?.key(id: kid) else { return .unknown }
        return .key(key, views[set])
    }
}

/// Returns the statuses in turn for every account, and the last one repeatedly.
final class ChangingAccounts: FirebaseAccountLookup {
    private let responses: Mutex<[AccountStatus.State]>

    init(_ responses: [AccountStatus.State]) { self.responses = Mutex(responses) }

    func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void) {
        let next = responses.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .unavailable }
        completion(AccountStatus(state: next, queriedAt: notBefore))
    }
}

/// The responses of providers about opaque tokens.
final class OpaqueAnswers: Sendable {
    private let responses = Mutex<[String: [UInt8]]>([:])
    private let isDown = Mutex(false)

    func add(_ token: DevelopmentIdentity.OpaqueToken) { responses.withLock { $0[token.text] = token.response.bytes } }

    func fail() { isDown.withLock { $0 = true } }

    func reply(to request: OutboundRequest) -> FakeTransport.Reply {
        if isDown.withLock({ $0 }) { return .success(OutboundResponse(status: 500, body: [])) }
        let known = responses.withLock { responses in
            responses.first { request.bodyText.contains($0.key) }?.value
        }
        return .success(OutboundResponse(status: known == nil ? 404 : 200, body: known ?? []))
    }
}
