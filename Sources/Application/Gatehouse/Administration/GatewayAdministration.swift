import Accounts
import AdminAPI
import Atomics
import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import Observability
import OperatorConsole
import OutboundHTTP
import RequestPipeline
import Revocation

/// The backend of the admin listener, implemented with the gateway's parts.
struct GatewayAdministration: AdministrationBackend {
    private let isServing: ManagedAtomic<Bool>
    /// Whether each key set of a configuration was read once.
    private let hasReadKeys = ManagedAtomic(false)
    private let loops: LoopWatch
    let generations: Generations
    let store: any GatewayStore
    /// `nil` if the configuration was not read from a file.
    private let reloader: Reloader?
    private let metrics: MetricsCollector
    private let history: GatewayHistory
    private let announcer: FleetAnnouncer
    private let gathering: SharedGathering
    let clock: GatewayClock
    let playground: RulePlayground
    let auditLogger: Logger

    init(
        isServing: ManagedAtomic<Bool>, loops: LoopWatch, generations: Generations, reloader: Reloader?,
        metrics: MetricsCollector, history: GatewayHistory, environment: GatewayEnvironment
    ) {
        self.isServing = isServing
        self.loops = loops
        self.generations = generations
        self.reloader = reloader
        self.metrics = metrics
        self.history = history
        announcer = FleetAnnouncer(environment.store, clock: environment.clock, logger: environment.logger)
        (store, clock) = (environment.store, environment.clock)
        auditLogger = environment.logger.forAudit
        gathering = SharedGathering(clock: clock)
        playground = RulePlayground(clock: clock)
    }

    private var sources: IdentitySources { generations.current.sources }

    func livenessFailure() -> String? { loops.failure }

    func readiness() -> [ReadinessCheck] {
        var checks: [ReadinessCheck] = []
        let isDraining = !isServing.load(ordering: .sequentiallyConsistent)
        checks.append(ReadinessCheck("serving", why: isDraining ? "the gateway is draining" : nil))
        checks.append(storeReadiness())
        checks += keyReadiness()
        for (name, status) in [("google", sources.accounts?.status()), ("app_check", sources.appTokens?.status())] {
            guard let status else { continue }
            // A note only: an outage of Google does not take the routes that do not need it out of service.
            let trouble = status.failing.map { ": \($0.rawValue)" } ?? ""
            checks.append(
                ReadinessCheck(name, note: status.hasCredentials ? nil : "there is no access token\(trouble)"))
        }
        if sources.writeBack != nil { checks.append(writeBackReadiness()) }
        if sources.outbox != nil { checks.append(outboxReadiness()) }
        if let refusal = reloader?.outcomes.lastRefusal {
            checks.append(ReadinessCheck("configuration", note: "the last reload was rejected: \(refusal)"))
        }
        if let sessions = sources.sessions {
            let why = sessions.keys == nil ? "the issuer and key are not loaded from the store yet" : nil
            checks.append(ReadinessCheck("sessions", why: why))
        }
        return checks
    }

    /// Returns the state of the queue of changes to write back, as a note only.
    private func writeBackReadiness() -> ReadinessCheck {
        let status = metrics.writeBack.status()
        var notes: [String] = []
        if let age = status.age { notes.append("\(status.count) changes wait, the oldest for \(age) s") }
        if status.parked > 0 {
            notes.append("\(status.parked) changes are parked: their project or destination is not configured")
        }
        if let failure = status.queueFailure { notes.append(failure) }
        for (lane, reason) in status.failures.sorted(by: { $0.key < $1.key }).prefix(4) {
            notes.append("the last delivery to \(lane.destination) of \(lane.project) failed: \(reason)")
        }
        if status.dropped > 0 { notes.append("the full queue did not accept \(status.dropped) changes") }
        return ReadinessCheck("write_back", note: notes.isEmpty ? nil : notes.joined(separator: "; "))
    }

    /// Returns the state of the outbox, as a note only.
    private func outboxReadiness() -> ReadinessCheck {
        let status = metrics.outbox.status()
        var notes: [String] = []
        if let age = status.age { notes.append("\(status.count) messages wait, the oldest for \(age) s") }
        if status.parked > 0 { notes.append("\(status.parked) messages are parked") }
        if let failing = status.failing { notes.append("the last delivery failed: \(failing)") }
        if status.dropped > 0 { notes.append("\(status.dropped) messages were not accepted") }
        return ReadinessCheck("outbox", note: notes.isEmpty ? nil : notes.joined(separator: "; "))
    }

