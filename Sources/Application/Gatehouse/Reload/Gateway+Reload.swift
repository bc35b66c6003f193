import Accounts
import Authentication
import Authorization
package import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import NIOCore
import Observability
import Synchronization

/// Lets one reload run after the other.
actor ReloadGate {
    private var last: Task<Void, Never>?

    func enter(_ body: @escaping @Sendable () async -> Void) async {
        let task = Task { [last] in
            await last?.value
            await body()
        }
        last = task
        await task.value
    }
}

/// Why a configuration was not put in place; the one before is served on.
package struct ReloadRefusal: Error, CustomStringConvertible, Sendable {
    /// What is wrong; what to do.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Gateway {
    /// Puts another configuration in the place of the one that is served: wholly, or not at all.
    ///
    /// Requests that began before are finished as they began. Verified tokens go on where nothing changed that they depend on,
    /// upstream connections where their upstream did not. Reloads run one after the other.
    ///
    /// - Throws: `ConfigurationErrors`, or `ReloadRefusal`.
    package func reload(_ configuration: Configuration) async throws {
        let outcome = Mutex<Result<Void, any Error>>(.failure(ReloadRefusal("the gateway has stopped")))
        await reloading.enter { [self] in
            let result: Result<Void, any Error>
            do {
                try await change(to: configuration)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            note(result)
            outcome.withLock { $0 = result }
        }
        try outcome.withLock { $0 }.get()
    }

    /// Counts a reload that came to nothing before there was a configuration.
    package func refusedReload(_ error: any Error) {
        note(.failure(error))
    }

    private func note(_ result: Result<Void, any Error>) {
        switch result {
        case .success:
            reloads.withLock {
                $0.accepted += 1
                $0.lastRefusal = nil
            }
            logger.notice("reloaded", metadata: ["generation": "\(current.number)"])
        case .failure(let error):
            reloads.withLock {
                $0.refused += 1
                $0.lastRefusal = "\(error)"
            }
            logger.error("reload refused; the configuration before is served on", metadata: ["error": "\(error)"])
        }
    }

    private func change(to configuration: Configuration) async throws {
        guard phase.withLock({ $0 == .serving }) else { throw ReloadRefusal("the gateway is draining") }
        let previous = current
        try Self.refuseWhatNeedsRestart(configuration, previous.configuration)
        guard
            let cleared = places.adopt(
                CounterPlaces.Names(configuration), besides: CounterPlaces.Names(previous.configuration))
        else {
            throw ReloadRefusal("more routes or upstreams than there is room to count; restart the gateway")
        }
        for loop in loops { try await loop.onLoop { $0.counters.clear(cleared) } }
        let ledger = FileLedger(isOfReload: true)
        defer { filesRead.withLock { $0.formUnion(ledger.files) } }
        let (snapshot, serviceAccount) = try await blockingCalls.run { [places] in
            try ledger.record {
                (try Snapshot(configuration, places: places), try GatewayOthers.serviceAccount(of: configuration))
            }
        }
        let sources = try await sources(for: configuration, snapshot, serviceAccount, after: previous.sources)
        let next = Generation(number: previous.number + 1, configuration, snapshot, sources)
        let (limit, listeners) = try await takeUp(next, unlike: previous)
        try await install(next)
        await install(listeners, fronts: snapshot.fronts)
        budget.change(limit: limit, perAddress: configuration.limits.connectionsPerAddress)
        if sources !== previous.sources { subscribe(to: sources.keys) }
        await handKeys(of: next)
        replace(with: next)
        warnOfInsecureOptions()
    }

    /// What can still fail: the file descriptors and the listeners.
    private func takeUp(_ next: Generation, unlike previous: Generation) async throws -> (Int, [Listener]) {
        do {
            let limit = try connectionLimit(of: next)
            let listeners = try await listeners(for: next)
            // The process may have been asked to end meanwhile.
            guard phase.withLock({ $0 == .serving }) else {
                await closeOthers(than: self.listeners.withLock { $0 }, among: listeners)
                throw ReloadRefusal("the gateway is draining")
            }
            return (limit, listeners)
        } catch {
            if next.sources !== previous.sources { await next.sources.shutdown() }
            throw error
        }
    }

    /// Those of before where they are made of the same; else new ones, once they know their keys as far as these can be had.
    private func sources(
        for configuration: Configuration, _ snapshot: Snapshot, _ serviceAccount: ServiceAccount?,
        after previous: IdentitySources
    ) async throws -> IdentitySources {
        guard previous.shape != IdentitySources.Shape(configuration, snapshot, serviceAccount) else { return previous }
        let sources = IdentitySources(
            configuration, snapshot, serviceAccount: serviceAccount, after: previous, environment)
        sources.start()
        do {
            if let accounts = configuration.accounts {
                try await sources.sessions?.load(accounts, files: snapshot.sessionKeyFiles, from: store)
            }
        } catch {
            await sources.shutdown()
            throw ReloadRefusal("the store does not tell the session cookies' issuer and key (\(error)); try again")
        }
        await sources.settle(within: .seconds(5))
        return sources
    }

    /// The keys of now, to workers that share none with those before.
    private func handKeys(of next: Generation) async {
        let keys = next.sources.keys
        let views = keys.sources.indices.map { keys.view(of: $0) }
        let session = next.sources.sessions?.keys
        for loop in loops {
            loop.execute { loop in
                for (set, view) in views.enumerated() { loop.install(view, set: set, of: keys) }
                if let session { loop.install(session, of: keys) }
            }
        }
    }

    private static func refuseWhatNeedsRestart(_ next: Configuration, _ current: Configuration) throws(ReloadRefusal) {
        let fixed: [(String, Bool)] = [
            ("workers", next.workers != current.workers), ("store", next.store != current.store),
            ("admin", next.admin != current.admin), ("log", next.log != current.log),
        ]
        let changed = fixed.filter(\.1).map(\.0)
        guard changed.isEmpty else {
            throw ReloadRefusal("\(changed.joined(separator: ", ")) cannot change while it runs; restart the gateway")
        }
    }
}
