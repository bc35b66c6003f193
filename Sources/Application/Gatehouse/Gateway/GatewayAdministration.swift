import Accounts
import AdminAPI
import Atomics
import Authentication
import Authorization
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import JOSE
import NIOCore
import Observability
import RequestPipeline
import Revocation
import Synchronization

/// What the admin listener asks of a gateway, answered from its parts.
struct GatewayAdministration: AdministrationBackend {
    private let gateway: Gateway
    private let metrics: SharedGathering

    init(_ gateway: Gateway) {
        self.gateway = gateway
        metrics = SharedGathering(clock: gateway.clock)
    }

    func readiness() -> [ReadinessCheck] {
        var checks: [ReadinessCheck] = []
        let phase = gateway.phase.withLock { $0 }
        checks.append(ReadinessCheck("serving", why: phase == .serving ? nil : "the gateway is draining"))
        checks.append(gateway.storeReadiness())
        for status in gateway.keys.status() {
            let why = status.isLoaded ? nil : "not read yet" + (status.lastError.map { ": \($0)" } ?? "")
            checks.append(ReadinessCheck("keys \(status.source)", why: why))
        }
        if let refusal = gateway.reloads.withLock({ $0.lastRefusal }) {
            checks.append(ReadinessCheck("configuration", note: "the last reload was refused: \(refusal)"))
        }
        if let sessions = gateway.sessions {
            let why = sessions.keys == nil ? "the store has not told the issuer and key yet" : nil
            checks.append(ReadinessCheck("sessions", why: why))
        }
        return checks
    }

    func metricsText() async -> String {
        await metrics.text {
            await gateway.readings(isReady: readiness().allSatisfy(\.isOK)).snapshot().prometheusText()
        }
    }

    func user(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        do throws(StoreError) { return try await gateway.store.user(named(user)) } catch {
            throw AdministrationError(error)
        }
    }

    func revoke(_ user: UserKey, at time: UnixTime?) async throws(AdministrationError) -> UserRecord {
        // Without a time everything ends that there is now, sessions that began by a faster clock included.
        let scope = time == nil ? RevocationScope.everything : .before
        do throws(StoreError) {
            return try await gateway.store.revoke(named(user), at: time?.seconds ?? gateway.clock.now(), scope)
        } catch {
            throw AdministrationError(error)
        }
    }

    func unrevoke(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        do throws(StoreError) { return try await gateway.store.unrevoke(named(user)) } catch {
            throw AdministrationError(error)
        }
    }

    func disable(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        try await setDisabled(user, true)
    }

    func enable(_ user: UserKey) async throws(AdministrationError) -> UserRecord {
        try await setDisabled(user, false)
    }

    private func setDisabled(_ user: UserKey, _ disabled: Bool) async throws(AdministrationError) -> UserRecord {
        do throws(StoreError) {
            return try await gateway.store.setDisabled(named(user), disabled)
        } catch {
            throw AdministrationError(error)
        }
    }

    func session(_ user: UserKey, _ session: String) async throws(AdministrationError) -> SessionRecord {
        do throws(StoreError) {
            return try await gateway.store.session(named(user), session)
        } catch {
            throw AdministrationError(error)
        }
    }

    func revokeSession(_ user: UserKey, session: String) async throws(AdministrationError) -> SessionRecord {
        do throws(StoreError) {
            return try await gateway.store.revokeSession(named(user), session)
        } catch {
            throw AdministrationError(error)
        }
    }

    /// Refuses a tenant that no token could name: a change of its user's record would be acknowledged and have no effect.
    private func named(_ user: UserKey) throws(StoreError) -> UserKey {
        guard user.tenant == nil || gateway.configuration.identity.firebase?.tenant == .any else {
            throw StoreError(
                .invalidUID,
                "identity.firebase.tenant is not \"*\", so that uids alone name users; leave out the tenant")
        }
        return user
    }

    func keys() async -> [AdministeredKeySet] {
        let now = gateway.clock.now()
        return gateway.keys.status().map { status in
            AdministeredKeySet(
                url: status.source, fetchedAt: status.age.map { now - Int64($0) },
                refreshAt: status.nextFetchIn.map { now + Int64(clamping: $0) }, keyIDs: status.keyIDs,
                skipped: status.skipped.map { "\($0.keyID ?? "(no kid)"): \($0.reason)" },
                lastError: status.lastError.map { "\($0)" })
        }
    }

    func refreshKeys() async throws(AdministrationError) -> [AdministeredKeySet] {
        await gateway.keys.refreshAll()
        return await keys()
    }

