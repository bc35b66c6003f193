import Atomics
import Dispatch

/// Where one worker leaves a batch and the writer takes it: room for one, neither side ever waits for the other.
package final class AccessLogSlot: LogSource {
    private final class Content: Sendable {
        let batch: LogBatch

        init(_ batch: LogBatch) {
            self.batch = batch
        }
    }

    private let content = ManagedAtomic<Unmanaged<Content>?>(nil)
    private let wake: DispatchSemaphore

    init(wake: DispatchSemaphore) {
        self.wake = wake
    }

    deinit {
        content.load(ordering: .acquiring)?.release()
    }

    /// Whether a batch may be put. Only the worker puts, so what it sees stays true until it does.
    var isEmpty: Bool {
        content.load(ordering: .acquiring) == nil
    }

    /// Puts a batch and wakes the writer. Only on the worker's loop, and only into an empty slot.
    func put(_ batch: LogBatch) {
        let previous = content.exchange(.passRetained(Content(batch)), ordering: .acquiringAndReleasing)
        previous?.release()
        wake.signal()
    }

    /// Takes the batch out.
    package func take(isLast: Bool = false) -> LogBatch? {
        content.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue().batch
    }
}
