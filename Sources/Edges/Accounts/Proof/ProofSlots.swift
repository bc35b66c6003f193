import GatewayCore
import Synchronization

/// How many proofs are verified at a time: each may wait for a provider.
final class ProofSlots: Sendable {
    /// The most at a time; a further call is told to come again.
    static let capacity = 256

    private let taken = Atomic<Int>(0)

    /// Runs `body` in a slot.
    func run<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        defer { taken.wrappingSubtract(1, ordering: .relaxed) }
        guard taken.wrappingAdd(1, ordering: .relaxed).newValue <= Self.capacity else {
            throw Refusal(.overloaded, reason: "as many proofs as may be are being verified")
        }
        return try await body()
    }
}