    func reload() async throws(AdministrationError) -> UInt64 {
        guard let reload = gateway.reloader.withLock({ $0 }) else {
            throw .unavailable("The configuration was not read from a file. Restart the gateway.")
        }
        do { try await reload() } catch { throw .invalid("\(error)") }
        return gateway.current.number
    }

    func acceptStore() async throws(AdministrationError) -> StoreLoss {
        do throws(StoreError) { return try await gateway.store.accept() } catch { throw AdministrationError(error) }
    }

    func routes() async -> [Configuration.Route] { gateway.configuration.routes }
}

extension AdministrationError {
    init(_ error: StoreError) {
        switch error.code {
        case .invalidUID, .invalidSession, .invalidTime: self = .invalid(error.message)
        case .faultyRecord: self = .unavailable(error.message)
        default: self = .storeUnavailable
        }
    }
}

extension Gateway {
    /// What the metrics are made of, gathered from every worker.
    func readings(isReady: Bool) async -> GatewayReadings {
        var counters = CountersSnapshot(routes: places.routeCapacity, upstreams: places.upstreamCapacity)
        for loop in loops {
            if let numbers = try? await loop.onLoop({ $0.countersNow() }) { counters.merge(numbers) }
        }
        var readings = GatewayReadings(
            counters: counters, routes: places.routeNames, upstreams: places.upstreamNames,
            workers: loops.count, startTime: startTime)
        readings.keySets = keys.status().map { status in
            GatewayReadings.KeySet(
                url: status.source, age: status.age.map { Double($0) }, keys: status.keyIDs.count,
                fetches: status.fetches - status.failures, failures: status.failures)
        }
        readings.storeAge = store.view.age(monotonicNow: clock.monotonic()).map { Double($0) / 1e9 }
        let usage = store.view.usage
        readings.storeHealth = store.health
        readings.storeIsWritable = store.isWritable
        readings.storeFaulty = store.view.faultyRecords
        readings.storeUsers = usage.users
        readings.storeSessions = usage.sessions
        readings.introspections = others.opaqueTokens?.status().map(GatewayReadings.Introspection.init) ?? []
        readings.accountLookups = (others.accounts?.status()).map(GatewayReadings.AccountLookups.init)
        readings.upstreamServers = await upstreamServers()
        readings.accessLogLost = accessLog?.lostLines ?? 0
        readings.adminClosed = adminClosedCount
        readings.processLog = logger.processLogCounts
        readings.certificates = certificateReadings
        readings.certificateRenewals = certificates.renewals.load(ordering: .relaxed)
        readings.certificateFailures = certificates.failures.load(ordering: .relaxed)
        readings.isReady = isReady
        readings.reloads = reloads.withLock { $0 }
        readings.generation = current.number
        readings.insecureOptions = configuration.insecureOptions
        return readings
    }
}

extension Gateway {
    /// Ready once the store was read, as the contract has it: while it is away later, the routes that need it say so themselves.
    func storeReadiness() -> ReadinessCheck {
        let trouble = store.trouble
        guard let age = store.view.age(monotonicNow: clock.monotonic()) else {
            return ReadinessCheck("store", why: "the store was not read yet" + (trouble.map { ": \($0)" } ?? ""))
        }
        guard let trouble else { return ReadinessCheck("store") }
        let seconds = age / 1_000_000_000
        let stale = age > snapshot.maxStaleness ? ", longer than revocation.max_staleness allows" : ""
        return ReadinessCheck("store", note: "\(trouble); revocations are known up to \(seconds) s ago\(stale)")
    }
}

extension WorkerLoop {
    /// The worker's numbers, with those that are known only by looking.
    func countersNow() -> CountersSnapshot {
        counters.set(.connectionsOpen, to: Int64(front.registry.count))
        counters.set(.requestsInFlight, to: Int64(front.registry.connections.count { $0.connection.isServing }))
        counters.set(.tokenCacheEntries, to: Int64(current?.pipeline.authenticator.cache.count ?? 0))
        for pool in current?.pools ?? [] {
            let index = pool.settings.counterPlace
            counters.set(.connectionsIdle, to: Int64(pool.idleCount), upstream: index)
            counters.set(.connectionsBusy, to: Int64(pool.openCount - pool.idleCount), upstream: index)
            counters.set(.requestsWaiting, to: Int64(pool.waitingCount), upstream: index)
        }
        return counters.snapshot()
    }
}
