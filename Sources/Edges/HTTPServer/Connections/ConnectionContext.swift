package import GatewayCore
package import HTTPWire
package import NIOCore

/// The state shared by all client connections of one worker, on the worker's event loop.
package final class ConnectionContext {
    private(set) var limits: ConnectionLimits
    let clock: GatewayClock
    /// The fields of the head being parsed; reused.
    private var fields: FieldTable
    private var fieldsAreLent = false
    /// The fields of response heads; reused.
    package let responseFields: FieldTable
    package let registry = Registry<ClientHandler>()
    /// The HTTP/2 connections, whose streams are in `registry`.
    package let multiplexed = Registry<HTTP2Connection>()
    /// The fields of response heads on HTTP/2 streams; reused.
    lazy var streamFields = FieldTable(capacity: 512)
    /// Connections with written data that is not with the kernel yet.
    package let flushes: FlushQueue
    /// Connections with more work than one turn allows.
    let turns: TurnQueue
    @exclusivity(unchecked) package var requestIDs = RequestIDs()
    var dates = DateLine()
    /// Whether connections close after their current request.
    @exclusivity(unchecked) package var isDraining = false
    /// The start of draining, in monotonic nanoseconds.
    package var drainingSince: UInt64 = 0
    /// The `Set-Cookie` line that removes the session cookie. `nil` without sessions.
    @exclusivity(unchecked) package var clearingCookie: [UInt8]?
    /// The factory of request handlers. `nil` after the stop.
    @exclusivity(unchecked) package weak var handlers: (any RequestHandlerSource)?
    /// The start of the current event, in monotonic nanoseconds. The clock is read once per event, not at each step.
    @exclusivity(unchecked) package private(set) var time: UInt64

    /// Creates a context.
    ///
    /// - Parameter loop: The loop whose pending events are handled before data is sent. `nil` to send immediately.
    package init(limits: ConnectionLimits, clock: GatewayClock, loop: (any EventLoop)? = nil) {
        flushes = FlushQueue(loop: loop)
        turns = TurnQueue(loop: loop, clock: clock)
        self.limits = limits
        self.clock = clock
        time = clock.monotonic()
        fields = FieldTable(capacity: limits.headFields)
        responseFields = FieldTable(capacity: 256)
    }

    /// Replaces the limits, effective from the next head. It must not be called while a head is being processed.
    package func adopt(_ limits: ConnectionLimits) {
        if limits.headFields != self.limits.headFields { fields = FieldTable(capacity: limits.headFields) }
        fieldsAreLent = false
        self.limits = limits
    }

    /// Returns the field table for one head, to be given back after the head's request was passed on. A head parsed
    /// meanwhile gets a table of its own.
    func borrowFields() -> FieldTable {
        if fieldsAreLent { return FieldTable(capacity: limits.headFields) }
        fieldsAreLent = true
        return fields
    }

    func release(_ table: FieldTable) {
        if table === fields { fieldsAreLent = false }
    }

    /// The number of open client connections.
    package var connectionCount: Int {
        registry.count - multiplexed.streamCount + multiplexed.count
    }

    /// Returns the current `Date` line.
    func dateLine() -> [UInt8] { dates.bytes(now: clock.now()) }

    /// Reads the clock at the start of an event that depends on time.
    @inline(__always)
    package func readClock() {
        time = clock.monotonic()
    }
}
