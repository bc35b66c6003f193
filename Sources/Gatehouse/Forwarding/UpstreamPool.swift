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

    let settings: UpstreamSettings
    let front: ServerFront
    /// `Host` for a request that has none.
    let hostField: [UInt8]
    private let loop: any EventLoop
    private var machine: UpstreamPoolMachine<UpstreamConnection>
    private var waiters: CircularBuffer<Waiter> = []
    private let counters: WorkerCounters
    /// The upstream's place in the counters.
    private let index: Int

    init(settings: UpstreamSettings, index: Int, front: ServerFront, counters: WorkerCounters, loop: any EventLoop) {
        self.settings = settings
        self.index = index
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
        switch machine.acquire(reuse: client.record.attempts == 1) {
        case .use(let connection):
            lend(connection, to: client, request: request, head: head)
        case .connect(let server):
            connect(to: server, for: waiter(client, request, head), attempt: 1)
        case .replace(let old, let server):
            old.retire()
            connect(to: server, for: waiter(client, request, head), attempt: 1)
        case .wait:
            waiters.append(waiter(client, request, head))
        case .refuse:
            client.deny(Denial(.overloaded))
        }
    }

    /// A connection has finished an exchange and may serve another.
    func released(_ connection: UpstreamConnection) {
        switch machine.released(connection, server: connection.server, now: front.time) {
        case .kept:
            connection.isIdle = true
        case .serveNext:
            guard let next = waiters.popFirst() else { return released(connection) }
            lend(connection, to: next.client, request: next.request, head: next.head)
        }
    }

    /// A connection has closed.
    func closed(_ connection: UpstreamConnection) {
        if connection.isIdle {
            connection.isIdle = false
            machine.idleClosed(connection, server: connection.server)
        } else {
            connectionEnded()
        }
    }

    /// A client is gone whose request may be waiting here.
    func forget(_ client: ClientHandler) {
        guard let index = waiters.firstIndex(where: { $0.client === client }) else { return }
        waiters.remove(at: index)
        machine.gaveUp()
    }

    /// Called a few times a second.
    func tick(now: UInt64) {
        if now > UpstreamSettings.idleTimeout {
            for connection in machine.expire(idleSince: now - UpstreamSettings.idleTimeout) { connection.retire() }
        }
        while let first = waiters.first, now > first.until {
            waiters.removeFirst()
            machine.gaveUp()
            first.client.deny(Denial(.upstreamTimeout))
        }
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

    private func lend(
        _ connection: UpstreamConnection, to client: ClientHandler, request: OutgoingRequest, head: ByteBuffer
    ) {
        connection.isIdle = false
        connection.begin(request, head: head, for: client)
        client.attach(connection)
    }

    private func connectionEnded() {
        guard let server = machine.closed() else { return }
        guard let next = waiters.popFirst() else { return connectionEnded() }
        connect(to: server, for: next, attempt: 1)
    }

    // MARK: - Connecting

    private func connect(to server: Int, for waiter: Waiter, attempt: Int) {
        counters.add(to: .connects, upstream: index)
        let connection = UpstreamConnection(server: server, pool: self)
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
                self.connected(connection, for: waiter)
            case .failure:
                // Later: connecting may fail at once, and those who wait must not fail one within the other.
                self.loop.assumeIsolated().execute { self.connectFailed(for: waiter, attempt: attempt) }
            }
        }
    }

    private func connected(_ connection: UpstreamConnection, for waiter: Waiter) {
        front.readClock()
        guard waiter.client.isOpen, waiter.client.record.number == waiter.number,
            waiter.client.connection.phase == .deciding
        else { return released(connection) }
        lend(connection, to: waiter.client, request: waiter.request, head: waiter.head)
    }

    private func connectFailed(for waiter: Waiter, attempt: Int) {
        front.readClock()
        counters.add(to: .connectFailures, upstream: index)
        let isWanted =
            waiter.client.isOpen && waiter.client.record.number == waiter.number
            && waiter.client.connection.phase == .deciding
        if isWanted, attempt < min(settings.servers.count, UpstreamSettings.connectAttempts) {
            return connect(to: machine.anotherServer(), for: waiter, attempt: attempt + 1)
        }
        connectionEnded()
        if isWanted { waiter.client.deny(Denial(.upstreamUnreachable)) }
    }
}
