import Forwarding
import GatewayCore
import NIOCore
import Observability

extension Gateway {
    /// The servers of the upstreams that are served, as all loops see them.
    func upstreamServers() async -> [UpstreamServerReading] {
        var servers: [UpstreamServerReading] = []
        for loop in loops {
            let seen = (try? await loop.onLoop { $0.upstreamServers }) ?? []
            servers = servers.isEmpty ? seen : servers.mergedWith(seen)
        }
        for watch in upstreamWatches.current where watch.settings.health != nil {
            for (server, checks) in zip(watch.settings.servers, watch.checks) {
                guard let index = servers.firstIndex(where: { $0.isOf(watch.settings.name, server.url) }) else {
                    continue
                }
                servers[index].checksPassed = checks.passed
                servers[index].checksFailed = checks.failed
            }
        }
        return servers
    }
}

extension WorkerLoop {
    /// News of an upstream, for its pool.
    func apply(_ news: UpstreamNews, of settings: UpstreamSettings) {
        var told: Set<ObjectIdentifier> = []
        for pool in workers.flatMap(\.pools) where pool.settings == settings {
            if told.insert(ObjectIdentifier(pool)).inserted { pool.apply(news) }
        }
    }

    fileprivate var upstreamServers: [UpstreamServerReading] { current?.pools.flatMap(\.serverReadings) ?? [] }
}

extension UpstreamPool {
    /// Its servers, by their places in the settings.
    var serverReadings: [UpstreamServerReading] {
        var readings = settings.servers.map { UpstreamServerReading(upstream: settings.name, server: $0.url) }
        for index in readings.indices { readings[index].ejections = ejections[index] }
        for (slot, target) in targets.enumerated() {
            let server = machine.servers.servers[slot]
            readings[target.server].requests += server.busy
            guard server.isPresent else { continue }
            readings[target.server].addresses += 1
            if server.isHealthy { readings[target.server].healthy += 1 }
            if server.ejection.isEjected { readings[target.server].ejected += 1 }
            if server.ramp < UpstreamServers.wholeShare { readings[target.server].slow += 1 }
        }
        return readings
    }
}
