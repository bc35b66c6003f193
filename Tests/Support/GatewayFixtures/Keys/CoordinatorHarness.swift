import GatewayConfiguration
import JOSE
import OutboundHTTP
import Synchronization

@testable import Authentication
@testable import CoreFixtures

/// A coordinator with a fetcher and a clock that the test controls.
struct CoordinatorHarness: Sendable {
    let time = KeyTestTime()
    let fetcher = FakeKeyFetcher()
    let coordinator: KeyCoordinator
    let events: Recorder

    /// The logged events.
    final class Recorder: Sendable {
        private let events = Mutex<[(event: KeySetEvent, source: KeySetSource)]>([])

        var all: [(event: KeySetEvent, source: KeySetSource)] { events.withLock { $0 } }

        func record(_ event: KeySetEvent, _ source: KeySetSource) { events.withLock { $0.append((event, source)) } }
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

    /// Runs the coordinator while `body` runs.
    @discardableResult
    func run<T: Sendable>(_ body: @Sendable @escaping (Subscriber) async throws -> T) async throws -> T {
        let running = Task { await coordinator.run() }
        defer { running.cancel() }
        return try await body(Subscriber(coordinator))
    }

    /// Responds to the fetcher's next call with these keys, and returns the view after the call.
    @discardableResult
    func serve(_ keys: [TestKey], maxAge: UInt64 = 3600, to subscriber: Subscriber) async throws -> KeySetView? {
        let call = await fetcher.next()
        call?.succeed(try FetchedKeySet(keys, maxAge: maxAge))
        return await subscriber.next { !$0.isFetching && $0.lastFetchSucceeded }
    }
}

/// The view of one worker.
final class Subscriber: Sendable {
    private let views: AsyncStream<(set: Int, view: KeySetView)>
    let subscription: Int

    init(_ coordinator: KeyCoordinator) {
        let (views, incoming) = AsyncStream.makeStream(of: (set: Int, view: KeySetView).self)
        self.views = views
        subscription = coordinator.subscribe { incoming.yield((set: $0, view: $1)) }
    }

    /// Returns the next view of the set that satisfies the condition, and discards the views before it. For one reader
    /// only.
    func next(set: Int = 0, where matches: (KeySetView) -> Bool = { _ in true }) async -> KeySetView? {
        for await (of, view) in views where of == set && matches(view) { return view }
        return nil
    }
}

/// A fetcher to whose calls the test responds one by one.
final class FakeKeyFetcher: KeyFetcher {
    /// A call that waits for its response.
    struct Call: Sendable {
        let source: KeySetSource
        var url: String { source.url }
        fileprivate let continuation: CheckedContinuation<Result<FetchedKeySet, KeyFetchError>, Never>

        func succeed(_ keys: FetchedKeySet) { continuation.resume(returning: .success(keys)) }

        func fail(_ error: KeyFetchError = .down) { continuation.resume(returning: .failure(error)) }
    }

    private let calls: AsyncStream<Call>
    private let incoming: AsyncStream<Call>.Continuation
    private let counter = Atomic<Int>(0)

    init() { (calls, incoming) = AsyncStream.makeStream() }

    /// The number of calls.
    var count: Int { counter.load(ordering: .sequentiallyConsistent) }

    /// Waits for the next call. For one reader only.
    func next() async -> Call? {
        for await call in calls { return call }
        return nil
    }

    func fetch(_ source: KeySetSource) async throws(KeyFetchError) -> FetchedKeySet {
        counter.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return try await withCheckedContinuation { incoming.yield(Call(source: source, continuation: $0)) }.get()
    }
}

extension KeyFetchError {
    static let down = KeyFetchError(.unreachable, "refused")
}

/// A key of a test, with the JWK that a source publishes for it.
struct TestKey {
    let id: String
    let jwk: String

    init(_ id: String) throws {
        self.id = id
        jwk = try SigningKey.generate(.es256, keyID: id).jwk
    }
}

extension FetchedKeySet {
    /// The response of a source with these keys.
    init(_ keys: [TestKey], maxAge: UInt64 = 3600, junk: [String] = []) throws {
        try self.init(KeySet(jwkSet: jwkSet(keys, junk: junk)), maxAge: maxAge)
    }
}

/// Returns the JWK set of the keys as bytes, with the given additional members of `keys`.
func jwkSet(_ keys: [TestKey], junk: [String] = []) -> [UInt8] {
    Array(#"{"keys":[\#((keys.map(\.jwk) + junk).joined(separator: ","))]}"#.utf8)
}

extension KeyLookup {
    var keyID: String? {
        guard case .key(let key) = self else { return nil }
        return key.keyID
    }

    var isUnknown: Bool {
        guard case .unknown = self else { return false }
        return true
    }

    var isFetch: Bool {
        guard case .fetch = self else { return false }
        return true
    }

    /// The seconds of `Retry-After`. `nil` for other errors.
    var retryAfter: Int? {
        guard case .unavailable(let seconds) = self else { return nil }
        return seconds
    }
}
