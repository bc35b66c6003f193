import JOSE
package import Revocation

/// What the store says of who owns an identity at a provider.
package enum LinkAnswer: Sendable, Equatable {
    /// It belongs to no account.
    case nobody
    /// The account; with its uid alone where nothing else is kept of it.
    case owner(AccountRecord)
    case failed(StoreFailure)
}

/// Asks who owns an identity, off the request path. Shared by the workers.
package protocol LinkAsking: Sendable {
    /// Asks, and tells `answer` once, from any thread, later or within the call.
    func look(_ link: IdentityLink, answer: @escaping @Sendable (LinkAnswer) -> Void)
}

/// An identity whose owner a worker has to ask for.
package struct LinkQuestion: Sendable {
    package let link: IdentityLink
    /// The key of the link's name, by which those who wait for the same answer know each other.
    package let key: StoreKey
    /// Its counter among the link generations.
    package let place: Int
}

/// What is missing before it can be said whom a provider's own token names.
package enum OwnerNeed: Sendable {
    /// The owner: the store has to be asked.
    case owner(LinkQuestion)
    /// The store's view, which is still loading: until then nobody tells what changes.
    case view
    /// It cannot be known now.
    case unknown(StoreFailure)
}

/// When it was asked who owns the identity of a cached token.
package struct LinkStamp: Sendable {
    /// The link's counter among the generations; below 0: nobody is asked.
    var place = -1
    /// What the counter said before the store was asked; 0: it was not asked yet.
    var generation: UInt64 = 0

    package init(place: Int = -1, generation: UInt64 = 0) {
        self.place = place
        self.generation = generation
    }
}
