import Logging
import Synchronization

/// Reads the configuration again, when it is asked to or when one of its files has changed, and hands it to the gateway.
public final class Reloader: Sendable {
    private struct State: Sendable {
        var files: Set<String>
        var watch: FileWatch
    }

    private let gateway: Gateway
    private let load: @Sendable () throws -> Configuration
    private let calls: BlockingCalls
    private let state: Mutex<State>

    /// - Parameters:
    ///   - files: what was read for the configuration that the gateway began with.
    ///   - load: reads and checks the next one; throws what is wrong with it.
    public convenience init(
        _ gateway: Gateway, files: Set<String>, load: @escaping @Sendable () throws -> Configuration
    ) {
        self.init(gateway, files: files, calls: gateway.blockingCalls, load: load)
    }

    /// - Parameter calls: where `load` runs.
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
    public func reload() async throws {
        let ledger = FileLedger(isOfReload: true)
        // Before they are read: what changes meanwhile is seen as a change.
        let before = FileWatch.Stamps.now(of: state.withLock { $0.files })
        defer { tried(ledger.files.union(gateway.files), before) }
        let configuration: Configuration
        do {
            configuration = try await calls.run { [load] in try ledger.record { try load() } }
        } catch {
            gateway.refusedReload(error)
            throw error
        }
        try await gateway.reload(configuration)
    }

    private func tried(_ read: Set<String>, _ before: FileWatch.Stamps) {
        state.withLock { state in
            let fresh = FileWatch.Stamps.now(of: read.subtracting(state.files))
            state.files.formUnion(read)
            state.watch.tried(before.merging(fresh) { old, _ in old })
        }
    }

    /// Looks at the files again and again until the task is cancelled, and reloads when they have changed.
    public func watch() async {
        while !Task.isCancelled {
            let interval = gateway.configuration.reload.watch
            try? await Task.sleep(for: interval ?? .seconds(1))
            guard interval != nil, !Task.isCancelled, hasNews() else { continue }
            gateway.logger.info("a file of the configuration has changed")
            // Told in the log by the gateway.
            try? await reload()
        }
    }

    private func hasNews() -> Bool {
        let stamps = FileWatch.Stamps.now(of: state.withLock { $0.files })
        return state.withLock { $0.watch.look(stamps) }
    }
}
