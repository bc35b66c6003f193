import Logging
package import Revocation

extension RedisStore {
    /// How Redis is followed.
    package var health: StoreHealth? {
        let status = replica.status
        let known = [("start", "first"), ("hourly", "due")]
        let readings =
            known.map { StoreHealth.Readings(reason: $0.0, count: status.rereads[$0.1] ?? 0) }
            + [StoreHealth.Readings(reason: "gap", count: status.gaps)]
        var health = StoreHealth(
            isConnected: status.isConnected, trouble: trouble(status), changes: status.entries,
            malformedChanges: status.strangeEntries, readings: readings)
        if status.isLossCertain { health.loss = status.loss }
        return health
    }

    /// Confirms what Redis holds now. The view follows once everything was read again, which begins within seconds.
    @discardableResult
    package func accept() async throws(StoreError) -> StoreLoss {
        try checkOpen()
        let loss = await replica.accept()
        logger.warning(
            "revocations: what Redis holds now was confirmed",
            metadata: ["users": "\(loss.users)", "sessions": "\(loss.sessions)", "went_back": "\(loss.wentBack)"])
        return loss
    }

    /// What is wrong and what to do; nil: nothing.
    package var trouble: String? { trouble(replica.status) }

    private func trouble(_ status: ReplicaStatus) -> String? {
        if !status.isConnected { return "\(replica.linkStatus)" }
        if let fault = status.lastFault { return fault.message }
        if status.isCatchingUp, status.isLoaded { return "changes were missed, and everything is being read again" }
        return status.isLossCertain && status.loss.isAny ? Self.text(of: status.loss) : nil
    }

    private static func text(of loss: StoreLoss) -> String {
        let records = "the records of \(loss.users) users and \(loss.sessions) sessions"
        let what =
            loss.users + loss.sessions > 0 ? "Redis has lost \(records), which are kept here" : "Redis has lost changes"
        return what + "; restore it from a backup, or confirm its state by POST /v1/store/accept"
    }
}
