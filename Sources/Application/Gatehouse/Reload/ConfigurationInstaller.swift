import Accounts
import AdminAPI
import Atomics
import Authentication
import Authorization
import Forwarding
import GatewayConfiguration
import GatewayCore
import Telemetry

/// The installation of a new configuration, completely or not at all.
///
/// Earlier requests are completed with the previous one. Verified tokens are kept if all of their dependencies are
/// unchanged, and upstream connections if their upstream is.
struct ConfigurationInstaller: Sendable {
    let isServing: ManagedAtomic<Bool>
    let generations: Generations
    let workers: WorkerLoops
    let listeners: ListenerSet
    let decisionListeners: ListenerSet
    let upstreamWatches: UpstreamWatches
    let places: MetricIndices
    let telemetry: TelemetryExporter
    let writeBack: WriteBackDelivery
    let outbox: OutboxDelivery
    let decisions: DecisionFeed
    let environment: GatewayEnvironment

    /// Installs a configuration. Calls must not overlap.
    ///
    /// - Parameters:
    ///   - ledger: Records the files that are read.
    ///   - calls: Runs the reading of files.
    /// - Returns: The number of the configuration.
    /// - Throws: `ConfigurationErrors`, `GatewayStartError` or `ReloadRefusal`.
    func install(
        _ configuration: Configuration, recording ledger: FileLedger, on calls: BlockingCalls
    ) async throws -> UInt64 {
        try checkServing()
        let previous = generations.current
        try Self.refuseWhatNeedsRestart(configuration, previous.configuration)
        guard
            let cleared = places.adopt(
                MetricIndices.Names(configuration), besides: MetricIndices.Names(previous.configuration))
        else {
            throw ReloadRefusal("the number of routes or upstreams exceeds the metrics tables; restart the gateway")
        }
        _ = try await workers.onEach { $0.counters.clear(cleared) }
        let counting = RuleCounting(configuration, at: environment.clock.now(), after: previous.snapshot)
        let (snapshot, credentials) = try await calls.run { [places] in
            try ledger.record {
                (
                    try Snapshot(configuration, places: places, counting: counting),
                    try GoogleCredentials(of: configuration)
                )
            }
        }
        let sources = try await sources(for: configuration, snapshot, credentials, after: previous.sources)
        let next = Generation(
            number: previous.number + 1, loadedAt: environment.clock.now(), configuration, snapshot, sources)
        let acquired: AcquiredListeners
        do {
            acquired = try await acquireResources(for: next)
        } catch {
            if sources !== previous.sources { await sources.shutdown() }
            throw error
        }
        upstreamWatches.follow(snapshot.upstreams)
        await listeners.install(acquired.clients, of: next)
        await decisionListeners.install(acquired.decisions, of: next)
        if sources !== previous.sources { workers.subscribe(to: sources.keys) }
        workers.handOverKeys(of: sources)
        generations.replace(with: next)
        telemetry.adopt(configuration.telemetry)
        writeBack.adopt(configuration)
        outbox.adopt(configuration)
        decisions.reloaded(generation: next.number)
        next.logWarnings(to: environment.logger)
        await compare(previous.snapshot, with: next, on: calls)
        return next.number
    }

    /// Compares the decisions of both configurations about recorded requests, if there is a console.
    private func compare(_ previous: Snapshot, with next: Generation, on calls: BlockingCalls) async {
        guard let samples = try? await workers.onEach({ $0.samples?.samples }) else { return }
        let recorded = samples.compactMap(\.self)
        guard !recorded.isEmpty else { return }
        let (requests, clock) = (Array(recorded.joined()), environment.clock)
        generations.differences = try? await calls.run {
            ReloadComparison(previous, next.snapshot, clock: clock).differences(of: requests, generation: next.number)
        }
    }

    /// Acquires the resources that may be unavailable: file descriptors, listeners, and libcrypto memory for the
    /// workers, which then start.
    private func acquireResources(for next: Generation) async throws -> AcquiredListeners {
        let clients = try await listeners.acquire(for: next)
        let decisions: ListenerSet.Acquired
        do {
            decisions = try await decisionListeners.acquire(for: next)
        } catch {
            await listeners.release(clients)
            throw error
        }
        if let failure = await startWorkers(of: next) {
            await listeners.release(clients)
            await decisionListeners.release(decisions)
            throw failure
        }
        return AcquiredListeners(clients: clients, decisions: decisions)
    }

    private struct AcquiredListeners {
        let clients, decisions: ListenerSet.Acquired
    }

    /// Starts the workers. Returns the error if they were not started.
    private func startWorkers(of next: Generation) async -> (any Error)? {
        do {
            // The gateway may have been stopped meanwhile.
            try checkServing()
            try await workers.install(next)
            return nil
        } catch {
            return error
        }
    }

    private func checkServing() throws(ReloadRefusal) {
        guard isServing.load(ordering: .sequentiallyConsistent) else { throw ReloadRefusal("the gateway is draining") }
    }

    /// Returns the previous sources if their shape is unchanged. Otherwise creates new ones and waits a bounded time
    /// for their keys.
    private func sources(
        for configuration: Configuration, _ snapshot: Snapshot, _ credentials: GoogleCredentials,
        after previous: IdentitySources
    ) async throws -> IdentitySources {
        guard previous.shape != IdentitySources.Shape(snapshot, credentials) else { return previous }
        let sources = IdentitySources(
            configuration, snapshot, credentials: credentials, after: previous, environment)
        sources.start()
        do {
            if let accounts = configuration.accounts {
                try await sources.sessions?.load(accounts, files: snapshot.sessionKeyFiles, from: environment.store)
            }
        } catch {
            await sources.shutdown()
            throw ReloadRefusal(
                "the issuer and key of session cookies cannot be read from the store (\(error)); try again")
        }
        await sources.resolve(within: .seconds(5))
        return sources
    }

    private static func refuseWhatNeedsRestart(_ next: Configuration, _ current: Configuration) throws(ReloadRefusal) {
        let fixed: [(String, Bool)] = [
            ("workers", next.workers != current.workers), ("store", next.store != current.store),
            ("admin", next.admin.fixed != current.admin.fixed), ("log", next.log != current.log),
        ]
        let changed = fixed.filter(\.1).map(\.0)
        guard changed.isEmpty else {
            throw ReloadRefusal("\(changed.joined(separator: ", ")) cannot change while it runs; restart the gateway")
        }
    }
}
