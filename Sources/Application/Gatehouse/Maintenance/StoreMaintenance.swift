import GatewayCore
import Logging
import Revocation

/// The maintenance of the store: it loads the revocation view, retrying until it succeeds. Then it removes expired
/// records and completes interrupted deletions of accounts, soon and then once an hour. Each second it records which
/// sessions were used.
struct StoreMaintenance: Sendable {
    private let store: any GatewayStore
    private let workers: WorkerLoops
    private let clock: GatewayClock
    private let logger: Logger
    private let uses: SessionUses

    init(_ workers: WorkerLoops, _ environment: GatewayEnvironment) {
        self.workers = workers
        (store, clock, logger) = (environment.store, environment.clock, environment.logger)
        uses = environment.sessionUses
    }

    func run() async {
        await load()
        workers.execute { loop in for worker in loop.workers { worker.storeLoaded() } }
        var schedule = PurgeSchedule()
        while true {
            try? await Task.sleep(for: .seconds(1))
            guard !Task.isCancelled else { return }
            await store.inspect()
            await recordUses()
            guard schedule.isDueAfterSecond() else { continue }
            do { try await store.purge(now: clock.now()) } catch {
                logger.warning("the maintenance of the store failed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Records some of the sessions' uses. A failure loses them, since they are for display only.
    private func recordUses() async {
        let uses = uses.take()
        guard !uses.isEmpty else { return }
        do { try await store.recordUses(uses, at: clock.now()) } catch {
            logger.debug("uses of sessions were not recorded", metadata: ["error": "\(error)"])
        }
    }

    private func load() async {
        var pause = Duration.seconds(1)
        var lastLogged: StoreError?
        while !Task.isCancelled {
            do throws(StoreError) {
                let report = try await store.load()
                logger.info("store loaded", metadata: ["users": "\(report.users)", "sessions": "\(report.sessions)"])
                return
            } catch {
                let level = error == lastLogged ? Logger.Level.debug : .error
                logger.log(level: level, "the store cannot be read", metadata: ["error": "\(error)"])
                lastLogged = error
                // A store that follows another has already waited in `load`, and continues to retry on its own.
                try? await Task.sleep(for: store.viewIsAuthoritative ? pause : .milliseconds(100))
                pause = min(pause * 2, .seconds(30))
            }
        }
    }
}

/// The times of purges, in seconds after the store was loaded.
struct PurgeSchedule {
    /// The first purge. Deletions that this gateway interrupted when it ended are old enough by then.
    static let first = 90
    /// The time between two purges.
    static let interval = 3_600

    private var remaining = Self.first

    /// Counts one second. Returns whether a purge is due.
    mutating func isDueAfterSecond() -> Bool {
        remaining -= 1
        guard remaining == 0 else { return false }
        remaining = Self.interval
        return true
    }
}
