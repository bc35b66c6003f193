package import GatewayConfiguration
package import GatewayCore
package import Logging
import Synchronization

/// Keeps all key sets of the gateway: one for each source, however many routes and workers use it.
///
/// The fetching happens in `run()`, off the request path. Workers subscribe and get each set's `KeySetView` whenever a
/// fetch starts or ends or a set is gone; they ask for a set by `requestRefresh` when a view's lookup says `fetch`.
package final class KeyCoordinator: Sendable {
    /// The sources, each once; a set's index is its place here.
    package let sources: [KeySetSource]

    private let board: KeySetRegistry
    private let drivers: [KeySetDriver]
    private let clock: GatewayClock

    /// A coordinator that has not asked any source yet.
    ///
    /// - Parameters:
    ///   - previous: whose sets are held until their sources, which both have, were asked again.
    ///   - sources: one that is named twice is kept once, at its first place.
    ///   - policy: how long sets are kept (`identity.keys`).
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
        let timing = KeySetTiming(policy)
        let machines = sources.map { source in
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

    /// Reads the sets and keeps them fresh until the task is cancelled. Once.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for driver in drivers {
                group.addTask { await driver.run() }
            }
        }
    }

    /// The index of the set that comes from `source`.
    package func set(for source: KeySetSource) -> Int? {
        sources.firstIndex(of: source)
    }

    /// Hands each set's view of now to `sink`, before this returns, and every later one in order, from any thread.
    ///
    /// `sink` must only pass the view on (`EventLoop.execute`): it may not wait, nor call the coordinator's `subscribe`,
    /// `unsubscribe`, `view` or `status`.
    /// - Returns: what `unsubscribe` takes.
    @discardableResult
    package func subscribe(_ sink: @escaping @Sendable (_ set: Int, _ view: KeySetView) -> Void) -> Int {
        board.subscribe(sink)
    }

    /// Ends a subscription: after this returns, its sink is not called any more.
    package func unsubscribe(_ subscription: Int) {
        board.unsubscribe(subscription)
    }

    /// Asks for a set because a token needs it or names a key that it has not. Returns at once; callable from an event loop.
    ///
    /// All asks share one fetch, at most one per cool-down, and each is followed by a view that tells of that fetch's end:
    /// an ask that starts no fetch comes from a view for which a newer one is already on its way.
    package func requestRefresh(set: Int) {
        drivers[set].asks.yield()
    }

    /// Reads a set now because an operator wants it, whatever the cool-down and the backoff say.
    package func refresh(set: Int) async {
        await drivers[set].refresh()
    }

    /// Reads all sets now, at the same time, and returns when each fetch has ended, well or not; `status` tells.
    package func refreshAll() async {
        for driver in drivers { await driver.refresh() }
        for driver in drivers { await driver.waitForFetch() }
    }

    /// The newest view of a set.
    package func view(of set: Int) -> KeySetView {
        board.machines[set].view
    }

    /// What operators may know, in the order of `sources`.
    package func status() -> [KeySetStatus] {
        let now = clock.monotonic()
        return zip(sources, board.machines).map { source, machine in
            machine.status(source: source.name, now: now)
        }
    }
}

extension KeyCoordinator {
    private static let generations = Atomic<UInt64>(0)

    /// The first of a range of generations that no other set of this process uses, so that nothing that was verified
    /// before a reload can pass for verified after it.
    private static func nextGenerations() -> UInt64 {
        generations.wrappingAdd(1 << 32, ordering: .relaxed).newValue + 1
    }
}