    /// Returns the readiness of the key sets.
    ///
    /// A set that a reload added is a note. Otherwise one unreachable source in a new configuration would take every
    /// gateway out of service, with all routes that do not need it.
    private func keyReadiness() -> [ReadinessCheck] {
        let sets = sources.keys.status()
        let isLater = hasReadKeys.load(ordering: .relaxed)
        if !isLater, sets.allSatisfy(\.isLoaded) { hasReadKeys.store(true, ordering: .relaxed) }
        return sets.map { set in
            let reason = set.isLoaded ? nil : "not read yet" + (set.lastError.map { ": \($0)" } ?? "")
            return ReadinessCheck("keys \(set.source)", why: isLater ? nil : reason, note: isLater ? reason : nil)
        }
    }

    /// Returns the readiness of the store. It is ready after its first read, as documented. During a later outage, the
    /// routes that need it report the failure.
    private func storeReadiness() -> ReadinessCheck {
        let trouble = store.trouble
        guard let age = store.view.age(monotonicNow: clock.monotonic()) else {
            return ReadinessCheck("store", why: "the store was not read yet" + (trouble.map { ": \($0)" } ?? ""))
        }
        guard let trouble else { return ReadinessCheck("store") }
        let seconds = age / 1_000_000_000
        let isStale = age > generations.current.snapshot.pipeline.maxStaleness
        let stale = isStale ? ", longer than revocation.max_staleness allows" : ""
        return ReadinessCheck("store", note: "\(trouble); revocations are known up to \(seconds) s ago\(stale)")
    }

    func metricsText() async -> String {
        await gathering.text { await metricsSnapshot().prometheusText() }
    }

    /// Returns the current metrics, for `/metrics` and for the export by OTLP.
    func metricsSnapshot() async -> MetricsSnapshot {
        await readings().snapshot()
    }

    /// Returns the current readings, for metrics and the history.
    func readings() async -> GatewayReadings {
        await metrics.readings(isReady: readiness().allSatisfy(\.isOK))
    }

    func record(_ action: AdminAction) {
        let caller = action.caller
        let fields: [String: String?] = [
            "event": action.event, "status": "\(action.status)", "uid": action.user?.uid,
            "project": action.user?.project, "tenant": action.user?.tenant, "session": action.session,
            "provider": action.provider, "into": action.target?.uid, "filter": action.filter,
            "count": action.count.map { "\($0)" },
            "by": caller.isConsole ? "console" : "token",
            "role": caller.role?.rawValue,
            "client": caller.address, "console_session": caller.session, "operator": caller.name,
            "email": caller.email,
        ]
        auditLogger.notice("admin", metadata: fields.compactMapValues { $0.map(Logger.MetadataValue.string) })
    }

    // MARK: - Users

    func user(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        try await inStore(user) { user throws(StoreError) in try await store.user(user) }
    }

    func activity(_ user: UserKey) async throws(AdministrationError) -> UserActivity {
        let signIns = metrics.environment.signIns
        return try await inStore(user) { user throws(StoreError) in
            let denials = (try? await metrics.workers.onEach { $0.denials.denials(of: user) }) ?? []
            return UserActivity(
                since: metrics.startTime, denials: Array(denials.joined()),
                signIns: signIns.signIns(of: user).map {
                    UserActivity.SignIn(time: $0.time, provider: $0.provider, kind: $0.purpose.rawValue)
                })
        }
    }

    func revoke(_ user: UserKey, at time: UnixTime?) async throws(AdministrationError) -> UserRecord {
        // Without a time all current credentials end, including sessions that a faster clock started.
        let scope = time == nil ? RevocationScope.everything : .before
        return try await inStore(user) { user throws(StoreError) in
            try await store.revoke(user, at: time?.seconds ?? clock.now(), scope)
        }
    }

    func unrevoke(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        try await inStore(user) { user throws(StoreError) in try await store.unrevoke(user) }
    }

    func disable(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        try await inStore(user) { user throws(StoreError) in try await store.setDisabled(user, true) }
    }

    func enable(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        try await inStore(user) { user throws(StoreError) in try await store.setDisabled(user, false) }
    }

    // MARK: - Outbox

    func outbox() async throws(AdministrationError) -> AdministeredOutbox {
        do throws(StoreError) {
            return AdministeredOutbox(
                status: metrics.outbox.status(), parked: try await metrics.outbox.parkedMessages(limit: 100))
        } catch {
            throw AdministrationError(error)
        }
    }

    func retryOutbox() async throws(AdministrationError) -> Int {
        do throws(StoreError) { return try await metrics.outbox.retryMessages(limit: 1_000) } catch {
            throw AdministrationError(error)
        }
    }

