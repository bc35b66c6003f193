package import GatewayCore

/// One worker's access log: lines are built into memory of a fixed size and handed over in batches.
///
/// Owned by one event loop. Recording a line allocates nothing, takes no lock and waits for nobody; when the writer does not keep up and
/// the memory is full, lines are dropped and counted.
package final class AccessLogBuffer {
    /// How many bytes of lines wait at most, besides the batch that was handed over last.
    package static let capacity = 256 * 1024
    /// From this fill on a recorded line hands the batch over without waiting for the tick.
    private static var fillToFlush: Int { 64 * 1024 }

    private let slot: AccessLogSlot
    private let counters: WorkerCounters
    private let start: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer
    private var used = 0
    private var lines = 0
    private var timestamp = LogTimestamp()

    /// An empty buffer that hands over through `slot` and counts what it drops.
    package init(slot: AccessLogSlot, counters: WorkerCounters) {
        self.slot = slot
        self.counters = counters
        start = .allocate(byteCount: Self.capacity, alignment: 16)
        end = start + Self.capacity
    }

    deinit {
        start.deallocate()
    }

    /// Adds a line, or counts it as dropped when there is no room.
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

    /// Hands over what there is; nothing happens while the writer has not taken the batch before. Call it on each tick.
    package func flush() {
        guard used > 0, slot.isEmpty, let batch = takeBatch() else { return }
        slot.put(batch)
    }

    /// Takes out the lines that were not handed over: at the end, for `AccessLogWriter.close(remainders:)`.
    package func takeBatch() -> LogBatch? {
        guard used > 0 else { return nil }
        let batch = LogBatch(bytes: Array(UnsafeRawBufferPointer(start: start, count: used)), lines: lines)
        used = 0
        lines = 0
        return batch
    }
}
