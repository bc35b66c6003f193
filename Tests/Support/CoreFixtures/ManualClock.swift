import GatewayCore
import Synchronization

/// A clock that only the test moves: both readings together.
final class ManualClock: Sendable {
    private let elapsed = Mutex<UInt64>(0)

    /// The Unix time that it begins with.
    static let start: Int64 = 1_700_000_000

    var now: Int64 { Self.start + Int64(elapsed.withLock { $0 } / 1_000_000_000) }
    var monotonic: UInt64 { 1_000_000_000_000 + elapsed.withLock { $0 } }
    var clock: GatewayClock { GatewayClock(now: { self.now }, monotonic: { self.monotonic }) }

    func advance(seconds: Double) {
        elapsed.withLock { $0 += UInt64(seconds * 1_000_000_000) }
    }
}
