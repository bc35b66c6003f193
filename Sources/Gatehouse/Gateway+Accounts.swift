import Logging

extension Gateway {
    /// What workers ask.
    func forWorkers() -> Worker.Others {
        let links = configuration.accounts.map { _ in StoredLinks(store) }
        return Worker.Others(
            accounts: others.accounts, opaqueTokens: others.opaqueTokens,
            calls: sessions.flatMap { authority in configuration.accounts.map { accounts($0, authority) } },
            links: links, linkGenerations: links.map { _ in store.linkGenerations })
    }

    private func accounts(_ settings: Configuration.Accounts, _ authority: SessionAuthority) -> Accounts {
        let keys = AsyncKeys(coordinator: keys, clock: clock)
        let opaque = others.opaqueTokens.map { checker in
            OpaqueProof(providers: snapshot.opaqueProviders.map(\.id), checker: checker)
        }
        let parts = AccountParts(
            settings: settings, clock: clock, logger: logger, store: store, authority: authority,
            verifier: ProofVerifier(verifiers: snapshot.verifiers, keys: keys, opaque: opaque, clock: clock),
            clockSkew: snapshot.clockSkew, maxStaleness: snapshot.maxStaleness,
            firebase: others.accounts, rating: CallRates(settings),
            events: AccountEvents(
                verifier: EventVerifier(verifiers: snapshot.verifiers, keys: keys, now: clock.now), store: store,
                clock: clock, logger: logger))
        return Accounts(parts)
    }
}
