import GatewayCore
import HTTPServer
import Logging
import NIOCore

extension UpstreamPool {
    /// Replaces the upstream's endpoints. Removed ones receive no new requests; current exchanges are completed.
    func install(_ endpoints: [UpstreamEndpoint]) {
        guard !endpoints.isEmpty else { return }
        let wanted = Set(endpoints)
        var known: Set<UpstreamEndpoint> = []
        for slot in targets.indices where machine.servers.servers[slot].isPresent {
            if wanted.contains(targets[slot]) {
                known.insert(targets[slot])
            } else {
                machine.servers.servers[slot].isPresent = false
                machine.servers.servers[slot].isCandidate = false
            }
        }
        // Nothing of a removed server is kept when its number is reused.
        closeUnwanted()
        let count = endpoints.reduce(into: [:]) { $0[$1.server, default: 0] += 1 }
        for endpoint in endpoints where !known.contains(endpoint) { add(endpoint) }
        for slot in targets.indices where machine.servers.servers[slot].isPresent {
            let server = targets[slot].server
            // The addresses of a name share its weight.
            machine.servers.servers[slot].weight = max(
                1, settings.servers[server].weight * UpstreamSettings.addressesEach / max(1, count[server] ?? 1))
        }
        machine.servers.rebuild()
        closeUnwanted()
        tracksResponses = (settings.choice.ejection != nil && endpoints.count > 1) || settings.retry.retriesOnStatus
    }

    private func add(_ endpoint: UpstreamEndpoint) {
        let name = BalanceValue.hash(of: endpoint, in: settings)
        let slot = machine.servers.add(name: name, weight: 1)
        if slot == targets.count { targets.append(endpoint) } else { targets[slot] = endpoint }
        _ = outages.ended(slot)
    }

    /// Applies an update from the monitor.
    package func apply(_ news: UpstreamUpdate) {
        connectionContext.readClock()
        switch news {
        case .endpoints(let endpoints): install(endpoints)
        case .checked(let endpoint, let passed, let isHealthy, let why):
            guard let slot = targets.firstIndex(of: endpoint), machine.servers.servers[slot].isPresent else { return }
            let change = machine.servers.checked(
                slot, passed: passed, isHealthy: isHealthy, now: connectionContext.time)
            changed(change, why: why)
        }
    }

    // MARK: - Results of requests

    /// Records a failure that the server caused.
    func requestFailed(at server: Int, why: String) {
        changed(machine.servers.failed(server, now: connectionContext.time), why: why)
    }

    /// Records a response.
    func requestAnswered(at server: Int) {
        machine.servers.succeeded(server, now: connectionContext.time)
    }

    /// Returns whether a request that failed at `server` is retried, and counts the retry.
    func mayRetry(_ reason: UpstreamRetry.Reason, at server: Int, for client: ClientHandler) -> Bool {
        guard settings.retry.covers(reason), client.record.attempts <= settings.retry.attempts else { return false }
        if reason == .reset, !hasAnother(than: server, client.record.tried) { return false }
        guard budget.take() else {
            counters.add(to: .retriesRefused, upstream: settings.counterPlace)
            return false
        }
        counters.add(to: reason.counter, upstream: settings.counterPlace)
        let tried = client.record.tried + [server]
        client.record.tried = tried
        return true
    }

    private func hasAnother(than server: Int, _ tried: [Int]) -> Bool {
        machine.servers.candidates.contains { $0 != server && !tried.contains($0) }
    }

    // MARK: - Changes

    func tickServers(now: UInt64) {
        for change in machine.servers.tick(now: now) { changed(change, why: "the ejection has expired") }
    }

    private func changed(_ change: UpstreamServers.Change?, why: String) {
        guard let change else { return }
        closeUnwanted()
        switch change {
        case .ejected(let server, let time):
            ejections[targets[server].server] &+= 1
            let time = DurationText.write(.milliseconds(Int64(clamping: time / 1_000_000)))
            notify("server ejected", server, ["reason": "\(why)", "for": "\(time)"])
        case .returned(let server): notify("server returned", server, ["reason": "\(why)"])
        case .unhealthy(let server): notify("server unhealthy", server, ["reason": "\(why)"])
        case .healthy(let server): notify("server healthy", server, ["reason": "\(why)"])
        }
    }

    func notify(
        _ message: Logger.Message, _ server: Int, level: Logger.Level = .notice, _ more: Logger.Metadata
    ) {
        var metadata = more
        metadata["upstream"] = "\(settings.name)"
        metadata["server"] = "\(settings.servers[targets[server].server].url)"
        if let address = targets[server].address?.ipAddress { metadata["address"] = "\(address)" }
        logger.log(level: level, message, metadata: metadata)
    }

    private func closeUnwanted() {
        for connection in machine.serversChanged() { connection.retire() }
        streams?.retire { machine.servers.keeps($0) }
    }
}

extension UpstreamRetry.Reason {
    fileprivate var counter: WorkerCounters.UpstreamCounter {
        switch self {
        case .reset: .retriesReset
        case .status: .retriesStatus
        case .timeout: .retriesTimeout
        }
    }
}
