import GatewayCore
import Logging
import Revocation

/// The maintenance of the store: it loads the revocation view, retrying until it succeeds, and then removes expired
/// records once an hour.
struct StoreMaintenance: Sendable {
    private let store: any GatewayStore
    private let workers: WorkerLoops
    private let clock: GatewayClock
    private let logger: Logger

    init(_ workers: WorkerLoops, _ environment: GatewayEnvironment) {
        self.workers = workers
        (store, clock, logger) = (environment.store, environment.clock, environment.logger)
    }

    func run() async {
        await load()
        workers.execute { loop in for worker in loop.workers { worker.storeLoaded() } }
        while !Task.isCancelled {
            for _ in 0..<3600 {
                try? await Task.sleep(for: .seconds(1))
                guard !Task.isCancelled else { return }
                await store.inspect()
            }
            do { try await store.purge(now: clock.now()) } catch {
                logger.warning("expired sessions could not be removed", metadata: ["error": "\(error)"])
            }
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
