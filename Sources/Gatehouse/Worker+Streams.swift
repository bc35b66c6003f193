extension Worker {
    /// Counts a stream, and gives it what its end is told by.
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? {
        let record = client.record
        guard record.route >= 0 else { return nil }
        let plan = snapshot.plans[record.route]
        let standing = record.identity?.standing
        counters.add(to: kind == .answer ? .streamsAnswered : .streamsTunneled)
        counters.adjust(.streamsOpen, by: 1)
        return OpenStream(
            kind, standing: plan.policy.revocation == .off ? nil : standing,
            watch: StreamWatch(bounds: plan.stream, began: front.time, expiresAt: standing?.expiresAt))
    }

    /// Gives an exchange that lasts what it is ended by with its user's permission; nil: nobody is signed in.
    func watchExchange(of client: ClientHandler) -> OpenStream? {
        let record = client.record
        guard record.route >= 0, let standing = record.identity?.standing else { return nil }
        let plan = snapshot.plans[record.route]
        return OpenStream(
            .exchange, standing: plan.policy.revocation == .off ? nil : standing,
            watch: StreamWatch(bounds: plan.stream.ofPermission, began: front.time, expiresAt: standing.expiresAt))
    }

    /// Why a stream's user may not go on, by what this worker knows now. What it does not know, however long, ends no stream.
    func refusal(of stream: OpenStream) -> DecisionCode? {
        guard let standing = stream.standing else { return nil }
        let changes = authorizer.store.view.changes &+ (accounts?.memory.table.changes ?? 0)
        guard stream.watch.mustAsk(changes: changes) else { return nil }
        return authorizer.refusal(standing, account: accounts?.memory.table.find(standing.userKey)?.answer)
    }

    func streamEnded(_ stream: OpenStream, code: DecisionCode) {
        counters.adjust(.streamsOpen, by: -1)
        if code.status == 401 { counters.add(to: .streamsRefused) }
    }
}
