import NIOCore
import NIOPosix

/// The connections that one worker keeps to one upstream: makes them, lends them to requests, takes them back.
///
/// Who gets which is decided by ``UpstreamPoolMachine``. Lives on the worker's event loop.
final class UpstreamPool {
    /// A request that waits for a connection.
    private struct Waiter {
        let client: ClientHandler
        let number: UInt64
        let request: OutgoingRequest
        let head: ByteBuffer
        let until: UInt64
    }

    private typealias Entry = UpstreamQueue<Waiter>.Entry

    let settings: UpstreamSettings
    let front: ServerFront
    /// `Host` for a request that has none.
    let hostField: [UInt8]
    private let loop: any EventLoop
    private var machine: UpstreamPoolMachine<UpstreamConnection, Waiter>
    private var isServingWaiting = false
    private let counters: WorkerCounters

    init(settings: UpstreamSettings, front: ServerFront, counters: WorkerCounters, loop: any EventLoop) {
        self.settings = settings
        self.front = front
        self.counters = counters
        self.loop = loop
        let host = settings.servers.first.map { "\($0.host):\($0.port)" } ?? ""
        hostField = Array(host.utf8)
        machine = UpstreamPoolMachine(
            servers: settings.servers.count, limit: settings.connections,
            waitingLimit: UpstreamSettings.waitingLimit)
    }

    var openCount: Int { machine.open }
    var idleCount: Int { machine.idleCount }
    var waitingCount: Int { machine.waiting }

    /// Sends a permitted request, now if a connection is there, else as soon as one is.
    ///
    /// - Parameter head: the request's head; only borrowed if it is sent now.
    func send(_ request: OutgoingRequest, head: ByteBuffer, for client: ClientHandler) {
        client.record.attempts += 1
        let isUpload = client.awaitsBody
        let acquired = machine.acquire(
            reuse: client.record.attempts == 1, isUpload: isUpload, orWait: waiter(client, request, head))
        switch acquired {
        case .use(let connection):
            lend(connection, to: client, request: request, head: head, isUpload: isUpload)
        case .connect(let server):
            connect(to: server, for: .init(waiter: waiter(client, request, head), isUpload: isUpload), attempt: 1)
        case .replace(let old, let server):
            old.retire()
            connect(to: server, for: .init(waiter: waiter(client, request, head), isUpload: isUpload), attempt: 1)
        case .wait: break
        case .refuse: client.deny(Denial(.overloaded))
        }
    }

    /// A connection has finished an exchange and may serve another.
    func released(_ connection: UpstreamConnection) {
        switch machine.released(connection, server: connection.server, now: front.time) {
        case .kept:
            connection.isIdle = true
        case .serve(let next):
            lend(connection, to: next)
        }
    }

    /// The body of a request that counted as an upload has come to its end.
    func uploadEnded() {
        machine.uploadEnded()
        serveWaiting()
    }

    /// A connection has closed.
    func closed(_ connection: UpstreamConnection) {
        if connection.isIdle {
            connection.isIdle = false
            machine.idleClosed(connection, server: connection.server)
        } else {
            connectionEnded(isUpload: connection.holdsUpload)
        }
    }

    /// A client is gone whose request may be waiting here.
    func forget(_ client: ClientHandler) {
        machine.gaveUp { $0.client === client }
    }

    /// Called a few times a second.
    func tick(now: UInt64) {
        if now > UpstreamSettings.idleTimeout {
            for connection in machine.expire(idleSince: now - UpstreamSettings.idleTimeout) { connection.retire() }
        }
        for late in machine.expireWaiting(while: { now > $0.until }) { late.client.deny(Denial(.upstreamTimeout)) }
        machine.uploadsArrived { !$0.client.awaitsBody }
        serveWaiting()
    }

    /// Closes what is idle: the worker stops.
    func closeIdle() {
        for connection in machine.expire(idleSince: .max) { connection.retire() }
    }

    private func waiter(_ client: ClientHandler, _ request: OutgoingRequest, _ head: ByteBuffer) -> Waiter {
        // A copy: the head that was given is the worker's scratch buffer.
        let copy = ByteBuffer(bytes: head.readableBytesView)
        let until = front.time &+ settings.connectTimeout
        return Waiter(client: client, number: client.record.number, request: request, head: copy, until: until)
    }

    private func lend(_ connection: UpstreamConnection, to entry: Entry) {
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

    private func connectionEnded(isUpload: Bool) {
        machine.closed(isUpload: isUpload)
        serveWaiting()
    }

    /// Gives those who wait what there is now. One after the other: what one is given may end in this very call.
    private func serveWaiting() {
        guard !isServingWaiting else { return }
        isServingWaiting = true
        defer { isServingWaiting = false }
        while let next = machine.next() {
            switch next {
            case .use(let connection, let entry): lend(connection, to: entry)
            case .connect(let server, let entry): connect(to: server, for: entry, attempt: 1)
            }
        }
    }

    // MARK: - Connecting

    private func connect(to server: Int, for entry: Entry, attempt: Int) {
        counters.add(to: .connects, upstream: settings.counterPlace)
        let connection = UpstreamConnection(server: server, pool: self)
        let began = front.time
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(Int64(clamping: settings.connectTimeout)))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 65_536)
            )
            .channelInitializer { [bound = NIOLoopBound(connection, eventLoop: loop)] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
        let target = settings.servers[server]
        let connected =
            target.address.map { bootstrap.connect(to: $0) } ?? bootstrap.connect(host: target.host, port: target.port)
        connected.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel):
                // `channelInactive` does not come for a channel that is closed within this call: it was never told active.
                channel.closeFuture.assumeIsolated().whenComplete { _ in connection.ended() }
                self.connected(connection, for: entry, since: began)
            case .failure:
                // Later: connecting may fail at once, and those who wait must not fail one within the other.
                self.loop.assumeIsolated().execute { self.connectFailed(for: entry, attempt: attempt) }
            }
        }
    }

    private func connected(_ connection: UpstreamConnection, for entry: Entry, since began: UInt64) {
        front.readClock()
        counters.record(.connect, nanoseconds: front.time > began ? front.time &- began : 0)
        guard isWanted(entry.waiter) else {
            if entry.isUpload { machine.uploadEnded() }
            return released(connection)
        }
        lend(connection, to: entry)
    }

    private func connectFailed(for entry: Entry, attempt: Int) {
        front.readClock()
        counters.add(to: .connectFailures, upstream: settings.counterPlace)
        let isWanted = isWanted(entry.waiter)
        if isWanted, attempt < min(settings.servers.count, UpstreamSettings.connectAttempts) {
            return connect(to: machine.anotherServer(), for: entry, attempt: attempt + 1)
        }
        connectionEnded(isUpload: entry.isUpload)
        if isWanted { entry.waiter.client.deny(Denial(.upstreamUnreachable)) }
    }

    private func isWanted(_ waiter: Waiter) -> Bool {
        waiter.client.isOpen && waiter.client.record.number == waiter.number
            && waiter.client.connection.phase == .deciding
    }
}
