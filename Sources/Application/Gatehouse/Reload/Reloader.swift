import GatewayConfiguration
import GatewayCore
import Logging
import Observability
import Synchronization

/// Reads the configuration again, when it is asked to or when one of its files has changed, and has it installed.
final class Reloader: Sendable {
    private struct State: Sendable {
        var files: Set<String>
        var watch: FileWatch
        var outcomes = ReloadOutcomes()
    }

    private let installer: ConfigurationInstaller
    private let load: @Sendable () throws -> Configuration
    private let calls = BlockingCalls()
    /// Around reading and putting in place, so that an older configuration never overtakes a newer one.
    private let gate = SerialGate()
    private let state: Mutex<State>

    /// - Parameters:
    ///   - files: what was read for the configuration that the gateway began with.
    ///   - load: reads and checks the next one; throws what is wrong with it.
    init(
        _ installer: ConfigurationInstaller, files: Set<String>, load: @escaping @Sendable () throws -> Configuration
    ) {
        self.installer = installer
        self.load = load
        state = Mutex(State(files: files, watch: FileWatch(loaded: .now(of: files))))
    }

    /// How reloads have ended so far.
    var outcomes: ReloadOutcomes { state.withLock { $0.outcomes } }

    /// Reads the configuration and puts it in place, or throws the reason why not and changes nothing.
    func reload() async throws {
        try await gate.enter { [self] in try await readAndInstall() }
    }

    private func readAndInstall() async throws {
        let ledger = FileLedger(isOfReload: true)
        let files = state.withLock { $0.files }
        var before: FileWatch.Fingerprints?
        let result: Result<UInt64, any Error>
        do {
            let (stamps, loaded) = try await calls.run { [load] in
                // Before they are read: what changes meanwhile is seen as a change.
                (FileWatch.Fingerprints.now(of: files), Result { try ledger.record { try load() } })
            }
            before = stamps
            result = .success(try await installer.install(try loaded.get(), recording: ledger, on: calls))
        } catch {
            result = .failure(error)
        }
        record(result)
        if let before { await tried(ledger.files, before) }
        _ = try result.get()
    }

    private func record(_ result: Result<UInt64, any Error>) {
        let logger = installer.environment.logger
        switch result {
        case .success(let number):
            state.withLock {
                $0.outcomes.accepted += 1
                $0.outcomes.lastRefusal = nil
            }
            logger.notice("reloaded", metadata: ["generation": "\(number)"])
        case .failure(let error):
            state.withLock {
                $0.outcomes.refused += 1
                $0.outcomes.lastRefusal = "\(error)"
            }
            logger.error("reload refused; the configuration before is served on", metadata: ["error": "\(error)"])
        }
    }

    private func tried(_ read: Set<String>, _ before: FileWatch.Fingerprints) async {
        let added = state.withLock { read.subtracting($0.files) }
        let fresh = (try? await calls.run { FileWatch.Fingerprints.now(of: added) }) ?? [:]
        state.withLock { state in
            state.files.formUnion(read)
            state.watch.tried(before.merging(fresh) { old, _ in old })
        }
    }

    /// Looks at the files again and again until the task is cancelled, and reloads when they have changed.
    func watch() async {
        while !Task.isCancelled {
            let interval = installer.generations.current.configuration.reload.watch
            try? await Task.sleep(for: interval ?? .seconds(1))
            guard interval != nil, !Task.isCancelled, await haveFilesChanged() else { continue }
            installer.environment.logger.info("a file of the configuration has changed")
            // A refusal is logged.
            try? await reload()
        }
    }

    private func haveFilesChanged() async -> Bool {
        let files = state.withLock { $0.files }
        guard let fingerprints = try? await calls.run({ FileWatch.Fingerprints.now(of: files) }) else { return false }
        return state.withLock { $0.watch.look(fingerprints) }
    }
}
