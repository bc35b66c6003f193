import Accounts
import AdminAPI
import Authentication
import Authorization
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Observability
import OutboundHTTP
import RequestPipeline
import Revocation
import Telemetry

/// The collection of metrics from the gateway's parts.
struct MetricsCollector: Sendable {
    let workers: WorkerLoops
    let places: MetricIndices
    let generations: Generations
    let certificates: CertificateRenewal
    let upstreamWatches: UpstreamWatches
    let accessLog: AccessLogWriter?
    let telemetry: TelemetryExporter
    let writeBack: WriteBackDelivery
    let outbox: OutboxDelivery
    let decisions: DecisionFeed
    let admin: AdminListener
    let reloader: Reloader?
    let startTime: Int64
    let environment: GatewayEnvironment

    func readings(isReady: Bool) async -> GatewayReadings {
        let (generation, store) = (generations.current, environment.store)
        var counters = CountersSnapshot(routes: places.routeCapacity, upstreams: places.upstreamCapacity)
        for numbers in (try? await workers.onEach { $0.countersNow() }) ?? [] { counters.merge(numbers) }
        var readings = GatewayReadings(
            counters: counters, routes: places.routeNames, upstreams: places.upstreamNames,
            workers: workers.count, startTime: startTime)
        readings.apps = places.appNames
        readings.keySets = generation.sources.keys.status().map { status in
            var set = GatewayReadings.KeySet(
                url: status.source, age: status.age.map { Double($0) }, keys: status.keyIDs.count,
                fetches: status.fetches - status.failures, failures: status.failures)
            set.refreshIn = status.nextFetchIn
            set.isFailing = status.lastError != nil
            return set
        }
        readings.storeAge = store.view.age(monotonicNow: environment.clock.monotonic()).map { Double($0) / 1e9 }
        let usage = store.view.usage
        readings.storeHealth = store.health
        readings.storeIsWritable = store.isWritable
        readings.storeFaulty = store.view.faultyRecords
        readings.storeUsers = usage.users
        readings.storeSessions = usage.sessions
        readings.introspections = generation.sources.opaqueTokens?.status() ?? []
        readings.accountLookups = generation.sources.accounts?.status()
        readings.appConsumptions = generation.sources.appTokens?.status()
        readings.writeBack = generation.sources.writeBack == nil ? nil : writeBack.status()
        readings.firebaseCalls = firebaseCalls(of: generation, readings.writeBack)
        readings.outbox = generation.sources.outbox == nil ? nil : outbox.status()
        readings.securityEvents = (generation.sources.securityEvents?.counts ?? []).map { count in
            GatewayReadings.SecurityEvents(
                transmitter: count.transmitter, event: count.event, result: count.result, count: count.count)
        }
        readings.eventPolls = (generation.sources.eventPolls?.status ?? []).map { status in
            GatewayReadings.EventPolls(
                transmitter: status.transmitter,
                counts: [("answered", status.answered), ("held", status.held), ("failed", status.failed)],
                isHolder: status.isHolder, isFailing: status.isFailing)
        }
        readings.upstreamServers = await upstreamServers()
        readings.accessLogLost = accessLog?.lostLines ?? 0
        readings.telemetry = telemetry.reading
        readings.decisionFeed = decisions.reading
        readings.rateLimits = environment.rates.shared?.status.map { status in
            var reading = RateLimitReading(isShared: status.isShared)
            reading.local = (status.withoutStore, status.withoutSlot)
            reading.waits = status.waits
            reading.charges = (status.charges, status.failedCharges)
            return reading
        }
        readings.adminClosed = admin.closedCount
        readings.processLog = environment.logger.processLogCounts
        certificates.read(into: &readings)
        readings.isReady = isReady
        readings.reloads = reloader?.outcomes ?? ReloadOutcomes()
        readings.generation = generation.number
        readings.version = GatehouseVersion.current
        readings.usage = ProcessUsage.current()
        readings.insecureOptions = generation.configuration.insecureOptions
        return readings
    }

    /// Returns the calls for each configured project of Firebase.
    private func firebaseCalls(
        of generation: Generation, _ writeBack: WriteBackStatus?
    ) -> [GatewayReadings.FirebaseCalls] {
        let configuration = generation.configuration
        let failing = generation.sources.accounts?.failingProjects
        return (configuration.identity.firebase?.projects ?? []).flatMap { project in
            var calls: [GatewayReadings.FirebaseCalls] = []
            if let failing {
                calls.append(.init(project: project.id, call: "lookup", isFailing: failing.contains(project.id)))
            }
            for destination in configuration.revocation.writeBack?.destinations ?? [] {
                let lane = WriteBackStatus.Lane(destination: destination.rawValue, project: project.id)
                calls.append(
                    .init(
                        project: project.id, call: destination.rawValue,
                        isFailing: writeBack?.failures[lane] != nil))
            }
            return calls
        }
    }

    /// Returns the servers of all active upstreams, combined over all loops.
    private func upstreamServers() async -> [UpstreamServerReading] {
        var servers: [UpstreamServerReading] = []
        for seen in (try? await workers.onEach { $0.upstreamServers }) ?? [] {
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
    /// Returns the worker's counters, including gauges that are read now.
    fileprivate func countersNow() -> CountersSnapshot {
        counters.set(.connectionsOpen, to: Int64(connectionContext.connectionCount))
        counters.set(.http2Connections, to: Int64(connectionContext.multiplexed.count))
        counters.set(.http2Streams, to: Int64(connectionContext.multiplexed.streamCount))
        counters.set(
            .requestsInFlight, to: Int64(connectionContext.registry.elements.count { $0.connection.isServing }))
        counters.set(.tokenCacheEntries, to: Int64(current?.pipeline.authenticator.cache.count ?? 0))
        for pool in current?.pools ?? [] {
            let index = pool.settings.counterPlace
            counters.set(.connectionsIdle, to: Int64(pool.idleCount), upstream: index)
            counters.set(.connectionsBusy, to: Int64(pool.openCount - pool.idleCount), upstream: index)
            counters.set(.requestsWaiting, to: Int64(pool.waitingCount), upstream: index)
            counters.set(.streamsOpen, to: Int64(pool.streamCount), upstream: index)
        }
        return counters.snapshot()
    }

    fileprivate var upstreamServers: [UpstreamServerReading] { current?.pools.flatMap(\.serverReadings) ?? [] }
}

extension UpstreamPool {
    /// The readings of its servers, in the order of the settings.
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
