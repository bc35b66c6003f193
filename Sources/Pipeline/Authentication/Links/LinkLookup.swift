import JOSE
package import Revocation

/// The result of looking up the owner of an identity at a provider.
package enum LinkAnswer: Sendable, Equatable {
    /// The identity belongs to no account.
    case nobody
    /// The account; only its uid if the store has no record of it.
    case owner(AccountRecord)
    case failed(StoreFailure)
}

/// Looks up the owners of identities, off the request path. Shared by the workers.
package protocol LinkLookup: Sendable {
    /// Looks up an owner and calls `answer` once, from any thread, within this call or later.
    func look(_ link: IdentityLink, answer: @escaping @Sendable (LinkAnswer) -> Void)
}

/// An identity whose owner has to be looked up.
package struct LinkQuestion: Sendable {
    package let link: IdentityLink
    /// The key of the link's name: requests that wait for the same key share a lookup.
    package let key: StoreKey
    /// Its counter among the link generations.
    package let place: Int
}

/// What is missing to find the principal of a provider's own token.
package enum OwnerNeed: Sendable {
    /// The owner: the store has to be queried.
    case owner(LinkQuestion)
    /// The revocation view, which is still loading: until then changes of links are not known.
    case view
    /// The owner cannot be found now.
    case unknown(StoreFailure)
}

/// When the owner of a cached token's identity was looked up.
package struct LinkStamp: Sendable {
    /// The link's counter among the generations; below 0: the token has no link.
    var place = -1
    /// The value of the counter before the store was queried; 0: it was not queried.
    var generation: UInt64 = 0

    package init(place: Int = -1, generation: UInt64 = 0) {
        self.place = place
        self.generation = generation
    }
}
