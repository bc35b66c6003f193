import GatewayCore
package import JOSE
package import Revocation

/// What a worker knows of who owns identities at providers, and what tokens become by it. One a worker, on its event loop.
///
/// An owner holds as long as the counter of its link says what it said before the store was asked: a change that came while the question was
/// out has moved it, so an older answer decides nobody's request.
package final class LinkOwners {
    /// What became of a verified token.
    enum Settled {
        /// It names whom it named.
        case same
        /// It names somebody else now: this is to be kept in its place.
        case changed(VerifiedTokenCache.Entry)
        case refused(VerificationFailure)
        case needs(OwnerNeed)
    }

    private struct Known {
        let generation: UInt64
        /// Nil: nobody.
        let account: AccountRecord?
    }

    /// The most identities whose owners a worker remembers, besides those of cached tokens.
    static let capacity = 4096

    private let generations: LinkGenerations
    private let view: StoreView
    /// How old the store's view may be, in nanoseconds: it is as old as what the counters know.
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

    /// For a token that was just verified: whether its identity has an owner has to be asked.
    func stamp(of principal: Principal) -> LinkStamp {
        LinkStamp(place: principal.link.map { LinkGenerations.place(of: $0.name) } ?? -1)
    }

    package func generation(at place: Int) -> UInt64 { generations.generation(at: place) }

    /// Keeps what the store said.
    ///
    /// - Parameter generation: what the link's counter said before the store was asked.
    package func keep(_ account: AccountRecord?, of key: StoreKey, generation: UInt64) {
        known.set(Known(generation: generation, account: account), for: key)
    }

    /// Whom a provider's own token names.
    ///
    /// - Parameter now: monotonic nanoseconds.
    func settle(_ entry: VerifiedTokenCache.Entry, now: UInt64) -> Settled {
        guard let age = view.age(monotonicNow: now) else { return .needs(.view) }
        guard age <= maxStaleness else { return .needs(.unknown(.stale)) }
        let generation = generations.generation(at: entry.stamp.place)
        if entry.stamp.generation == generation { return isDenied(entry) ? Self.unlinked : .same }
        let derived = entry.derived ?? entry.principal
        guard let link = derived.link else { return .same }
        guard let known = known[derived.userKey], known.generation == generation else {
            return .needs(.owner(LinkQuestion(link: link, key: derived.userKey, place: entry.stamp.place)))
        }
        return settle(entry, derived, known)
    }

    private func settle(_ entry: VerifiedTokenCache.Entry, _ derived: Principal, _ known: Known) -> Settled {
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
    ) -> Settled {
        let stamp = LinkStamp(place: entry.stamp.place, generation: generation)
        return .changed(
            VerifiedTokenCache.Entry(
                principal: principal, verifier: entry.verifier, keySetGeneration: entry.keySetGeneration,
                identity: render(principal), freshUntil: entry.freshUntil, stamp: stamp, derived: derived))
    }

    private func isDenied(_ entry: VerifiedTokenCache.Entry) -> Bool { deniesUnlinked && entry.derived == nil }

    private static var unlinked: Settled { .refused(VerificationFailure(code: .permissionDenied, reason: .unlinked)) }
}
