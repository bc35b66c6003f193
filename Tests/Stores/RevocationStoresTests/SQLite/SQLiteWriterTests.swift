import Dispatch
import GRDB
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// Writes that wait for the disk.
@Suite struct SQLiteWriterTests {
    let store: SQLiteStore

    init() throws {
        store = try SQLiteStore(path: nil, logger: .silent)
    }

    /// Keeps the database busy until the gate is signalled. Returns when the database is busy.
    func occupy(_ gate: DispatchSemaphore) async -> Task<Void, any Error> {
        await withCheckedContinuation { (busy: CheckedContinuation<Task<Void, any Error>, Never>) in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await store.writer.read { _ in
                    start.finish()
                    gate.wait()
                }
            }
            Task {
                for await _ in started {}
                busy.resume(returning: task)
            }
        }
    }

    @Test func `writes above the bound are rejected, and the other writes are stored`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let busy = await occupy(gate)
        let excess = 50
        let refused = await withTaskGroup(of: Bool.self) { [store] group in
            for index in 0..<(SQLiteWriter.maximumWaiting + excess) {
                group.addTask { await Self.isRefused("\(index)", store) }
            }
            var refused = 0
            for await isRefused in group {
                refused += isRefused ? 1 : 0
                if isRefused, refused == excess + 1 { gate.signal() }
            }
            return refused
        }
        try await busy.value
        // The task that keeps the database busy uses one place in the queue.
        #expect(refused == excess + 1)
        #expect(try await store.load() == LoadReport(users: SQLiteWriter.maximumWaiting - 1))
    }

    private static func isRefused(_ uid: String, _ store: SQLiteStore) async -> Bool {
        do throws(StoreError) { try await store.revoke(uid, at: 1) } catch {
            #expect(error.code == .overloaded)
            return true
        }
        return false
    }
}
