package import GatewayCore

/// The access log of one worker. Lines are built in memory of a fixed size and passed on in batches.
///
/// It belongs to one event loop. Recording a line does not allocate, lock or wait. If the writer does not keep up and
/// the memory is full, lines are dropped and counted.
package final class AccessLogBuffer {
    /// The maximum size of waiting lines in bytes, in addition to the batch that was last passed on.
    package static let capacity = 256 * 1024
    /// The fill level at which a recorded line triggers a flush without waiting for the tick.
    private static var fillToFlush: Int { 64 * 1024 }

    private let slot: AccessLogSlot
    private let counters: WorkerCounters
    private let start: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    private var used = 0
    private var lines = 0
    private var timestamp = LogTimestamp()

    /// Creates an empty buffer that passes on batches through `slot` and counts dropped lines.
    package init(slot: AccessLogSlot, counters: WorkerCounters) {
        self.slot = slot
        self.counters = counters
        start = .allocate(byteCount: Self.capacity, alignment: 16)
        end = start + Self.capacity
    }

    deinit {
        start.deallocate()
    }

    /// Adds a line, or counts it as dropped if the buffer is full.
    package func record(_ entry: borrowing AccessLogEntry) {
        var line = LogLineWriter(next: start + used, end: end)
        AccessLogLine.write(entry, timestamp: &timestamp, to: &line)
        if line.overflowed {
            counters.add(to: .accessLogDropped)
        } else {
            used = line.next - start
            lines &+= 1
        }
        if used >= Self.fillToFlush { flush() }
    }

    /// Passes on the waiting lines, unless the writer has not taken the previous batch. Call it on each tick.
    package func flush() {
        guard used > 0, slot.isEmpty, let batch = takeBatch() else { return }
        slot.put(batch)
    }

    /// Removes and returns the lines that were not passed on, for `AccessLogWriter.close(remainders:)`.
    package func takeBatch() -> LogBatch? {
        guard used > 0 else { return nil }
        let batch = LogBatch(bytes: Array(UnsafeRawBufferPointer(start: start, count: used)), lines: lines)
        used = 0
        lines = 0
        return batch
    }
}
