import NIOCore

extension Worker {
    /// What is known of the account of who is asking. Looks it up where the route asks about revocations and the user is Firebase's.
    func accountView(
        of identity: VerifiedTokenCache.Entry?, _ plan: RoutePlan, at moment: Authorizer.Moment,
        for client: ClientHandler
    ) -> AccountView {
        guard plan.policy.revocation != .off, let standing = identity?.standing, standing.isFirebase else {
            return .notAsked
        }
        let known = accounts?.memory.table.find(standing.userKey)
        if let known, known.askedAt >= oldestAccount(plan, for: client) { return .known(known.answer) }
        // Who was told that nothing can be told, or may wait no longer, is decided by what there is: asked again, a request that has to ask
        // the store as well would go round between the two.
        if client.record.accountIsUnknown || !moment.mayWait { return .failed(lastKnown: known?.answer) }
        return .notAsked
    }

    /// How old an answer may be: a strict route wants one that was asked for after its request came, another one that is not staler than
    /// allowed when it came. The same as long as the request waits, so that what was asked for it is enough for it.
    private func oldestAccount(_ plan: RoutePlan, for client: ClientHandler) -> UInt64 {
        let began = client.record.began
        if plan.policy.revocation == .strict { return began }
        return began > snapshot.maxStaleness ? began - snapshot.maxStaleness : 0
    }

    /// Asks Identity Toolkit about the account of who is asking, and keeps the request until it answers.
    func lookUp(_ identity: VerifiedTokenCache.Entry?, _ plan: RoutePlan, for client: ClientHandler) {
        guard let source = accounts?.source, let principal = identity?.principal else {
            return client.deny(Denial(.storeUnavailable))
        }
        let key = principal.userKey
        guard wait(client, for: .account(key)) else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        source.look(principal.user, notBefore: oldestAccount(plan, for: client)) { status in
            bound.execute { $0.accountAnswered(status, of: key) }
        }
    }

    /// Decides again who waits for the account, but for those who need a later answer: theirs is on its way. Asked for once more with each
    /// answer, the questions of many strict requests of one user would multiply.
    private func accountAnswered(_ status: AccountStatus, of user: StoreKey) {
        let isUnknown = status.answer == .unavailable
        if !isUnknown {
            learn(status, of: user)
            tellOthers?(status, user)
        }
        front.readClock()
        let ready = waiters.remove { waiter in
            waiter.awaited == .account(user) && (isUnknown || suffices(status, for: waiter.client))
        }
        for waiter in ready where isCurrent(waiter) {
            waiter.client.record.accountIsUnknown = isUnknown
            waiter.client.serveAgain()
        }
    }

    /// Remembers what Identity Toolkit said, be it to another worker.
    func learn(_ status: AccountStatus, of user: StoreKey) {
        accounts?.memory.table.insert(status, of: user)
    }

    private func suffices(_ status: AccountStatus, for client: ClientHandler) -> Bool {
        guard client.record.route >= 0 else { return true }
        return status.askedAt >= oldestAccount(snapshot.plans[client.record.route], for: client)
    }
}

/// What a worker knows of Firebase's accounts, and whom it asks.
struct WorkerAccounts {
    /// The answers. An object: the workers of one loop that share it, through reloads, learn from each other.
    final class Memory {
        var table = AccountTable()
    }

    let source: any AccountLookingUp
    let memory = Memory()
}
