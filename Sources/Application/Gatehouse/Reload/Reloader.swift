package import GatewayConfiguration
import GatewayCore
import Logging
import Synchronization

/// Reads the configuration again, when it is asked to or when one of its files has changed, and hands it to the gateway.
package final class Reloader: Sendable {
    private struct State: Sendable {
        var files: Set<String>
        var watch: FileWatch
    }

    private let gateway: Gateway
    private let load: @Sendable () throws -> Configuration
    private let calls: BlockingCalls
    /// Around reading and putting in place, so that an older configuration never overtakes a newer one.
    private let gate = ReloadGate()
    private let state: Mutex<State>

    /// - Parameters:
    ///   - files: what was read for the configuration that the gateway began with.
    ///   - load: reads and checks the next one; throws what is wrong with it.
    package convenience init(
        _ gateway: Gateway, files: Set<String>, load: @escaping @Sendable () throws -> Configuration
    ) {
        self.init(gateway, files: files, calls: gateway.blockingCalls, load: load)
    }

    /// - Parameter calls: where `load` runs, and files are looked at.
    init(
        _ gateway: Gateway, files: Set<String>, calls: BlockingCalls,
        load: @escaping @Sendable () throws -> Configuration
    ) {
        self.gateway = gateway
        self.calls = calls
        self.load = load
        let all = files.union(gateway.files)
        state = Mutex(State(files: all, watch: FileWatch(loaded: .now(of: all))))
        gateway.reloader.withLock { $0 = { [weak self] in try await self?.reload() } }
    }

    /// Reads the configuration and puts it in place, or tells why not and changes nothing.
    package func reload() async throws {
        let outcome = Mutex<Result<Void, any Error>>(.failure(ReloadRefusal("the gateway has stopped")))
        await gate.enter { [self] in
            let result = await readAndInstall()
            outcome.withLock { $0 = result }
        }
        try outcome.withLock { $0 }.get()
    }

    private func readAndInstall() async -> Result<Void, any Error> {
        let ledger = FileLedger(isOfReload: true)
        let files = state.withLock { $0.files }
        let before: FileWatch.Stamps
        let loaded: Result<Configuration, any Error>
        do {
            (before, loaded) = try await calls.run { [load] in
                // Before they are read: what changes meanwhile is seen as a change.
                (FileWatch.Stamps.now(of: files), Result { try ledger.record { try load() } })
            }
        } catch {
            gateway.refusedReload(error)
            return .failure(error)
        }
        let result = await install(loaded)
        await tried(ledger.files.union(gateway.files), before)
        return result
    }

    private func install(_ loaded: Result<Configuration, any Error>) async -> Result<Void, any Error> {
        switch loaded {
        case .failure(let error):
            gateway.refusedReload(error)
            return .failure(error)
        case .success(let configuration):
            do {
                return .success(try await gateway.reload(configuration))
            } catch {
                return .failure(error)
            }
        }
    }

    private func tried(_ read: Set<String>, _ before: FileWatch.Stamps) async {
        let added = state.withLock { read.subtracting($0.files) }
        let fresh = (try? await calls.run { FileWatch.Stamps.now(of: added) }) ?? [:]
        state.withLock { state in
            state.files.formUnion(read)
            state.watch.tried(before.merging(fresh) { old, _ in old })
        }
    }

    /// Looks at the files again and again until the task is cancelled, and reloads when they have changed.
    package func watch() async {
        while !Task.isCancelled {
            let interval = gateway.configuration.reload.watch
            try? await Task.sleep(for: interval ?? .seconds(1))
            guard interval != nil, !Task.isCancelled, await hasNews() else { continue }
            gateway.logger.info("a file of the configuration has changed")
            // Told in the log by the gateway.
            try? await reload()
        }
    }

    private func hasNews() async -> Bool {
        let files = state.withLock { $0.files }
        guard let stamps = try? await calls.run({ FileWatch.Stamps.now(of: files) }) else { return false }
        return state.withLock { $0.watch.look(stamps) }
    }
}
