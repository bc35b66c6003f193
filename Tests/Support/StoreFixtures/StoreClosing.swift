import RevocationStores
import Synchronization
import Testing

/// The stores in Redis that a test opened, which are closed at its end. An open store follows its server until the end
/// of the process.
final class OpenedStores: Sendable {
    /// The stores of the running test, in suites with the trait `.closingStores`.
    @TaskLocal static var current: OpenedStores?

    private let stores = Mutex<[RedisStore]>([])

    func add(_ store: RedisStore) { stores.withLock { $0.append(store) } }

    func close() async {
        for store in stores.withLock({ $0 }) { try? await store.close() }
    }
}

/// Closes the stores that the tests of a suite open.
struct StoreClosing: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let opened = OpenedStores()
        let result: Result<Void, any Error>
        do {
            result = .success(try await OpenedStores.$current.withValue(opened) { try await function() })
        } catch {
            result = .failure(error)
        }
        await opened.close()
        try result.get()
    }
}

extension Trait where Self == StoreClosing {
    static var closingStores: Self { StoreClosing() }
}
