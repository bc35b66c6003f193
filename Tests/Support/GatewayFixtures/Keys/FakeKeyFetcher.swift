import Authentication
import OutboundHTTP
import Synchronization

/// A fetcher whose answers the test gives, call by call.
final class FakeKeyFetcher: KeyFetcher {
    /// One call that waits for its answer.
    struct Call: Sendable {
        let source: KeySetSource
        var url: String { source.url }
        fileprivate let continuation: CheckedContinuation<Result<FetchedKeySet, KeyFetchError>, Never>

        func succeed(_ keys: FetchedKeySet) {
            continuation.resume(returning: .success(keys))
        }

        func fail(_ error: KeyFetchError = .down) {
            continuation.resume(returning: .failure(error))
        }
    }

    private let calls: AsyncStream<Call>
    private let incoming: AsyncStream<Call>.Continuation
    private let counter = Atomic<Int>(0)

    init() {
        (calls, incoming) = AsyncStream.makeStream()
    }

    /// How often it was called.
    var count: Int { counter.load(ordering: .sequentiallyConsistent) }

    /// The next call; for one reader.
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
