import GatewayConfiguration
import GatewayCore
import Logging
import Observability
import Synchronization

/// The reloading of the configuration, on request or after one of its files has changed.
final class Reloader: Sendable {
    private struct State: Sendable {
        var files: Set<String>
        var watch: FileWatch
        var outcomes = ReloadOutcomes()
    }

    private let installer: ConfigurationInstaller
    private let load: @Sendable () throws -> Configuration
    private let supervisor: Supervisor?
    private let calls = BlockingCalls()
    /// Covers both reading and installation, so that an older configuration never replaces a newer one.
    private let gate = SerialGate()
    private let state: Mutex<State>

    /// Creates a reloader.
    ///
    /// - Parameters:
    ///   - files: The files of the first configuration.
    ///   - supervisor: The service manager that is notified of reloads. `nil` without one.
    ///   - load: Reads and checks the next configuration. Throws its errors.
    init(
        _ installer: ConfigurationInstaller, files: Set<String>, supervisor: Supervisor? = nil,
        load: @escaping @Sendable () throws -> Configuration
    ) {
        self.installer = installer
        self.supervisor = supervisor
        self.load = load
        state = Mutex(State(files: files, watch: FileWatch(loaded: .now(of: files))))
    }

    /// The outcomes of all reloads.
    var outcomes: ReloadOutcomes { state.withLock { $0.outcomes } }

    /// Reads and installs the configuration. Throws the reason if it fails; nothing changes then.
    func reload() async throws {
        try await gate.enter { [self] in
            supervisor?.reloadBegan()
            defer { supervisor?.reloadEnded(servingStatus) }
            try await readAndInstall()
        }
    }

    private var servingStatus: ServingStatus {
        ServingStatus(
            listeners: installer.listeners.current.map(\.name), generation: installer.generations.current.number,
            isReloadRejected: outcomes.lastRefusal != nil)
    }

    private func readAndInstall() async throws {
        let ledger = FileLedger(isOfReload: true)
        let files = state.withLock { $0.files }
        var before: FileWatch.Fingerprints?
        let result: Result<UInt64, any Error>
        do {
            let (stamps, loaded) = try await calls.run { [load] in
                // Taken before the files are read, so that a concurrent change is detected.
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
        let (logger, now) = (installer.environment.logger, installer.environment.clock.now())
        state.withLock { $0.outcomes.lastTime = now }
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
            logger.error("reload rejected; the previous configuration stays active", metadata: ["error": "\(error)"])
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

    /// Checks the files until the task is cancelled, and reloads after a change.
    func watch() async {
        while !Task.isCancelled {
            let interval = installer.generations.current.configuration.reload.watch
            try? await Task.sleep(for: interval ?? .seconds(1))
            guard interval != nil, !Task.isCancelled, await haveFilesChanged() else { continue }
            installer.environment.logger.info("a file of the configuration has changed")
            // The error is already logged.
            try? await reload()
        }
    }

    private func haveFilesChanged() async -> Bool {
        let files = state.withLock { $0.files }
        guard let fingerprints = try? await calls.run({ FileWatch.Fingerprints.now(of: files) }) else { return false }
        return state.withLock { $0.watch.lookUp(fingerprints) }
    }
}
