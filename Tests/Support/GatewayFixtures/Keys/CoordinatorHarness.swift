import GatewayConfiguration
import Synchronization

@testable import Authentication
@testable import CoreFixtures

/// A coordinator over a fetcher and a clock that the test moves.
struct CoordinatorHarness: Sendable {
    let time = KeyTestTime()
    let fetcher = FakeKeyFetcher()
    let coordinator: KeyCoordinator
    let events: Recorder

    /// What was logged.
    final class Recorder: Sendable {
        private let events = Mutex<[(event: KeySetEvent, source: KeySetSource)]>([])

        var all: [(event: KeySetEvent, source: KeySetSource)] { events.withLock { $0 } }

        func record(_ event: KeySetEvent, _ source: KeySetSource) {
            events.withLock { $0.append((event, source)) }
        }
    }

    init(urls: [String] = ["https://a.example/keys"], _ change: (inout Configuration.KeyPolicy) -> Void = { _ in }) {
        self.init(sources: urls.map { .url($0) }, change)
    }

    init(sources: [KeySetSource], _ change: (inout Configuration.KeyPolicy) -> Void = { _ in }) {
        var policy = Configuration.KeyPolicy()
        change(&policy)
        let (time, events) = (time, Recorder())
        self.events = events
        coordinator = KeyCoordinator(
            sources: sources, policy: policy,
            environment: KeyEnvironment(
                fetcher: fetcher, clock: time.clock, sleepUntil: { try await time.sleep(until: $0) },
                log: { events.record($0, $1) }))
    }

    /// Runs the coordinator for as long as `body` takes.
    @discardableResult
    func run<T: Sendable>(_ body: @Sendable @escaping (Subscriber) async throws -> T) async throws -> T {
        let running = Task { await coordinator.run() }
        defer { running.cancel() }
        return try await body(Subscriber(coordinator))
    }

    /// The next call of the fetcher, answered with these keys, and the view that tells of its end.
    @discardableResult
    func serve(_ keys: [TestKey], maxAge: UInt64 = 3600, to subscriber: Subscriber) async throws -> KeySetView? {
        let call = await fetcher.next()
        call?.succeed(try FetchedKeySet(keys, maxAge: maxAge))
        return await subscriber.next { !$0.isFetching && $0.lastFetchSucceeded }
    }
}

/// What one worker sees.
final class Subscriber: Sendable {
    private let views: AsyncStream<(set: Int, view: KeySetView)>
    let subscription: Int

    init(_ coordinator: KeyCoordinator) {
        let (views, incoming) = AsyncStream.makeStream(of: (set: Int, view: KeySetView).self)
        self.views = views
        subscription = coordinator.subscribe { incoming.yield((set: $0, view: $1)) }
    }

    /// The next view of the set that is as asked; the ones before it are dropped. For one reader.
    func next(set: Int = 0, where isAsked: (KeySetView) -> Bool = { _ in true }) async -> KeySetView? {
        for await (of, view) in views where of == set && isAsked(view) { return view }
        return nil
    }
}
