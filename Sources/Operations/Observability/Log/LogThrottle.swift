import Logging

/// Limits how often one message is logged: a condition that holds for each request must not cost each request a line.
///
/// A pure value; the caller gives the time in nanoseconds that only increase.
struct LogThrottle {
    /// A message with its level: messages are static, so this is one place in the program.
    struct Kind: Hashable {
        let level: Logger.Level
        let message: String
    }

    /// Lines of one kind in a window.
    static let burst: UInt64 = 100
    /// From the first line of a kind.
    static let window: UInt64 = 10_000_000_000
    /// Kinds at a time. All kinds beyond them share one window.
    static let kinds = 256

    private struct Window {
        let start: UInt64
        var lines: UInt64 = 0
    }

    private var windows: [Kind: Window] = [:]
    private static let others = Kind(level: .warning, message: "(other messages)")

    /// Whether a line may be written; if not, it is counted.
    mutating func admits(_ kind: Kind, now: UInt64) -> Bool {
        let isKnown = windows[kind] != nil || windows.count < Self.kinds
        let kind = isKnown ? kind : Self.others
        let lines = windows[kind, default: Window(start: now)].lines + 1
        windows[kind, default: Window(start: now)].lines = lines
        return lines <= Self.burst
    }

    /// Ends the windows that are over, or all, and returns how many lines each has suppressed.
    mutating func end(now: UInt64, all: Bool = false) -> [(kind: Kind, suppressed: UInt64)] {
        let ended = windows.filter { all || now &- $0.value.start >= Self.window }
        for kind in ended.keys { windows[kind] = nil }
        return ended.filter { $0.value.lines > Self.burst }
            .map { (kind: $0.key, suppressed: $0.value.lines - Self.burst) }
            .sorted { $0.kind.message < $1.kind.message }
    }
}
