import GatewayCore
package import JOSE
package import Revocation

/// A worker's cache of the owners of identities at providers. One per worker, on its event loop.
///
/// An entry is valid while the counter of its link has the value from before the query. A change during the query moves
/// the counter, so that no decision uses the older result.
package final class LinkOwners {
    /// The principal of a verified token, resolved to the owner of its identity.
    enum Resolution {
        /// The cached principal is valid.
        case same
        /// The principal has changed; this entry replaces the cached one.
        case changed(VerifiedTokenCache.Entry)
        case refused(VerificationFailure)
        case needs(OwnerNeed)
    }

    private struct Known {
        let generation: UInt64
        /// `nil` if there is no owner.
        let account: AccountRecord?
    }

    /// The maximum number of identities whose owners are cached. Owners of cached tokens do not count.
    static let capacity = 4096

    private let generations: LinkGenerations
    private let view: StoreView
    /// The maximum age of the revocation view, in nanoseconds. The counters are as old as the view.
    private let maxStaleness: UInt64
    private let deniesUnlinked: Bool
    private let hasher: SHA256Hasher
    private let render: (Principal) -> RenderedIdentity
    private var known = BoundedTable<StoreKey, Known>(limit: LinkOwners.capacity)

    package init(
        generations: LinkGenerations, view: StoreView, maxStaleness: UInt64, deniesUnlinked: Bool,
        hasher: SHA256Hasher, render: @escaping (Principal) -> RenderedIdentity
    ) {
        self.generations = generations
        self.view = view
        self.maxStaleness = maxStaleness
        self.deniesUnlinked = deniesUnlinked
        self.hasher = hasher
        self.render = render
    }

    /// Returns the stamp of a token that was just verified. The owner of its identity is not known yet.
    func stamp(of principal: Principal) -> LinkStamp {
        LinkStamp(place: principal.link.map { LinkGenerations.place(of: $0.name) } ?? -1)
    }

    package func generation(at place: Int) -> UInt64 { generations.generation(at: place) }

    /// Caches the owner of an identity.
    ///
    /// - Parameter generation: The value of the link's counter before the store was queried.
    package func keep(_ account: AccountRecord?, of key: StoreKey, generation: UInt64) {
        known.set(Known(generation: generation, account: account), for: key)
    }

    /// Returns the principal that a provider's own token represents. `now` is in monotonic nanoseconds.
    func resolve(_ entry: VerifiedTokenCache.Entry, now: UInt64) -> Resolution {
        guard let age = view.age(monotonicNow: now) else { return .needs(.view) }
        guard age <= maxStaleness else { return .needs(.unknown(.stale)) }
        let generation = generations.generation(at: entry.stamp.place)
        if entry.stamp.generation == generation { return isDenied(entry) ? Self.unlinked : .same }
        let derived = entry.derived ?? entry.principal
        guard let link = derived.link else { return .same }
        guard let known = known[derived.userKey], known.generation == generation else {
            return .needs(.owner(LinkQuery(link: link, key: derived.userKey, place: entry.stamp.place)))
        }
        return resolve(entry, derived, known)
    }

    private func resolve(_ entry: VerifiedTokenCache.Entry, _ derived: Principal, _ known: Known) -> Resolution {
        guard let account = known.account else {
            guard entry.derived != nil else {
                entry.stamp.generation = known.generation
                return isDenied(entry) ? Self.unlinked : .same
            }
            return deniesUnlinked ? Self.unlinked : changed(entry, to: derived, of: nil, known.generation)
        }
        guard let owner = derived.owned(by: account, hasher: hasher) else { return .needs(.unknown(.faultyRecord)) }
        return changed(entry, to: owner, of: derived, known.generation)
    }

    private func changed(
        _ entry: VerifiedTokenCache.Entry, to principal: Principal, of derived: Principal?, _ generation: UInt64
    ) -> Resolution {
        let stamp = LinkStamp(place: entry.stamp.place, generation: generation)
        return .changed(
            VerifiedTokenCache.Entry(
                principal: principal, verifier: entry.verifier, keySetGeneration: entry.keySetGeneration,
                identity: render(principal), freshUntil: entry.freshUntil, stamp: stamp, derived: derived))
    }

    private func isDenied(_ entry: VerifiedTokenCache.Entry) -> Bool { deniesUnlinked && entry.derived == nil }

    private static var unlinked: Resolution {
        .refused(VerificationFailure(code: .permissionDenied, reason: .unlinked))
    }
}
