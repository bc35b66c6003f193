import NIOCore

/// Whom a worker asks about opaque tokens, and what it waits for.
struct WorkerOpaqueTokens {
    let source: any OpaqueTokenChecking
    let authenticator: OpaqueAuthenticator
    /// The tokens that this worker has asked about: one question each, however many requests wait for it.
    var asked: Set<OpaqueTokenKey> = []
    /// What was just answered, while those who waited for it are decided.
    var answered: OpaqueTokenKey?
}

extension Worker {
    /// Whom an opaque token names; asks its provider and keeps the request where that is not known.
    func identify(
        opaque token: UnsafeRawBufferPointer, _ plan: RoutePlan, at moment: Authorizer.Moment, for client: ClientHandler
    ) -> Identified {
        // Not the whole value: a second one alive would have each question copy the set of those that were asked.
        guard let authenticator = opaqueTokens?.authenticator else { return .settled }
        let outcome = authenticator.authenticate(
            token, provider: plan.opaqueProvider, now: moment.now, monotonic: moment.monotonic,
            answered: opaqueTokens?.answered)
        switch outcome {
        case .verified(let entry): return .known(entry)
        case .refused(let failure):
            client.record.reason = failure.reason.rawValue
            client.deny(Denial(failure.code))
        case .awaitOwner(let need): awaitOwner(need, mayWait: moment.mayWait, for: client)
        case .unavailable(let retryAfter): client.deny(Denial(.introspectionUnavailable, retryAfter: retryAfter))
        case .ask(let key):
            guard moment.mayWait else {
                client.deny(Denial(.introspectionUnavailable))
                return .settled
            }
            // Taken before anybody else's request is touched.
            let question = opaqueTokens?.asked.contains(key) == true ? nil : Array(token)
            guard wait(client, for: .opaqueToken(key)) else { return .settled }
            if let question { ask(about: question, key, for: client) }
        }
        return .settled
    }

    private func ask(about token: [UInt8], _ key: OpaqueTokenKey, for client: ClientHandler) {
        guard let source = opaqueTokens?.source else { return }
        opaqueTokens?.asked.insert(key)
        let bound = NIOLoopBound(self, eventLoop: loop)
        source.check(token, key: key.digest, provider: key.provider, for: client.origin.network) { verdict in
            bound.execute { $0.answered(verdict, about: key) }
        }
    }

    /// A provider's word on a token: who waits for it is decided again.
    private func answered(_ verdict: OpaqueVerdict, about key: OpaqueTokenKey) {
        opaqueTokens?.asked.remove(key)
        opaqueTokens?.authenticator.install(verdict, of: key)
        let outer = opaqueTokens?.answered
        opaqueTokens?.answered = key
        resume(.opaqueToken(key))
        opaqueTokens?.answered = outer
    }
}
