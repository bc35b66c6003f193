import Authentication
import Authorization
import GatewayCore
import HTTPServer
import NIOCore
import RequestPipeline
import Revocation

/// A request that waits for a lookup.
struct WaitingRequest {
    let client: ClientHandler
    let exchange: ClientExchange
    /// Distinguishes the requests of one connection.
    let number: UInt64

    init(_ client: ClientHandler, _ exchange: ClientExchange) {
        self.client = client
        self.exchange = exchange
        number = client.record.number
    }

    /// Whether the client still has this request.
    var isCurrent: Bool { client.isOpen && client.record.number == number }

    func resume(with result: LookupResult) {
        exchange.resume(with: result, client)
    }
}

extension ClientExchange {
    /// Lets the request wait for a lookup, and starts the lookup where none is under way that serves it.
    ///
    /// - Returns: the result, if it is known at once that there is none; `nil`: the request waits, or was denied.
    func wait(for lookup: Lookup, _ client: ClientHandler, _ worker: Worker) -> LookupResult? {
        let request = WaitingRequest(client, self)
        guard let key = lookup.key else {
            guard case .records(let question, let entry) = lookup else { return .unavailable }
            return worker.askStore(question, entry, for: request)
        }
        if case .owner = lookup, !worker.pending.isStarted(key), worker.pending.lookups >= Worker.lookupLimit {
            return .ownerUnknown(.overloaded)
        }
        noteWait(since: worker.front.time)
        switch worker.pending.enter(request, for: key, of: client.origin.network) {
        case .refused:
            client.deny(Denial(.overloaded))
            return nil
        case .admitted: client.adjustReading()
        case .replaced(let evicted):
            client.adjustReading()
            if evicted.isCurrent { evicted.client.deny(Denial(.overloaded)) }
        }
        worker.start(lookup, key, of: client.origin.network)
        return nil
    }
}

/// The lookups of a worker. Each result is delivered on a later turn of the event loop than the one that started the lookup.
extension Worker {
    /// Starts a lookup, unless one is under way that serves the request.
    func start(_ lookup: Lookup, _ key: LookupKey, of network: PeerNetwork) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        switch lookup {
        // The keys of session cookies arrive when they are known; no source can be queried for them.
        case .keySet(let set): if set != snapshot.sessionSet { requestKeys(set) }
        case .revocationView, .records: break
        case .opaqueToken(let token, let text):
            guard let source = lookups.opaqueTokens, !pending.isStarted(key) else { return }
            pending.start(key)
            source.check(text, key: token.digest, provider: token.provider, for: network) { verdict in
                bound.execute { $0.introspected(verdict, token) }
            }
        case .account(let principal, let notBefore):
            lookups.accounts?.look(principal.user, notBefore: notBefore) { status in
                bound.execute { $0.accountArrived(status, of: principal.userKey) }
            }
        case .owner(let question):
            guard let source = lookups.links, let owners, !pending.isStarted(key) else { return }
            pending.start(key)
            counters.add(to: .storeReads)
            // Read before the store is queried: a later change of the link has another generation.
            let generation = owners.generation(at: question.place)
            source.look(question.link) { answer in
                bound.execute { $0.ownerArrived(answer, of: question, generation: generation) }
            }
        }
    }

    /// Resumes the requests that wait for a key.
    func resume(_ key: LookupKey, with result: LookupResult = .arrived) {
        front.readClock()
        for request in pending.take(key) where request.isCurrent { request.resume(with: result) }
    }

    /// Resumes the requests that have waited for as long as they may: they are decided without what they waited for.
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

    /// Requests that need a later answer go on waiting: theirs is under way. If each answer started their lookup again, the lookups of many strict
    /// requests of one user would multiply.
    private func accountArrived(_ status: AccountStatus, of user: StoreKey) {
        let isUnknown = status.answer == .unavailable
        if !isUnknown {
            learn(status, of: user)
            tellOthers?(status, user)
        }
        front.readClock()
        let ready = pending.take(.account(user)) { isUnknown || pipeline.suffices(status, for: $0.exchange.run) }
        for request in ready where request.isCurrent { request.resume(with: isUnknown ? .accountUnknown : .arrived) }
    }

    /// Remembers the state of an account, which another worker may have looked up.
    func learn(_ status: AccountStatus, of user: StoreKey) {
        pipeline.accounts?.table.insert(status, of: user)
    }

    /// Requests whose link changed while the store was queried ask again.
    private func ownerArrived(_ answer: LinkAnswer, of question: LinkQuestion, generation: UInt64) {
        let key = LookupKey.owner(question.key)
        pending.finish(key)
        switch answer {
        case .nobody: owners?.keep(nil, of: question.key, generation: generation)
        case .owner(let account): owners?.keep(account, of: question.key, generation: generation)
        case .failed(let failure): return resume(key, with: .ownerUnknown(failure))
        }
        resume(key)
    }

    // MARK: - The store itself

    /// Sends a question to the store itself.
    ///
    /// - Returns: why it cannot be asked now; `nil`: the request waits for the answer.
    func askStore(
        _ question: StoreQuestion, _ identity: VerifiedTokenCache.Entry, for request: WaitingRequest
    ) -> LookupResult? {
        counters.add(to: .storeReads)
        guard let inquiries, inquiries.isConnected else { return .records(.failed(.unreachable)) }
        guard inquiries.hasRoom else { return .records(.failed(.overloaded)) }
        request.client.adjustReading()
        inquiries.ask(question, identity.recordCommands, for: StoreRequest(request: request, began: front.time))
        return nil
    }

    func storeAnswered(_ asked: StoreRequest, _ answer: StoreAnswer) {
        front.readClock()
        counters.record(.storeRead, nanoseconds: front.time &- asked.began)
        guard asked.request.isCurrent else { return }
        asked.request.resume(with: .records(answer))
    }
}

/// A request that waits for the answer of the store itself.
struct StoreRequest {
    let request: WaitingRequest
    /// When the question was sent, in monotonic nanoseconds.
    let began: UInt64
}
