import Authentication
import Authorization
import GatewayCore
import HTTPServer
import NIOCore
import RequestPipeline
import Revocation

/// The lookups of a worker. Each result is delivered on a later turn of the event loop than the start of the lookup.
extension Worker {
    /// Starts a lookup, unless a suitable one is running.
    func start(_ lookup: Lookup, _ key: LookupKey, for request: WaitingRequest) {
        let network = request.client.origin.network
        let bound = NIOLoopBound(self, eventLoop: loop)
        switch lookup {
        // Session keys are announced when they are loaded and cannot be requested.
        case .keySet(let set): if set != snapshot.sessionSet { requestKeys(set) }
        case .revocationView, .records: break
        case .opaqueToken(let token, let text):
            guard let source = lookups.opaqueTokens, !pending.isStarted(key) else { return }
            pending.start(key)
            source.check(text, key: token.digest, provider: token.provider, for: network) { verdict in
                bound.execute { $0.introspected(verdict, token) }
            }
        case .account(let principal, let notBefore):
            lookups.accounts?.lookUp(principal.user, notBefore: notBefore) { status in
                bound.execute { $0.accountArrived(status, of: principal.userKey) }
            }
        case .owner(let query):
            guard let source = lookups.links, let owners, !pending.isStarted(key) else { return }
            pending.start(key)
            counters.add(to: .storeReads)
            // Read before the store is queried, so that a later change of the link has a different generation.
            let generation = owners.generation(at: query.place)
            source.lookUp(query.link) { result in
                bound.execute { $0.ownerArrived(result, of: query, generation: generation) }
            }
        case .rateLimit(let bucket):
            guard let source = lookups.rates?.shared, !pending.isStarted(key) else { return }
            pending.start(key)
            source.wait(for: bucket) {
                bound.execute {
                    $0.pending.finish(key)
                    $0.resume(key)
                }
            }
        case .appToken(_, let token, let expiry):
            guard let interest = request.interest else { return }
            lookups.appTokens?.consume(token, expiringAt: expiry, for: network, while: interest) { use in
                bound.execute { $0.resume(key, with: .appToken(use)) }
            }
        }
    }

    /// Resumes the requests that wait for a key.
    func resume(_ key: LookupKey, with result: LookupResult = .arrived) {
        connectionContext.readClock()
        for request in pending.take(key) where request.isCurrent { request.resume(with: result) }
    }

    /// Resumes the requests whose waiting time is over. They are decided without the result.
    func expireLookups(now: UInt64) {
        for request in pending.take(where: { now >= $0.exchange.run.waitsUntil }) where request.isCurrent {
            request.resume(with: .unavailable)
        }
    }

    private func introspected(_ verdict: OpaqueVerdict, _ key: OpaqueTokenKey) {
        pending.finish(.opaqueToken(key))
        pipeline.opaqueAuthenticator?.install(verdict, of: key)
        resume(.opaqueToken(key), with: .opaqueToken(key))
    }

    /// Requests that need a later status continue to wait for their own lookup. Restarting it with each result would
    /// multiply the lookups of a user with many strict requests.
    private func accountArrived(_ status: AccountStatus, of user: StoreKey) {
        let isUnknown = status.state == .unavailable
        if !isUnknown {
            learn(status, of: user)
            shareAccountStatus?(status, user)
        }
        connectionContext.readClock()
        let ready = pending.take(.account(user)) { isUnknown || pipeline.suffices(status, for: $0.exchange.run) }
        for request in ready where request.isCurrent { request.resume(with: isUnknown ? .accountUnknown : .arrived) }
    }

    /// Caches the status of an account, which may come from another worker.
    func learn(_ status: AccountStatus, of user: StoreKey) {
        pipeline.accounts?.table.insert(status, of: user)
    }

    /// Requests whose link changed during the query repeat it.
    private func ownerArrived(_ result: LinkLookupResult, of query: LinkQuery, generation: UInt64) {
        let key = LookupKey.owner(query.key)
        pending.finish(key)
        switch result {
        case .unowned: owners?.keep(nil, of: query.key, generation: generation)
        case .owner(let account): owners?.keep(account, of: query.key, generation: generation)
        case .failed(let failure): return resume(key, with: .ownerUnknown(failure))
        }
        resume(key)
    }

    // MARK: - The store itself

    /// Queries the store itself. Returns the failure if the store cannot be queried now. `nil` if the request waits.
    func queryStore(
        _ query: StoreQuery, _ identity: VerifiedTokenCache.Entry, for request: WaitingRequest
    ) -> LookupResult? {
        counters.add(to: .storeReads)
        guard let inquiries, inquiries.isConnected else { return .records(.failed(.unreachable)) }
        guard inquiries.hasRoom else { return .records(.failed(.overloaded)) }
        request.client.adjustReading()
        inquiries.query(
            query, identity.recordCommands, for: StoreRequest(request: request, began: connectionContext.time))
        return nil
    }

    func storeResponded(_ query: StoreRequest, _ records: StoreRecords) {
        connectionContext.readClock()
        counters.record(.storeRead, nanoseconds: connectionContext.time &- query.began)
        guard query.request.isCurrent else { return }
        query.request.resume(with: .records(records))
    }
}

/// A request that waits for the store's response.
struct StoreRequest {
    let request: WaitingRequest
    /// When the query was sent, in monotonic nanoseconds.
    let began: UInt64
}
