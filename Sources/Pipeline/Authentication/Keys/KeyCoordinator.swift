package import GatewayConfiguration
package import GatewayCore
package import Logging
import Synchronization

/// The owner of all key sets of the gateway: one for each source, however many routes and workers use it.
///
/// Fetches happen in `run()`, off the request path. Workers subscribe and receive each set's `KeySetView` whenever a
/// fetch starts or ends or a set expires. They call `requestRefresh` when a view's lookup returns `fetch`.
package final class KeyCoordinator: Sendable {
    /// The distinct sources. The index of a source is the index of its set.
    package let sources: [KeySetSource]

    private let board: KeySetRegistry
    private let drivers: [KeySetDriver]
    private let clock: GatewayClock

    /// Creates a coordinator that has not yet fetched any source.
    ///
    /// - Parameters:
    ///   - previous: The coordinator whose sets are kept for common sources until the next fetch.
    ///   - sources: The sources; duplicates are removed and the first one is kept.
    ///   - policy: The lifetimes of sets (`identity.keys`).
    package convenience init(
        after previous: KeyCoordinator? = nil, sources: [KeySetSource], policy: Configuration.KeyPolicy,
        fetcher: any KeyFetcher, clock: GatewayClock = .system, logger: Logger = Logger(label: "gatehouse.keys")
    ) {
        let log = KeySetLog(logger: logger)
        let environment = KeyEnvironment.live(fetcher: fetcher, clock: clock) { event, source in
            log.write(event, source: source.name)
        }
        self.init(after: previous, sources: sources, policy: policy, environment: environment)
    }

    init(
        after previous: KeyCoordinator? = nil, sources: [KeySetSource], policy: Configuration.KeyPolicy,
        environment: KeyEnvironment
    ) {
        var seen: Set<KeySetSource> = []
        let sources = sources.filter { seen.insert($0).inserted }
        let machines = sources.map { source in
            let timing = KeySetTiming(policy, of: source)
            let (seed, generation) = (UInt64.random(in: 0...UInt64.max), Self.nextGenerations())
            guard let previous, let set = previous.set(for: source) else {
                return KeySetMachine(timing: timing, seed: seed, firstGeneration: generation)
            }
            return KeySetMachine(
                timing: timing, seed: seed, firstGeneration: generation, inheriting: previous.board.machines[set])
        }
        let board = KeySetRegistry(machines)
        self.sources = sources
        self.board = board
        drivers = zip(sources, machines).enumerated().map { set, pair in
            KeySetDriver(set: set, source: pair.0, machine: pair.1, board: board, environment: environment)
        }
        clock = environment.clock
    }

    /// Fetches the sets and keeps them fresh until the task is cancelled. It must be called only once.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for driver in drivers {
                group.addTask { await driver.run() }
            }
        }
    }

    /// Returns the index of the set that comes from `source`.
    package func set(for source: KeySetSource) -> Int? {
        sources.firstIndex(of: source)
    }

    /// Passes the current view of each set to `sink` before this returns, and every later one in order, from any
    /// thread.
    ///
    /// `sink` must only forward the view (`EventLoop.execute`). It must not wait, nor call `subscribe`, `unsubscribe`,
    /// `view` or `status` of the coordinator.
    /// - Returns: The subscription for `unsubscribe`.
    @discardableResult
    package func subscribe(_ sink: @escaping @Sendable (_ set: Int, _ view: KeySetView) -> Void) -> Int {
        board.subscribe(sink)
    }

    /// Ends a subscription. Its sink is not called after this returns.
    package func unsubscribe(_ subscription: Int) {
        board.unsubscribe(subscription)
    }

    /// Requests a set because a token needs it or names a key that is not in it. Returns immediately; callable from an
    /// event loop.
    ///
    /// All requests share one fetch, at most one per cool-down. A view that reports the end of that fetch follows each
    /// request. If a request starts no fetch, a newer view is already on its way.
    package func requestRefresh(set: Int) {
        drivers[set].unknownKeyContinuation.yield()
    }

    /// Fetches a set immediately for an operator, regardless of cool-down and backoff.
    package func refresh(set: Int) async {
        await drivers[set].refresh()
    }

    /// Fetches all sets concurrently and returns after each fetch has succeeded or failed; `status` has the results.
    package func refreshAll() async {
        for driver in drivers { await driver.refresh() }
        for driver in drivers { await driver.waitForFetch() }
    }

    /// Returns the latest view of a set.
    package func view(of set: Int) -> KeySetView {
        board.machines[set].view
    }

    /// Returns the operational state of each set, in the order of `sources`.
    package func status() -> [KeySetStatus] {
        let now = clock.monotonic()
        return zip(sources, board.machines).map { source, machine in
            machine.status(source: source.name, now: now)
        }
    }
}

extension KeyCoordinator {
    private static let generations = Atomic<UInt64>(0)

    /// Returns the start of a range of generations that no other set of this process uses. A token verified before a
    /// reload is therefore never treated as verified after it.
    private static func nextGenerations() -> UInt64 {
        generations.wrappingAdd(1 << 32, ordering: .relaxed).newValue + 1
    }
}
