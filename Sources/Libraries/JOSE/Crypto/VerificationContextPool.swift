import Synchronization

/// Lends the verification contexts of one key to threads.
///
/// A few slots, each taken and filled by one atomic exchange: nobody waits. A thread that finds no context makes one; a
/// context that finds no free slot is dropped.
///
/// `@unchecked Sendable`: contexts are not, but one is only reached by taking it out of its slot, so by one thread.
final class VerificationContextPool: @unchecked Sendable {
    private typealias Slot = Atomic<Unmanaged<VerificationContext>?>

    private let first = Slot(nil)
    private let second = Slot(nil)
    private let third = Slot(nil)
    private let fourth = Slot(nil)

    init() {}

    deinit {
        first.exchange(nil, ordering: .acquiring)?.release()
        second.exchange(nil, ordering: .acquiring)?.release()
        third.exchange(nil, ordering: .acquiring)?.release()
        fourth.exchange(nil, ordering: .acquiring)?.release()
    }

    /// Calls `body` with a context of `key` and `algorithm` that nobody else uses meanwhile; nil when there can be none.
    func withContext<R>(
        of key: LibcryptoKey, _ algorithm: Algorithm, _ body: (VerificationContext) -> R
    ) -> R? {
        guard let context = take(algorithm) ?? VerificationContext(key: key, algorithm: algorithm) else { return nil }
        defer { put(context) }
        return body(context)
    }

    /// A kept context. One of another algorithm, which a key that serves several may have, is dropped.
    private func take(_ algorithm: Algorithm) -> VerificationContext? {
        let taken = take(first) ?? take(second) ?? take(third) ?? take(fourth)
        guard let context = taken?.takeRetainedValue(), context.algorithm == algorithm else { return nil }
        return context
    }

    private func put(_ context: VerificationContext) {
        let kept = Unmanaged.passRetained(context)
        guard !put(kept, first), !put(kept, second), !put(kept, third), !put(kept, fourth) else { return }
        kept.release()
    }

    private func take(_ slot: borrowing Slot) -> Unmanaged<VerificationContext>? {
        slot.exchange(nil, ordering: .acquiring)
    }

    private func put(_ context: Unmanaged<VerificationContext>, _ slot: borrowing Slot) -> Bool {
        slot.compareExchange(expected: nil, desired: context, ordering: .releasing).exchanged
    }
}
