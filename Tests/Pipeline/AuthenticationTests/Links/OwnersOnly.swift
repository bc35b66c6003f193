import GatewayCore
import Revocation
import Synchronization

/// An account store that contains only the owners of links.
struct OwnersOnly: AccountStore {
    var owner: UserKey?
    var account: AccountRecord?
    var failure: StoreError?
    var gate: Gate?
    let linkGenerations = LinkGenerations()

    func owner(of link: IdentityLink) async throws(StoreError) -> UserKey? {
        await gate?.pass()
        if let failure { throw failure }
        return owner
    }

    func account(_ user: UserKey) async throws(StoreError) -> AccountRecord? { account }

    private static let unasked = StoreError(.internalFailure, "nobody asks this")

    func uid(ofEmail email: String) async throws(StoreError) -> UserKey? { throw Self.unasked }

    func createAccount(_ account: AccountRecord, claimsEmail: Bool) async throws(StoreError) -> AccountCreation {
        throw Self.unasked
    }

    func claim(
        _ link: IdentityLink, for user: UserKey, unlessUnlinked: Bool, evidence: FirebaseEvidence?
    ) async throws(StoreError) -> LinkClaim { throw Self.unasked }

    func release(
        provider: String, of user: UserKey, keeping start: UnixTime?
    ) async throws(StoreError) -> LinkRelease { throw Self.unasked }

    func evict(
        _ link: IdentityLink, of user: UserKey, evidence: FirebaseEvidence
    ) async throws(StoreError) -> Bool { throw Self.unasked }

    func releaseAll(
        of user: UserKey, for successor: IdentityLink?
    ) async throws(StoreError) -> [IdentityLink] { throw Self.unasked }

    func deleteAccount(
        _ user: UserKey, unlessChangedFrom expected: UserRecord?
    ) async throws(StoreError) -> AccountDeletion { throw Self.unasked }

    func completeDeletion(
        of user: UserKey, holding link: IdentityLink
    ) async throws(StoreError) -> Bool { throw Self.unasked }

    func deletionTime(of user: UserKey) async throws(StoreError) -> UnixTime? { throw Self.unasked }

    func setProfile(_ change: ProfileChange, of user: UserKey) async throws(StoreError) -> Bool { throw Self.unasked }

    func setNameIfAbsent(_ name: String, of user: UserKey) async throws(StoreError) { throw Self.unasked }

    func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink, of user: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> Bool { throw Self.unasked }

    func openEmailChange(_ ticket: EmailTicket, of user: UserKey) async throws(StoreError) -> EmailTicketResult {
        throw Self.unasked
    }

    func changeEmail(
        _ change: EmailChange, of user: UserKey, claimsEmail: Bool, keeping start: UnixTime?
    ) async throws(StoreError) -> EmailChangeResult { throw Self.unasked }

    func removeEmail(_ email: String, of user: UserKey) async throws(StoreError) { throw Self.unasked }

    func setting(_ name: String, initial: [UInt8]) async throws(StoreError) -> [UInt8] { throw Self.unasked }
}

/// Suspends its callers until it is opened.
final class Gate: Sendable {
    private struct State {
        var queries = 0
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of callers.
    var queries: Int { state.withLock { $0.queries } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.queries += 1
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
