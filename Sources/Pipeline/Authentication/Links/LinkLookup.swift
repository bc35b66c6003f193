package import Revocation

/// The result of looking up the owner of an identity at a provider.
package enum LinkLookupResult: Sendable, Equatable {
    /// The identity belongs to no account.
    case unowned
    /// The account. It contains only the uid if the store has no record of it.
    case owner(AccountRecord)
    case failed(StoreFailure)
}

/// A lookup of the owners of identities, off the request path and shared by the workers.
package protocol LinkLookup: Sendable {
    /// Looks up an owner and calls `completion` once, from any thread, during this call or later.
    func lookUp(_ link: IdentityLink, completion: @escaping @Sendable (LinkLookupResult) -> Void)
}

/// An identity whose owner has to be looked up.
package struct LinkQuery: Sendable {
    package let link: IdentityLink
    /// The key of the link's name. Requests that wait for the same key share a lookup.
    package let key: StoreKey
    /// The index of the link's counter among the link generations.
    package let place: Int
}

/// The missing fact for determining the principal of a provider's own token.
package enum OwnerNeed: Sendable {
    /// The owner: the store must be queried.
    case owner(LinkQuery)
    /// The revocation view, which is still loading. Until then, changes of links are unknown.
    case view
    /// The owner cannot be found now.
    case unknown(StoreFailure)
}

/// The state of the link counter at the lookup of the owner of a cached token's identity.
package struct LinkStamp: Sendable {
    /// The index of the link's counter among the generations. Below 0 if the token has no link.
    var place = -1
    /// The value of the counter before the store was queried. 0 if it was not queried.
    var generation: UInt64 = 0

    package init(place: Int = -1, generation: UInt64 = 0) {
        self.place = place
        self.generation = generation
    }
}
