import NIOCore

/// Whom a worker asks about the owners of identities, and what it waits for.
struct WorkerLinks {
    let source: any LinkAsking
    let owners: LinkOwners
    /// The links that this worker has asked about: one question each, however many requests wait for it.
    var asked: Set<StoreKey> = []

    /// The most questions of a worker that are out at a time.
    static let limit = 1024
}

extension Worker {
    /// Keeps a request until it is known whom its token names, or refuses it where that cannot be known.
    func awaitOwner(_ need: OwnerNeed, mayWait: Bool, for client: ClientHandler) {
        switch need {
        case .unknown(let failure): cannotName(client, failure.rawValue)
        case .view:
            guard mayWait else { return cannotName(client, StoreFailure.notLoaded.rawValue) }
            wait(client, for: .store)
        case .owner(let question):
            guard mayWait else { return cannotName(client, "it did not tell in time") }
            guard hasRoom(for: question) else { return cannotName(client, StoreFailure.overloaded.rawValue) }
            guard wait(client, for: .owner(question.key)) else { return }
            // Looked at again: who made room may have asked meanwhile.
            if links?.asked.contains(question.key) == false { ask(question) }
        }
    }

    private func hasRoom(for question: LinkQuestion) -> Bool {
        guard let links else { return false }
        return links.asked.count < WorkerLinks.limit || links.asked.contains(question.key)
    }

    /// Who is asking is never assumed, whatever the route does about revocations that cannot be read.
    private func cannotName(_ client: ClientHandler, _ why: String) {
        counters.add(to: .storeReadFailures)
        client.record.reason = "the identity's owner: \(why)"
        client.deny(Denial(.storeUnavailable))
    }

    private func ask(_ question: LinkQuestion) {
        guard let source = links?.source, let owners = links?.owners else { return }
        links?.asked.insert(question.key)
        counters.add(to: .storeReads)
        // Before the store is asked: what changes from now on is told by another generation.
        let generation = owners.generation(at: question.place)
        let bound = NIOLoopBound(self, eventLoop: loop)
        source.look(question.link) { answer in
            bound.execute { $0.answered(answer, about: question, generation: generation) }
        }
    }

    /// The store's word on an identity: who waits for it is decided again, and asks again where a link changed meanwhile.
    private func answered(_ answer: LinkAnswer, about question: LinkQuestion, generation: UInt64) {
        links?.asked.remove(question.key)
        front.readClock()
        let owners = links?.owners
        switch answer {
        case .nobody: owners?.keep(nil, of: question.key, generation: generation)
        case .owner(let account): owners?.keep(account, of: question.key, generation: generation)
        case .failed(let failure):
            for waiter in waiters.remove(where: { $0.awaited == .owner(question.key) }) where isCurrent(waiter) {
                cannotName(waiter.client, failure.rawValue)
            }
            return
        }
        resume(.owner(question.key))
    }
}
