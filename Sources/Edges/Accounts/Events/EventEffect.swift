import GatewayCore
import JOSE
import Revocation

/// What an event does.
struct EventEffect: Sendable, Equatable {
    /// Whom it is about.
    let link: IdentityLink
    /// What they were given before is revoked; not in the future.
    let at: UnixTime
    /// Whether the identity is gone for good.
    var isDeletion = false

    init(_ link: IdentityLink, at time: UnixTime, now: Int64, isDeletion: Bool = false) {
        self.link = link
        at = time.notAfter(now)
        self.isDeletion = isDeletion
    }

    /// Makes the effect. Each step may be made twice without harm, and the link goes last: until all else is done, whoever repeats the event finds
    /// whose it is.
    ///
    /// - Returns: the owner; nil: the identity is no account's.
    func make(in store: any Store & AccountStore) async throws(StoreError) -> UserKey? {
        let scope = isDeletion ? RevocationScope.everything : .before
        try await store.revoke(UserKey(link), at: at.seconds, scope)
        if isDeletion { try await store.setDisabled(UserKey(link), true) }
        guard let owner = try await store.owner(of: link) else { return nil }
        try await store.revoke(owner, at: at.seconds, scope)
        if isDeletion { try await release(from: owner, in: store) }
        return owner
    }

    /// The last link of an account that was made here stays: without it nobody could tell whose the account is.
    private func release(from owner: UserKey, in store: any AccountStore) async throws(StoreError) {
        let linked = try await store.account(owner)?.links[link.provider]
        guard let linked, linked.utf8.elementsEqual(link.subject.utf8) else { return }
        _ = try await store.release(provider: link.provider, of: owner)
    }
}
