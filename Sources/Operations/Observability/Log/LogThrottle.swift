import Logging

/// The rate limit of identical messages, so that a condition on every request does not log a line for each.
///
/// A pure value; the caller passes increasing times in nanoseconds.
struct LogThrottle {
    /// A level and a message. Messages are static, so that a kind corresponds to one place in the program.
    struct Kind: Hashable {
        let level: Logger.Level
        let message: String
    }

    /// The maximum number of lines of one kind in a window.
    static let burst: UInt64 = 100
    /// The duration of a window, from the first line of a kind.
    static let window: UInt64 = 10_000_000_000
    /// The maximum number of kinds. Further ones share one window.
    static let kinds = 256

    private struct Window {
        let start: UInt64
        var lines: UInt64 = 0
    }

    private var windows: [Kind: Window] = [:]
    private static let others = Kind(level: .warning, message: "(other messages)")

    /// Returns whether a line may be written, and counts it.
    mutating func admits(_ kind: Kind, now: UInt64) -> Bool {
        let isKnown = windows[kind] != nil || windows.count < Self.kinds
        let kind = isKnown ? kind : Self.others
        let lines = windows[kind, default: Window(start: now)].lines + 1
        windows[kind, default: Window(start: now)].lines = lines
        return lines <= Self.burst
    }

    /// Ends expired windows, or all of them, and returns the number of suppressed lines of each.
    mutating func end(now: UInt64, all: Bool = false) -> [(kind: Kind, suppressed: UInt64)] {
        let ended = windows.filter { all || now &- $0.value.start >= Self.window }
        for kind in ended.keys { windows[kind] = nil }
        return ended.filter { $0.value.lines > Self.burst }
            .map { (kind: $0.key, suppressed: $0.value.lines - Self.burst) }
            .sorted { $0.kind.message < $1.kind.message }
    }
}
