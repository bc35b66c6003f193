package import GatewayCore
package import HTTPWire
package import NIOCore

/// What all client connections of one worker share. Lives on the worker's event loop.
package final class ConnectionContext {
    private(set) var limits: ConnectionLimits
    let clock: GatewayClock
    /// The fields of the head being parsed; reused by each.
    private var fields: FieldTable
    private var fieldsAreLent = false
    /// The same for the heads of answers.
    package let answerFields: FieldTable
    package let registry = ConnectionRegistry()
    /// What was written and is not with the kernel yet.
    package let flushes: FlushQueue
    /// Connections with more to do than one turn allows.
    let turns: TurnQueue
    @exclusivity(unchecked) package var requestIDs = RequestIDs()
    var dates = DateLine()
    /// No more requests are taken on a connection after the one it serves.
    @exclusivity(unchecked) package var isDraining = false
    /// Since when draining, in monotonic nanoseconds.
    package var drainingSince: UInt64 = 0
    /// The line that takes the session cookie away; nil: there are no sessions.
    @exclusivity(unchecked) package var clearingCookie: [UInt8]?
    /// Makes the handlers of connections; `nil` once stopped.
    @exclusivity(unchecked) package weak var handlers: (any RequestHandlerSource)?
    /// When the event that is being handled began, in monotonic nanoseconds: read once an event, not at each step.
    @exclusivity(unchecked) package private(set) var time: UInt64

    /// - Parameter loop: whose events are handled before anything is sent; nil: each thing is sent at once.
    package init(limits: ConnectionLimits, clock: GatewayClock, loop: (any EventLoop)? = nil) {
        flushes = FlushQueue(loop: loop)
        turns = TurnQueue(loop: loop, clock: clock)
        self.limits = limits
        self.clock = clock
        time = clock.monotonic()
        fields = FieldTable(capacity: limits.headFields)
        answerFields = FieldTable(capacity: 256)
    }

    /// Other bounds, from the next head on. Not to be called while a head is being served.
    package func adopt(_ limits: ConnectionLimits) {
        if limits.headFields != self.limits.headFields { fields = FieldTable(capacity: limits.headFields) }
        fieldsAreLent = false
        self.limits = limits
    }

    /// The table for the fields of one head, to be given back when the head's request was handed over. A head that is parsed while another one is
    /// still being handed over gets a table of its own.
    func borrowFields() -> FieldTable {
        if fieldsAreLent { return FieldTable(capacity: limits.headFields) }
        fieldsAreLent = true
        return fields
    }

    func giveBack(_ table: FieldTable) {
        if table === fields { fieldsAreLent = false }
    }

    /// The `Date` line of an answer that is made now.
    func dateLine() -> [UInt8] { dates.bytes(now: clock.now()) }

    /// Reads the clock: something that takes notice of time begins.
    @inline(__always)
    package func readClock() {
        time = clock.monotonic()
    }
}

/// The open client connections of one worker: constant-time entry and exit.
package final class ConnectionRegistry {
    package private(set) var connections: [ClientHandler] = []

    package init() {}

    package var count: Int { connections.count }

    func add(_ connection: ClientHandler) {
        connection.registryIndex = connections.count
        connections.append(connection)
    }

    func remove(_ connection: ClientHandler) {
        let index = connection.registryIndex
        guard index < connections.count, connections[index] === connection else { return }
        let last = connections.removeLast()
        if last !== connection {
            connections[index] = last
            last.registryIndex = index
        }
    }

    /// Visits each connection; those that leave meanwhile are not missed and not visited twice.
    package func forEach(_ body: (ClientHandler) -> Void) {
        for connection in connections { body(connection) }
    }
}
