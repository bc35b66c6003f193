import HTTPWire
import NIOCore

/// What all client connections of one worker share. Lives on the worker's event loop.
final class ServerFront {
    private(set) var limits: ConnectionLimits
    let clock: GatewayClock
    /// The fields of the head being parsed; reused by each.
    private(set) var fields: FieldTable
    /// The same for the heads of answers.
    let answerFields: FieldTable
    let registry = ConnectionRegistry()
    /// Reused for the head of each request that is forwarded.
    var requestScratch: ByteBuffer
    /// The same for answers.
    var answerScratch: ByteBuffer
    var requestIDs = RequestIDs()
    var dates = DateLine()
    /// No more requests are taken on a connection after the one it serves.
    var isDraining = false
    /// Since when draining, in monotonic nanoseconds.
    var drainingSince: UInt64 = 0
    /// The line that takes the session cookie away; nil: there are no sessions.
    var clearingCookie: [UInt8]?
    /// Who begins requests; nil once stopped.
    var handler: (any RequestHandler)?
    /// When the event that is being handled began, in monotonic nanoseconds: read once an event, not at each step.
    private(set) var time: UInt64

    init(limits: ConnectionLimits, clock: GatewayClock) {
        self.limits = limits
        self.clock = clock
        time = clock.monotonic()
        fields = FieldTable(capacity: limits.headFields)
        answerFields = FieldTable(capacity: 256)
        requestScratch = ByteBufferAllocator().buffer(capacity: 4096)
        answerScratch = ByteBufferAllocator().buffer(capacity: 1024)
    }

    /// Other bounds, from the next head on. Not to be called while a head is being served.
    func adopt(_ limits: ConnectionLimits) {
        if limits.headFields != self.limits.headFields { fields = FieldTable(capacity: limits.headFields) }
        self.limits = limits
    }

    /// Reads the clock: something that takes notice of time begins.
    @inline(__always)
    func readClock() {
        time = clock.monotonic()
    }
}
