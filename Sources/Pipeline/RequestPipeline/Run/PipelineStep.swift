package import Authentication
package import Authorization
package import GatewayCore
package import Revocation

/// The next step of a run.
package enum PipelineStep {
    case permit(Permit)
    case deny(Denial)
    case respond(BuiltinResponse)
    /// The driver must perform a lookup and resume the run with its result.
    case await(Lookup)
}

/// The end or a pause of a run in a phase before it is permitted.
///
/// One word in size, because phases return it a dozen times per request, almost always as `nil`.
indirect enum PhaseEnd {
    case deny(Denial)
    case respond(BuiltinResponse)
    case await(Lookup)

    var step: PipelineStep {
        switch self {
        case .deny(let denial): .deny(denial)
        case .respond(let response): .respond(response)
        case .await(let lookup): .await(lookup)
        }
    }
}

/// A response of the gateway itself.
package enum BuiltinResponse {
    /// The public keys of assertions and session cookies.
    case keys
    /// The demo page.
    case page
    /// A file of the sign-in page, by its index. The client has the file if `isCurrent`.
    case asset(Int, isCurrent: Bool)
    /// 204 with these field lines.
    case preflight([UInt8])
}

/// A lookup that a run needs before it can proceed.
package enum Lookup {
    /// A newer view of the key set of this index. The driver requests a refresh, except for the keys of session
    /// cookies, which the store announces.
    case keySet(Int)
    /// The revocation view, which is still being loaded.
    case revocationView
    /// The user's records in the store itself.
    case records(StoreQuery, of: VerifiedTokenCache.Entry)
    /// The introspection response for an opaque token.
    case opaqueToken(OpaqueTokenKey, token: [UInt8])
    /// The Firebase account of a principal, as of this monotonic time or later, in nanoseconds.
    case account(Principal, notBefore: UInt64)
    /// The owner of an identity.
    case owner(LinkQuery)
    /// The consumption of the App Check token of one request, by the number of the lookup. Requests never share it.
    case appToken(UInt64, token: [UInt8], expiringAt: UnixTime)
    /// The charge of a rate limit bucket that all gateways share.
    case rateLimit(SharedRates.Key)

    /// The key under which requests share a result. `nil` if the result is for one request only.
    package var key: LookupKey? {
        switch self {
        case .keySet(let set): .keySet(set)
        case .revocationView: .revocationView
        case .records: nil
        case .opaqueToken(let key, _): .opaqueToken(key)
        case .account(let principal, _): .account(principal.userKey)
        case .owner(let query): .owner(query.key)
        case .appToken(let number, _, _): .appToken(number)
        case .rateLimit(let bucket): .rateLimit(bucket)
        }
    }
}

/// The key of a lookup that several requests may wait for.
package enum LookupKey: Hashable, Sendable {
    case keySet(Int)
    case revocationView
    case opaqueToken(OpaqueTokenKey)
    case account(StoreKey)
    case owner(StoreKey)
    case appToken(UInt64)
    case rateLimit(SharedRates.Key)
}

/// The result of a lookup, for the run that waits for it.
package enum LookupResult {
    /// The result arrived and was stored where the pipeline reads it: in a key set, a view or a cache.
    case arrived
    /// The result did not arrive in time, or the lookup cannot be performed now.
    case unavailable
    /// The records of the store, or its failure.
    case records(StoreRecords)
    /// The introspection response is in the cache. It is valid for the requests that waited for it, even if it has
    /// expired.
    case opaqueToken(OpaqueTokenKey)
    /// The account service does not know the account, or did not respond.
    case accountUnknown
    /// The store failed to look up the owner of the identity.
    case ownerUnknown(StoreFailure)
    /// The result of consuming the App Check token.
    case appToken(AppTokenUse)
}
