import GatewayCore
import Revocation

/// The effect of an event.
struct EventEffect: Sendable, Equatable {
    /// The consequence for an identity and its owner.
    enum Extent: Sendable {
        /// Credentials that were issued before the event are revoked.
        case revocation
        /// All credentials are revoked, and the identity is disabled.
        case block
        /// Like `block`, and the identity is unlinked: it was deleted permanently.
        case deletion

        var scope: RevocationScope { self == .revocation ? .before : .everything }

        /// Applies the consequence to the record of an identity or user. No event lifts the block of a deletion.
        func apply(
            to user: UserKey, at time: UnixTime, in store: any Store, by author: ChangeAuthor
        ) async throws(StoreError) {
            try await store.revoke(user, at: time.seconds, scope, by: author)
            switch self {
            case .revocation: break
            case .block: try await store.setDisabled(user, true, by: author)
            case .deletion: try await store.setDisabled(user, true, by: author.withoutTransmitter)
            }
        }
    }

    /// The affected identity.
    let link: IdentityLink
    /// The time before which credentials are revoked. Never in the future.
    let at: UnixTime
    let extent: Extent

    init(_ link: IdentityLink, at time: UnixTime, now: Int64, _ extent: Extent = .revocation) {
        self.link = link
        at = time.notAfter(now)
        self.extent = extent
    }

    /// Applies the effect. Each step is idempotent. The link is removed last, so that a repetition still finds the
    /// owner. Returns the owner, or `nil` if the identity belongs to no account.
    func make(
        in store: any Store & AccountStore, by author: ChangeAuthor = .gateway
    ) async throws(StoreError) -> UserKey? {
        try await extent.apply(to: UserKey(link), at: at, in: store, by: author)
        guard let owner = try await store.owner(of: link) else { return nil }
        var ownersAuthor = author
        ownersAuthor.expires = nil
        try await store.revoke(owner, at: at.seconds, extent.scope, by: ownersAuthor)
        if extent == .deletion { try await release(from: owner, in: store) }
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
