import Logging
import NIOEmbedded
import Synchronization
import Testing

@testable import Redis

/// The times of a link.
struct RedisLinkTests {
    @Test func `a deadline that passes between two readings of the clock leaves no time`() {
        let clock = RunningClock()
        let link = RedisLink(
            RedisConfiguration(host: "127.0.0.1"), loop: EmbeddedEventLoop(), logger: Logger(label: "test"),
            clock: { clock.next() })
        #expect(link.time(until: 0) == 0)
        #expect(link.time(until: 1000) == 998)
        #expect(link.time(until: 3) == 0)
    }
}

/// A clock that advances by a nanosecond with each reading.
private final class RunningClock: Sendable {
    private let time = Mutex<UInt64>(0)

    func next() -> UInt64 {
        time.withLock { time in
            time += 1
            return time
        }
    }
}
