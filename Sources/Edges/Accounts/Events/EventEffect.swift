import GatewayCore
import Revocation

/// The effect of an event.
struct EventEffect: Sendable, Equatable {
    /// The affected identity.
    let link: IdentityLink
    /// The time before which credentials are revoked. Never in the future.
    let at: UnixTime
    /// Whether the identity was deleted permanently.
    var isDeletion = false

    init(_ link: IdentityLink, at time: UnixTime, now: Int64, isDeletion: Bool = false) {
        self.link = link
        at = time.notAfter(now)
        self.isDeletion = isDeletion
    }

    /// Applies the effect. Each step is idempotent. The link is removed last, so that a repetition still finds the
    /// owner. Returns the owner, or `nil` if the identity belongs to no account.
    func make(in store: any Store & AccountStore) async throws(StoreError) -> UserKey? {
        let scope = isDeletion ? RevocationScope.everything : .before
        try await store.revoke(UserKey(link), at: at.seconds, scope)
        if isDeletion { try await store.setDisabled(UserKey(link), true) }
        guard let owner = try await store.owner(of: link) else { return nil }
        try await store.revoke(owner, at: at.seconds, scope)
        if isDeletion { try await release(from: owner, in: store) }
        return owner
    }

    /// Releases the link. The store keeps the last link of an account that the gateway created, because without it the
    /// owner would be unknown.
    private func release(from owner: UserKey, in store: any AccountStore) async throws(StoreError) {
        let linked = try await store.account(owner)?.links[link.provider]
        guard let linked, linked.utf8.elementsEqual(link.subject.utf8) else { return }
        _ = try await store.release(provider: link.provider, of: owner)
    }
}