    func discardOutbox() async throws(AdministrationError) -> Int {
        do throws(StoreError) { return try await metrics.outbox.discardMessages(limit: 1_000) } catch {
            throw AdministrationError(error)
        }
    }

    func acceptStore() async throws(AdministrationError) -> StoreLoss {
        do throws(StoreError) { return try await store.accept() } catch { throw AdministrationError(error) }
    }

    // MARK: - Status, keys and configuration

    func status() async -> AdministeredStatus {
        let checks = readiness()
        let readings = await metrics.readings(isReady: checks.allSatisfy(\.isOK))
        return AdministeredStatus(
            version: GatehouseVersion.current, generation: readings.generation, startedAt: readings.startTime,
            checks: checks,
            store: AdministeredStatus.Store(
                kind: generations.current.configuration.store.kind, age: readings.storeAge.map { Int64($0) },
                isWritable: readings.storeIsWritable, users: readings.storeUsers, sessions: readings.storeSessions,
                trouble: store.trouble, isConnected: readings.storeHealth?.isConnected),
            keySets: await keys(), servers: readings.upstreamServers, certificates: readings.certificates,
            connections: readings.counters[.connectionsOpen],
            requestsInFlight: readings.counters[.requestsInFlight], streams: readings.counters[.streamsOpen])
    }

    func openDecisions(_ filter: DecisionFilter) throws(AdministrationError) -> DecisionViewer {
        try metrics.decisions.open(filter, generation: generations.current.number, at: clock.milliseconds())
    }

    func fleet() async -> AdministeredFleet { await announcer.announce(await member()) }

    /// Announces the gateway to the others until the task is cancelled.
    func announce() async { await announcer.run { await member() } }

    private func member() async -> AdministeredFleet.Member {
        let (current, readings, load) = (generations.current, await readings(), history.load)
        var member = AdministeredFleet.Member(
            id: announcer.id, name: announcer.name, version: GatehouseVersion.current,
            configuration: current.snapshot.configurationHash, generation: Int64(clamping: current.number),
            startedAt: metrics.startTime, seenAt: clock.now(), isReady: readings.isReady,
            connections: readings.counters[.connectionsOpen])
        member.viewAge = readings.storeAge.map { Int64(max(0, min($0, 1e9)) * 1000) }
        member.requestsPerSecond = load.map { Int64(clamping: $0.requests / $0.seconds) }
        member.cpuPercent = load.flatMap { load in load.cpu.map { Int64(clamping: $0 / (load.seconds * 10_000)) } }
        member.memory = readings.usage.map { Int64(max(0, $0.residentBytes)) }
        return member
    }

    func history(since time: Int64?) -> AdministeredHistory {
        AdministeredHistory(
            now: clock.now(), startedAt: metrics.startTime, report: history.report(since: time))
    }

    func configuration() -> AdministeredConfiguration {
        let current = generations.current
        return AdministeredConfiguration(
            generation: current.number, hash: current.snapshot.configurationHash, loadedAt: current.loadedAt,
            reloads: reloader?.outcomes ?? ReloadOutcomes(),
            warnings: current.configuration.warnings + current.snapshot.warnings,
            insecureOptions: current.configuration.insecureOptions)
    }

    func keys() async -> [AdministeredKeySet] {
        let now = clock.now()
        return sources.keys.status().map { status in
            AdministeredKeySet(
                url: status.source, fetchedAt: status.age.map { now - Int64($0) },
                refreshAt: status.nextFetchIn.map { now + Int64(clamping: $0) }, keyIDs: status.keyIDs,
                keys: status.thumbprints.map { .init(keyID: $0.keyID, thumbprint: $0.thumbprint) },
                skipped: status.skipped.map { "\($0.keyID ?? "(no kid)"): \($0.reason)" },
                lastError: status.lastError.map { "\($0)" })
        }
    }

    func refreshKeys() async throws(AdministrationError) -> [AdministeredKeySet] {
        await sources.keys.refreshAll()
        return await keys()
    }

    func reload() async throws(AdministrationError) -> UInt64 {
        guard let reloader else {
            throw .unavailable("The configuration was not read from a file. Restart the gateway.")
        }
        do { try await reloader.reload() } catch { throw .invalid("\(error)") }
        return generations.current.number
    }

    func routes() async -> [Configuration.Route] { generations.current.configuration.routes }
}

extension Configuration.StoreLocation {
    /// The kind of store in the admin API.
    fileprivate var kind: String {
        switch self {
        case .sqlite: "sqlite"
        case .sqliteMemory: "memory"
        case .redis: "redis"
        }
    }
}
