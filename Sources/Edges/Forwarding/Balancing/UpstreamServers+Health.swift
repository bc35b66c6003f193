extension UpstreamServers {
    /// A change in the state of a server.
    enum Change: Equatable, Sendable {
        /// Ejected for a duration in nanoseconds.
        case ejected(Int, time: UInt64)
        /// Returned after an ejection.
        case returned(Int)
        /// Health checks have failed, or succeed again.
        case unhealthy(Int)
        case healthy(Int)
    }

    /// Records a failed request.
    mutating func failed(_ server: Int, now: UInt64) -> Change? {
        guard let rule = rule.ejection, servers[server].isPresent else { return nil }
        let mayEject = mayEjectAnother(rule)
        guard let time = servers[server].ejection.failed(now: now, rule: rule, mayEject: mayEject) else { return nil }
        servers[server].checksPassed = 0
        resolve()
        return .ejected(server, time: time)
    }

    /// Records a successful request.
    @inline(__always)
    mutating func succeeded(_ server: Int, now: UInt64) {
        guard servers[server].ejection.isBlemished, let rule = rule.ejection else { return }
        servers[server].ejection.succeeded(now: now, rule: rule)
    }

    /// Records the end of a health check. `isHealthy` is the verdict from this and earlier checks.
    mutating func checked(_ server: Int, passed: Bool, isHealthy: Bool, now: UInt64) -> Change? {
        servers[server].checksPassed = passed ? servers[server].checksPassed + 1 : 0
        if servers[server].isHealthy != isHealthy {
            servers[server].isHealthy = isHealthy
            if isHealthy { comeBack(server, now: now) }
            resolve()
            return isHealthy ? .healthy(server) : .unhealthy(server)
        }
        guard servers[server].ejection.isEjected, isHealthy, servers[server].checksPassed >= rule.goodChecks else {
            return nil
        }
        comeBack(server, now: now)
        resolve()
        return .returned(server)
    }

    /// Updates ejections and slow starts. Called several times per second.
    mutating func tick(now: UInt64) -> [Change] {
        guard rampCount > 0 || rule.ejection != nil else { return [] }
        var changes: [Change] = []
        for server in servers.indices {
            if servers[server].ejection.isEjected, servers[server].ejection.returns(now: now) {
                servers[server].busyBefore = servers[server].busy
                startSlowly(server, now: now)
                changes.append(.returned(server))
            }
            if servers[server].ramp < Self.wholeShare { servers[server].ramp = ramp(of: servers[server], now: now) }
        }
        if changes.isEmpty { rampCount = servers.count { $0.ramp < Self.wholeShare } } else { resolve() }
        return changes
    }

    private mutating func comeBack(_ server: Int, now: UInt64) {
        if servers[server].ejection.isEjected {
            servers[server].ejection.pardon(now: now)
            servers[server].busyBefore = servers[server].busy
        }
        startSlowly(server, now: now)
    }

    private mutating func startSlowly(_ server: Int, now: UInt64) {
        guard rule.slowStart > 0 else { return }
        servers[server].rampsSince = now
        servers[server].ramp = Self.firstShare
    }

    private func ramp(of server: Server, now: UInt64) -> Int {
        let passed = now > server.rampsSince ? now - server.rampsSince : 0
        guard passed < rule.slowStart else { return Self.wholeShare }
        return max(Self.firstShare, Int(passed / (rule.slowStart / UInt64(Self.wholeShare) + 1)))
    }

    /// Returns whether another ejection stays within the maximum percentage.
    private func mayEjectAnother(_ rule: ServerEjection.Rule) -> Bool {
        let present = servers.count { $0.isPresent }
        let ejected = servers.count { $0.isPresent && $0.ejection.isEjected }
        return (ejected + 1) * 100 <= rule.maxShare * present
    }
}
