package import Authentication
package import GatewayCore
package import Revocation

/// What a run of the pipeline leads to.
package enum PipelineStep {
    case permit(Permit)
    case deny(Denial)
    case answer(BuiltinResponse)
    /// Something from outside is needed: the driver performs the lookup and resumes the run with the result.
    case await(Lookup)
}

/// The end, or a pause, of a run in a phase before it is permitted.
///
/// One word, as phases return it a dozen times for each request, almost always `nil`.
indirect enum PhaseEnd {
    case deny(Denial)
    case answer(BuiltinResponse)
    case await(Lookup)

    var step: PipelineStep {
        switch self {
        case .deny(let denial): .deny(denial)
        case .answer(let response): .answer(response)
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
    /// 204 with these field lines.
    case preflight([UInt8])
}

/// What a run needs from outside before it can go on.
package enum Lookup {
    /// A newer state of the key set of this index. A driver requests a refresh, except for the keys of session cookies, which the store announces.
    case keySet(Int)
    /// The revocation view, which is still being loaded.
    case revocationView
    /// The records of the user that the store itself holds.
    case records(StoreQuestion, of: VerifiedTokenCache.Entry)
    /// The introspection response for an opaque token.
    case opaqueToken(OpaqueTokenKey, token: [UInt8])
    /// The Firebase account of a principal, as it was at this monotonic time or later, in nanoseconds.
    case account(Principal, notBefore: UInt64)
    /// The owner of an identity.
    case owner(LinkQuestion)

    /// The key under which requests wait for the same result; `nil` for a result that is of one request alone.
    package var key: LookupKey? {
        switch self {
        case .keySet(let set): .keySet(set)
        case .revocationView: .revocationView
        case .records: nil
        case .opaqueToken(let key, _): .opaqueToken(key)
        case .account(let principal, _): .account(principal.userKey)
        case .owner(let question): .owner(question.key)
        }
    }
}

/// Identifies a lookup that several requests may wait for.
package enum LookupKey: Hashable, Sendable {
    case keySet(Int)
    case revocationView
    case opaqueToken(OpaqueTokenKey)
    case account(StoreKey)
    case owner(StoreKey)
}

/// What became of a lookup, for the run that waits for it.
package enum LookupResult {
    /// It arrived, and is where the pipeline reads it: in a key set, a view or a cache.
    case arrived
    /// It did not arrive in time, or cannot be performed now.
    case unavailable
    /// The records of the store, or why there are none.
    case records(StoreAnswer)
    /// The introspection response is in the cache. It counts for the requests that waited for it, however short it lives.
    case opaqueToken(OpaqueTokenKey)
    /// The account is not known to its service, or the service did not respond.
    case accountUnknown
    /// The store cannot say who owns the identity.
    case ownerUnknown(StoreFailure)
}
