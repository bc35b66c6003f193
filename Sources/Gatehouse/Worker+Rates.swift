extension Worker {
    /// Takes a request out of the route's buckets that need no user. Once: a request that is decided again has been counted.
    ///
    /// - Returns: false when it may not pass; then it is answered.
    func isWithin(_ rates: RouteRates, _ client: ClientHandler) -> Bool {
        guard !client.record.isCounted else { return true }
        client.record.isCounted = true
        return settle(self.rates?.take(rates, network: client.origin.network, now: front.time), client)
    }

    /// The same with the buckets of users.
    func isWithin(_ rates: RouteRates, _ identity: VerifiedTokenCache.Entry?, _ client: ClientHandler) -> Bool {
        guard !rates.users.isEmpty, !client.record.isCountedForUser else { return true }
        client.record.isCountedForUser = true
        let refusal = self.rates?.take(
            rates, user: identity?.standing.userKey, network: client.origin.network, now: front.time)
        return settle(refusal, client)
    }

    private func settle(_ refusal: RateTables.Refusal?, _ client: ClientHandler) -> Bool {
        guard let refusal else { return true }
        client.record.reason = refusal.limit.text
        client.deny(Denial(.rateLimited, retryAfter: refusal.retryAfter))
        return false
    }
}
