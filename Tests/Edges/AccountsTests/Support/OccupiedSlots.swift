@testable import Accounts

/// Work that occupies the slots of verifications until it is released.
struct OccupiedSlots {
    private let gate: AsyncStream<Void>.Continuation
    private let work: [Task<Void, any Error>]

    /// Occupies a number of slots. Returns when all of them are in use.
    init(_ slots: ProofSlots, count: Int) async {
        let gate = AsyncStream.makeStream(of: Void.self)
        let started = AsyncStream.makeStream(of: Void.self)
        work = (0..<count).map { _ in
            Task {
                try await slots.run {
                    started.continuation.yield()
                    for await _ in gate.stream { return }
                }
            }
        }
        self.gate = gate.continuation
        var running = 0
        for await _ in started.stream {
            running += 1
            if running == count { break }
        }
    }

    /// Releases the slots. Returns when all of them are free.
    func release() async throws {
        gate.finish()
        for task in work { try await task.value }
    }
}
