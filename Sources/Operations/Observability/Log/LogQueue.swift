import Dispatch
import GatewayCore
import Logging
import Synchronization

/// The lines of all loggers that wait for the process log's thread, in memory of a fixed size.
///
/// A lock protects the copying of one line. If the memory is full, a line is dropped and counted.
final class LogQueue: LogSource {
    /// The maximum size of waiting lines in bytes, in addition to the batch that the thread has taken.
    static let capacity = 256 * 1024
    /// The part of `capacity` that is reserved for audit lines.
    static let auditReserve = 64 * 1024

    struct Counts: Equatable {
        /// Lines that were dropped because the queue was full.
        var dropped: UInt64 = 0
        /// Lines that were suppressed because repeated messages were suppressed.
        var suppressed: UInt64 = 0
    }

    private struct State {
        var bytes: [UInt8] = []
        var lines = 0
        var counts = Counts()
        var reported: UInt64 = 0
        var throttle = LogThrottle()
    }

    private let state = Mutex(State())
    private let format: LogFormat
    private let clock: GatewayClock
    private let wake: DispatchSemaphore

    init(format: LogFormat, clock: GatewayClock, wake: DispatchSemaphore) {
        self.format = format
        self.clock = clock
        self.wake = wake
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Returns whether a line of this kind may be logged now, and counts it if not.
    func admits(_ kind: LogThrottle.Kind) -> Bool {
        state.withLock { state in
            // Within the lock, so that the throttle receives increasing times.
            let now = clock.monotonic()
            // An expired window ends here only if the thread has not ended it.
            let isAdmitted = state.throttle.admits(kind, now: now)
            if !isAdmitted { state.counts.suppressed += 1 }
            return isAdmitted
        }
    }

    func append(_ line: String, isAudit: Bool) {
        let limit = isAudit ? Self.capacity : Self.capacity - Self.auditReserve
        let isFirst = state.withLock { state in
            guard state.bytes.count + line.utf8.count <= limit else {
                state.counts.dropped += 1
                return false
            }
            state.bytes.append(contentsOf: line.utf8)
            state.lines += 1
            return state.lines == 1
        }
        if isFirst { wake.signal() }
    }

    func take(isLast: Bool) -> LogBatch? {
        let (waiting, dropped, suppressed) = state.withLock { state in
            let now = clock.monotonic()
            let batch = LogBatch(bytes: state.bytes, lines: state.lines)
            (state.bytes, state.lines) = ([], 0)
            let dropped = state.counts.dropped - state.reported
            state.reported = state.counts.dropped
            return (batch, dropped, state.throttle.end(now: now, all: isLast))
        }
        var notices = suppressed.map { kind, count in
            notice(
                "repeated messages were suppressed",
                ["of_level": "\(kind.level)", "of_msg": "\(kind.message)", "suppressed": "\(count)"])
        }
        if dropped > 0 {
            notices.append(
                notice("lines were dropped: the reader of the log is too slow", ["dropped": "\(dropped)"]))
        }
        let batch = LogBatch(bytes: waiting.bytes + notices.flatMap(\.utf8), lines: waiting.lines + notices.count)
        return batch.lines == 0 ? nil : batch
    }

    private func notice(_ message: String, _ metadata: Logger.Metadata) -> String {
        LogLine(milliseconds: clock.milliseconds(), level: .warning, message: message, metadata: metadata)
            .text(as: format)
    }
}
