import GatewayConfiguration
package import GatewayCore
package import HTTPServer
package import Logging
package import NIOCore

/// One worker's connections to one upstream: it opens them, assigns them to requests and takes them back.
///
/// ``UpstreamPoolMachine`` assigns connections, and its ``UpstreamServers`` chooses the server. The pool is on the
/// worker's event loop, and passes to the next worker there if a reload does not change the upstream.
package final class UpstreamPool {
    /// A request that waits for a connection.
    package struct Waiter {
        let client: ClientHandler
        let number: UInt64
        let request: OutgoingRequest
        let head: ByteBuffer
        let until: UInt64
    }

    typealias Entry = UpstreamQueue<Waiter>.Entry

    package let settings: UpstreamSettings
    let connectionContext: ConnectionContext
    /// The `Host` for a request without one.
    package let hostField: [UInt8]
    let loop: any EventLoop
    let logger: Logger
    let dialer: UpstreamDialer
    @exclusivity(unchecked) package var machine: UpstreamPoolMachine<UpstreamConnection, Waiter>
    /// The endpoint of each server of the machine.
    package var targets: [UpstreamEndpoint] = []
    var budget: RetryBudget
    /// Whether responses affect the state of their servers, or may be retried.
    var tracksResponses = false
    /// The number of ejections of each configured server.
    package var ejections: [UInt64]
    /// The servers that cannot be connected to.
    var outages = ServerOutages()
    let counters: WorkerCounters
    /// The connections that requests share. `nil` with HTTP/1.1.
    private(set) var streams: StreamPool?
    private var isServingWaiting = false

    package init(
        settings: UpstreamSettings, connectionContext: ConnectionContext, counters: WorkerCounters, loop: any EventLoop,
        logger: Logger
    ) {
        self.settings = settings
        self.connectionContext = connectionContext
        self.counters = counters
        self.loop = loop
        self.logger = logger
        dialer = UpstreamDialer(settings: settings)
        let host = settings.servers.first { !$0.host.isEmpty }.map { "\($0.host):\($0.port)" } ?? "localhost"
        hostField = Array(host.utf8)
        budget = RetryBudget(percent: settings.retry.budget)
        ejections = Array(repeating: 0, count: settings.servers.count)
        machine = UpstreamPoolMachine(
            servers: UpstreamServers(rule: settings.choice, seed: .random(in: 0 ... .max)), limit: settings.connections,
            waitingLimit: settings.pending)
        if settings.protocol.isMultiplexed { streams = StreamPool(for: self) }
        install(settings.endpoints)
        capacityChanged()
    }

    package var openCount: Int { streams?.connections.count ?? machine.open }
    package var idleCount: Int { streams?.connections.idleCount ?? machine.idleCount }
    /// The number of open HTTP/2 streams.
    package var streamCount: Int { streams?.connections.streams ?? 0 }
    package var waitingCount: Int { machine.waiting }

    /// Sends a permitted request, immediately if a connection is available, otherwise when one becomes available.
    ///
    /// - Parameter head: The request's head, which is copied unless it is sent immediately.
    package func send(_ request: OutgoingRequest, head: ByteBuffer, for client: ClientHandler) {
        client.record.attempts += 1
        budget.recordRequest()
        let isUpload = client.awaitsBody
        let acquired = machine.acquire(
            reuse: client.record.attempts == 1, isUpload: isUpload, by: request.balanceValue,
            avoiding: client.record.tried, orWait: waiter(client, request, head))
        switch acquired {
        case .use(let connection):
            lend(connection, to: client, request: request, head: head, isUpload: isUpload)
        case .connect(let server):
            connect(to: server, for: .init(waiter: waiter(client, request, head), isUpload: isUpload))
        case .replace(let old, let server):
            old.retire()
            connect(to: server, for: .init(waiter: waiter(client, request, head), isUpload: isUpload))
        case .wait: break
        case .refuse: client.deny(Denial(.overloaded))
        }
    }

    /// Takes back a connection that may serve another request.
    func released(_ connection: UpstreamConnection) {
        switch machine.released(connection, server: connection.server, now: connectionContext.time) {
        case .kept:
            connection.isIdle = true
        case .serve(let next):
            lend(connection, to: next)
        case .close:
            connection.retire()
            serveWaiting()
        }
    }

    /// Records the end of an upload's body.
    func uploadEnded() {
        machine.uploadEnded()
        serveWaiting()
    }

    /// Handles the close of a connection.
    func closed(_ connection: UpstreamConnection) {
        if connection.isIdle {
            connection.isIdle = false
            machine.idleClosed(connection, server: connection.server)
        } else {
            connectionEnded(server: connection.server, isUpload: connection.holdsUpload)
        }
    }

    /// Removes the waiting request of a client that is gone.
    package func forget(_ client: ClientHandler) {
        machine.gaveUp { $0.client === client }
    }

    /// Checks timeouts. Called several times per second.
    package func tick(now: UInt64) {
        if now > UpstreamSettings.idleTimeout {
            for connection in machine.expire(idleSince: now - UpstreamSettings.idleTimeout) { connection.retire() }
        }
        streams?.tick(now: now, idleSince: now > UpstreamSettings.idleTimeout ? now - UpstreamSettings.idleTimeout : 0)
        for late in machine.expireWaiting(while: { now > $0.until }) { late.client.deny(Denial(.upstreamTimeout)) }
        machine.uploadsArrived { !$0.client.awaitsBody }
        budget.tick(now: now)
        tickServers(now: now)
        serveWaiting()
    }

    /// Closes idle connections when the worker stops.
    package func closeIdle() {
        for connection in machine.expire(idleSince: .max) { connection.retire() }
        streams?.retire { _ in false }
    }

    /// Retires the pool after its upstream was removed or changed. Current and waiting requests are completed;
    /// connections are not kept.
    package func retire() {
        machine.retire()
        closeIdle()
    }

    private func waiter(_ client: ClientHandler, _ request: OutgoingRequest, _ head: ByteBuffer) -> Waiter {
        // A copy, because the given head is the worker's scratch buffer.
        let copy = ByteBuffer(bytes: head.readableBytesView)
        let until = connectionContext.time &+ settings.connectTimeout
        return Waiter(client: client, number: client.record.number, request: request, head: copy, until: until)
    }

    func lend(_ connection: UpstreamConnection, to entry: Entry) {
        let waiter = entry.waiter
        lend(
            connection, to: waiter.client, request: waiter.request, head: waiter.head, isUpload: entry.isUpload)
    }

    private func lend(
        _ connection: UpstreamConnection, to client: ClientHandler, request: OutgoingRequest, head: ByteBuffer,
        isUpload: Bool
    ) {
        connection.isIdle = false
        connection.holdsUpload = isUpload
        connection.begin(request, head: head, for: client)
        client.attach(connection)
    }

    /// Handles a change of the number of streams that the connections can carry.
    func capacityChanged() {
        guard let streams else { return }
        machine.limit = streams.connections.streams + streams.connections.free
        serveWaiting()
    }

    func connectionEnded(server: Int, isUpload: Bool) {
        machine.closed(server: server, isUpload: isUpload)
        if streams == nil { serveWaiting() } else { capacityChanged() }
    }

    /// Serves waiting requests in order. Not recursive, because serving one may end it within this call.
    func serveWaiting() {
        guard !isServingWaiting else { return }
        isServingWaiting = true
        defer { isServingWaiting = false }
        while let next = machine.next() {
            switch next {
            case .use(let connection, let entry): lend(connection, to: entry)
            case .connect(let server, let entry): connect(to: server, for: entry)
            }
        }
    }
}
