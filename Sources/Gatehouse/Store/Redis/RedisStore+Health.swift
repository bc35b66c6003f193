extension RedisStore {
    /// How Redis is followed.
    public var health: StoreHealth? {
        let status = replica.status
        let known = [("start", "first"), ("hourly", "due")]
        let readings =
            known.map { StoreHealth.Readings(reason: $0.0, count: status.rereads[$0.1] ?? 0) }
            + [StoreHealth.Readings(reason: "gap", count: status.gaps)]
        return StoreHealth(
            isConnected: status.isConnected, trouble: trouble(status), changes: status.entries,
            malformedChanges: status.strangeEntries, readings: readings)
    }

    /// What is wrong and what to do; nil: nothing.
    var trouble: String? { trouble(replica.status) }

    private func trouble(_ status: ReplicaStatus) -> String? {
        if !status.isConnected { return "\(replica.linkStatus)" }
        if let fault = status.lastFault { return fault.message }
        return status.isCatchingUp && status.isLoaded ? "changes were missed, and everything is being read again" : nil
    }
}
