import GatewayConfiguration
import Logging
import NIOCore
import Synchronization

/// The monitor of one upstream's servers, once per process. It resolves names again, checks the servers' health, and
/// notifies every worker's pool.
package final class UpstreamWatch: Sendable {
    /// The dependencies of a monitor.
    struct Environment: Sendable {
        let resolver: NameResolver
        let loop: any EventLoop
        let logger: Logger
        /// Notifies the pools of the upstream.
        let notify: @Sendable (UpstreamSettings, UpstreamUpdate) -> Void
    }

    /// The numbers of health checks of a server.
    package struct Checks: Sendable {
        package var passed: UInt64 = 0
        package var failed: UInt64 = 0
    }

    private struct State: Sendable {
        var places: ResolvedEndpoints
        var verdicts: [UpstreamEndpoint: HealthVerdict] = [:]
        var checks: [Checks]
        var unresolved: Set<Int> = []
    }

    package let settings: UpstreamSettings
    private let environment: Environment
    private let state: Mutex<State>
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// The maximum number of concurrent checks of one upstream.
    static let checksAtOnce = 16
    /// The retry interval while a name has never been resolved.
    static let unresolvedRetryInterval = Duration.seconds(5)

    init(_ settings: UpstreamSettings, _ environment: Environment) {
        self.settings = settings
        self.environment = environment
        state = Mutex(
            State(
                places: ResolvedEndpoints(settings),
                checks: Array(repeating: Checks(), count: settings.servers.count)))
    }

    deinit { stop() }

    package var checks: [Checks] { state.withLock { $0.checks } }

    func start() {
        var started: [Task<Void, Never>] = []
        if state.withLock({ !$0.places.names.isEmpty }) {
            started.append(Task { [weak self] in while let pause = await self?.resolve() { await Self.sleep(pause) } })
        }
        if let check = settings.health {
            started.append(
                Task { [weak self] in while let pause = await self?.checkAll(check) { await Self.sleep(pause) } })
        }
        tasks.withLock { $0 += started }
    }

    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    private static func sleep(_ duration: Duration) async {
        try? await Task.sleep(for: duration)
    }

    /// Returns the duration with a jitter of 10 %, so that gateways do not act simultaneously.
    private static func varied(_ duration: Duration) -> Duration { duration * Double.random(in: 0.9...1.1) }

    // MARK: - Names

    /// Resolves the names. Returns the delay until the next time. `nil` after cancellation.
    func resolve() async -> Duration? {
        let names = state.withLock { $0.places.names }
        var isChanged = false
        for server in names {
            guard !Task.isCancelled else { return nil }
            let (host, port) = (settings.servers[server].host, settings.servers[server].port)
            let addresses = await environment.resolver.resolve(host, port)
            record(isResolved: addresses != nil, server)
            if state.withLock({ $0.places.record(addresses, of: server) }) { isChanged = true }
        }
        guard !Task.isCancelled else { return nil }
        if isChanged { publish() }
        let isComplete = state.withLock { $0.places.isComplete }
        return Self.varied(isComplete ? settings.every : min(settings.every, Self.unresolvedRetryInterval))
    }

    private func publish() {
        let endpoints = state.withLock { state in
            let endpoints = state.places.endpoints
            let kept = Set(endpoints)
            state.verdicts = state.verdicts.filter { kept.contains($0.key) }
            return endpoints
        }
        environment.notify(settings, .endpoints(endpoints))
    }

    private func record(isResolved: Bool, _ server: Int) {
        let isNews = state.withLock { state in
            isResolved ? state.unresolved.remove(server) != nil : state.unresolved.insert(server).inserted
        }
        guard isNews else { return }
        environment.logger.notice(
            isResolved
                ? "a server's name is resolved again"
                : "a server's name cannot be resolved; its last addresses are kept",
            metadata: ["upstream": "\(settings.name)", "server": "\(settings.servers[server].url)"])
    }

    // MARK: - Checks

    private func checkAll(_ check: Configuration.Upstream.HealthCheck) async -> Duration? {
        let began = ContinuousClock.now
        let probe = HealthProbe(dialer: UpstreamDialer(settings: settings), check: check)
        let endpoints = state.withLock { $0.places.endpoints }
        await withTaskGroup(of: Void.self) { group in
            for (index, endpoint) in endpoints.enumerated() {
                if index >= Self.checksAtOnce { await group.next() }
                group.addTask { [self] in
                    await conclude(endpoint, probe.run(endpoint, on: environment.loop), check)
                }
            }
        }
        guard !Task.isCancelled else { return nil }
        return max(.milliseconds(10), Self.varied(check.interval) - (ContinuousClock.now - began))
    }

    private func conclude(
        _ endpoint: UpstreamEndpoint, _ problem: String?, _ check: Configuration.Upstream.HealthCheck
    ) async {
        guard !Task.isCancelled else { return }
        let passed = problem == nil
        let isHealthy = state.withLock { state in
            if passed { state.checks[endpoint.server].passed += 1 } else { state.checks[endpoint.server].failed += 1 }
            return state.verdicts[
                endpoint, default: HealthVerdict(healthy: check.healthy, unhealthy: check.unhealthy)
            ].checked(passed: passed)
        }
        environment.notify(
            settings,
            .checked(endpoint, passed: passed, isHealthy: isHealthy, why: problem ?? "its checks succeed"))
    }
}

extension UpstreamSettings {
    /// The interval at which names are resolved again.
    fileprivate var every: Duration { .nanoseconds(Int64(clamping: resolveEvery)) }
}

/// An update from the monitor of an upstream to every worker's pool.
package enum UpstreamUpdate: Sendable {
    /// The upstream's endpoints have changed.
    case endpoints([UpstreamEndpoint])
    /// A health check has ended. `isHealthy` is the verdict from this and earlier checks, `why` the result of this one.
    case checked(UpstreamEndpoint, passed: Bool, isHealthy: Bool, why: String)
}
