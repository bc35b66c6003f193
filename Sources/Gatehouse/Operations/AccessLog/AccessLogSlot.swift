internal import Atomics
internal import Dispatch

/// Some lines on their way from a worker to the writer.
public final class AccessLogBatch: Sendable {
    /// Whole lines, each with its line feed.
    public let bytes: [UInt8]
    /// How many lines they are.
    public let lines: Int

    init(bytes: [UInt8], lines: Int) {
        self.bytes = bytes
        self.lines = lines
    }
}

/// Where one worker leaves a batch and the writer takes it: room for one, neither side ever waits for the other.
public final class AccessLogSlot: Sendable {
    private let content = ManagedAtomic<Unmanaged<AccessLogBatch>?>(nil)
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
    func put(_ batch: AccessLogBatch) {
        let previous = content.exchange(Unmanaged.passRetained(batch), ordering: .acquiringAndReleasing)
        previous?.release()
        wake.signal()
    }

    /// Takes the batch out.
    func take() -> AccessLogBatch? {
        content.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue()
    }
}
