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
        let known = accounts?.table.find(standing.userKey)
        if let known, known.askedAt >= oldestAccount(plan, for: client) { return .known(known.answer) }
        // Who has asked, or may wait no longer, is decided by what there is.
        if accounts?.unanswered == standing.userKey || !moment.mayWait { return .failed(lastKnown: known?.answer) }
        return .notAsked
    }

    /// How old an answer may be: a strict route wants one that was asked for after its request came.
    private func oldestAccount(_ plan: RoutePlan, for client: ClientHandler) -> UInt64 {
        if plan.policy.revocation == .strict { return client.record.began }
        return front.time > snapshot.maxStaleness ? front.time - snapshot.maxStaleness : 0
    }

    /// Asks Identity Toolkit about the account of who is asking, and keeps the request until it answers.
    func lookUp(_ identity: VerifiedTokenCache.Entry?, _ plan: RoutePlan, for client: ClientHandler) {
        guard let accounts, let principal = identity?.principal else { return client.deny(Denial(.storeUnavailable)) }
        let key = principal.userKey
        guard wait(client, for: .account(key)) else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        accounts.source.look(uid: principal.uid, notBefore: oldestAccount(plan, for: client)) { status in
            bound.execute { $0.accountAnswered(status, of: key) }
        }
    }

    private func accountAnswered(_ status: AccountStatus, of user: StoreKey) {
        if status.answer == .unavailable {
            accounts?.unanswered = user
        } else {
            accounts?.table.insert(status, of: user)
        }
        resume(.account(user))
        accounts?.unanswered = nil
    }
}

/// What a worker knows of Firebase's accounts, and whom it asks.
struct WorkerAccounts {
    let source: any AccountLookingUp
    var table = AccountTable()
    /// Of whom Identity Toolkit just did not tell, while those who waited for it are decided.
    var unanswered: StoreKey?
}
