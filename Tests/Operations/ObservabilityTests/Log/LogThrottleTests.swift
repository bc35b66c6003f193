import Logging
import Testing

@testable import Observability

struct LogThrottleTests {
    private let kind = LogThrottle.Kind(level: .warning, message: "a")

    @Test func `a window permits its burst and counts the rest`() {
        var throttle = LogThrottle()
        let admitted = (0..<150).count { _ in throttle.admits(kind, now: 7) }
        #expect(admitted == 100)
        let early = throttle.end(now: 7 + LogThrottle.window - 1)
        #expect(early.isEmpty)
        let ended = throttle.end(now: 7 + LogThrottle.window)
        #expect(ended.map(\.kind) == [kind] && ended.map(\.suppressed) == [50])
        let next = throttle.admits(kind, now: 7 + LogThrottle.window)
        #expect(next)
    }

    @Test func `each level and message has its own window`() {
        var throttle = LogThrottle()
        for _ in 0..<101 { _ = throttle.admits(kind, now: 0) }
        let admitted = [
            kind, LogThrottle.Kind(level: .error, message: "a"), LogThrottle.Kind(level: .warning, message: "b"),
        ].map { throttle.admits($0, now: 0) }
        #expect(admitted == [false, true, true])
    }

    @Test func `kinds beyond the bound share one window`() {
        var throttle = LogThrottle()
        let admitted = (0..<10_000).count { number in
            throttle.admits(LogThrottle.Kind(level: .info, message: "\(number)"), now: 0)
        }
        #expect(admitted == LogThrottle.kinds + 100)
        let suppressed = throttle.end(now: 0, all: true).map(\.suppressed)
        #expect(suppressed == [UInt64(10_000 - admitted)])
    }
}
