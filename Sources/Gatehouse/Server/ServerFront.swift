import HTTPWire
import NIOCore

/// What all client connections of one worker share. Lives on the worker's event loop.
final class ServerFront {
    let limits: ConnectionLimits
    let clock: GatewayClock
    /// The fields of the head being parsed; reused by each.
    let fields: FieldTable
    /// The same for the heads of answers.
    let answerFields: FieldTable
    let registry = ConnectionRegistry()
    /// Reused for each head and small answer that is written.
    var scratch: ByteBuffer
    var requestIDs = RequestIDs()
    var dates = DateLine()
    /// No more requests are taken on a connection after the one it serves.
    var isDraining = false
    /// Since when draining, in monotonic nanoseconds.
    var drainingSince: UInt64 = 0
    weak var handler: (any RequestHandler)?

    init(limits: ConnectionLimits, clock: GatewayClock) {
        self.limits = limits
        self.clock = clock
        fields = FieldTable(capacity: limits.headFields)
        answerFields = FieldTable(capacity: 256)
        scratch = ByteBufferAllocator().buffer(capacity: 16_384)
    }
}
