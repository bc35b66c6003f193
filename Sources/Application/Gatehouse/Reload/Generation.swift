import Accounts
import AdminAPI
import GatewayConfiguration
import GatewayCore
import Logging
import Synchronization

/// An active or retiring configuration with the objects that were created for it.
final class Generation: Sendable {
    /// The number: 1 for the first configuration, increased with each installation.
    let number: UInt64
    /// When it was created, in seconds since 1970.
    let loadedAt: Int64
    let configuration: Configuration
    let snapshot: Snapshot
    let sources: IdentitySources

    init(
        number: UInt64, loadedAt: Int64, _ configuration: Configuration, _ snapshot: Snapshot,
        _ sources: IdentitySources
    ) {
        self.number = number
        self.loadedAt = loadedAt
        self.configuration = configuration
        self.snapshot = snapshot
        self.sources = sources
    }

    /// Logs the warnings of a valid configuration.
    func logWarnings(to logger: Logger) {
        for warning in snapshot.warnings {
            logger.warning(
                "configuration",
                metadata: ["at": "\(warning.location)", "warning": "\(warning.what); \(warning.remedy)"])
        }
        for option in configuration.insecureOptions {
            logger.warning("an insecure option is on; never use it in production", metadata: ["option": "\(option)"])
        }
    }
}

/// The active configuration, and the identity sources of earlier ones while workers still query them.
final class Generations: Sendable {
    private struct State: Sendable {
        var current: Generation
        var retired: [IdentitySources] = []
        var differences: ReloadDifferences?
    }

    private let state: Mutex<State>

    init(_ first: Generation) {
        state = Mutex(State(current: first))
    }

    var current: Generation { state.withLock { $0.current } }

    /// The recorded requests that the last reload decides differently. `nil` before a reload, and without a console.
    var differences: ReloadDifferences? {
        get { state.withLock { $0.differences } }
        set { state.withLock { $0.differences = newValue } }
    }

    /// Replaces the active configuration.
    func replace(with next: Generation) {
        state.withLock { state in
            if state.current.sources !== next.sources { state.retired.append(state.current.sources) }
            state.current = next
        }
    }

    /// Shuts down the sources of earlier configurations when no worker queries them any more, until the task is
    /// cancelled.
    func reapRetiredSources(usedBy workers: WorkerLoops) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            guard !state.withLock({ $0.retired.isEmpty }) else { continue }
            let seen = try? await workers.onEach { loop in
                loop.workers.compactMap { $0.keySource.map { ObjectIdentifier($0) } }
            }
            guard let used = seen.map({ Set($0.joined()) }) else { return }
            let unused = state.withLock { state in
                let isUnused = { (sources: IdentitySources) in !used.contains(ObjectIdentifier(sources.keys)) }
                defer { state.retired.removeAll(where: isUnused) }
                return state.retired.filter(isUnused)
            }
            for sources in unused { await sources.shutdown() }
        }
    }

    /// Ends the polls of transmitters, which need the store.
    func stopPolls() async {
        for sources in state.withLock({ $0.retired + [$0.current.sources] }) { await sources.eventPolls?.stop() }
    }

    func shutdown() async {
        for sources in state.withLock({ $0.retired + [$0.current.sources] }) { await sources.shutdown() }
    }
}

extension Configuration {
    /// The enabled insecure options, by their keys.
    var insecureOptions: [String] {
        var options: [String] = []
        if identity.firebase?.insecureEmulator == true { options.append("identity.firebase.insecure_emulator") }
        if identity.firebase?.insecureEmulatorOn == .any { options.append("identity.firebase.insecure_emulator_on") }
        if identity.firebase?.insecureHTTP == true { options.append("identity.firebase.insecure_http") }
        options += identity.providers.filter(\.insecureHTTP).map { "identity.providers.\($0.id).insecure_http" }
        options += (accounts?.transmitters ?? []).filter(\.insecureHTTP).map {
            "accounts.transmitters.\($0.id).insecure_http"
        }
        options += routes.filter(\.insecureNoCSRF).map { "routes[\($0.path)].insecure_no_csrf" }
        return options
    }
}
