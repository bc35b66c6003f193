import Atomics
import Dispatch

/// The exchange of one batch between a worker and the writer, without waiting on either side.
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

    /// Whether a batch may be put. Only the worker puts batches, so that the result remains valid for it.
    var isEmpty: Bool {
        content.load(ordering: .acquiring) == nil
    }

    /// Puts a batch and wakes the writer. Call it only on the worker's loop, and only if the slot is empty.
    func put(_ batch: LogBatch) {
        let previous = content.exchange(.passRetained(Content(batch)), ordering: .acquiringAndReleasing)
        previous?.release()
        wake.signal()
    }

    /// Removes and returns the batch.
    package func take(isLast: Bool = false) -> LogBatch? {
        content.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue().batch
    }
}
