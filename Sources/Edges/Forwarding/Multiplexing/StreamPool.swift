import GatewayConfiguration
import GatewayCore
import HTTPServer
import Logging
import NIOCore

/// One worker's HTTP/2 connections to one upstream. It opens streams, and connections for them.
///
/// ``SharedConnections`` chooses the connection. ``UpstreamPool`` regards a stream as a connection for one request.
final class StreamPool {
    /// A request that waits for its connection to become ready.
    private struct Waiting {
        let handler: UpstreamConnection
        let opened: EventLoopPromise<any Channel>
    }

    /// The owner. Methods that end requests keep it in a variable, because the last request of a removed upstream may
    /// release it.
    private unowned let pool: UpstreamPool
    private let limits: HTTP2Limits
    private(set) var connections: SharedConnections
    private var open: [Int: SharedConnection] = [:]
    private var waiting: [Int: [Waiting]] = [:]

    init(for pool: UpstreamPool) {
        self.pool = pool
        limits = pool.settings.http2
        connections = SharedConnections(limit: pool.settings.connections, streamsEach: limits.streamsPerConnection)
    }

    private var now: UInt64 { pool.connectionContext.time }

    /// Opens a stream for one request.
    func openStream(for handler: UpstreamConnection) -> EventLoopFuture<any Channel> {
        let opened = pool.loop.makePromise(of: (any Channel).self)
        place(Waiting(handler: handler, opened: opened))
        return opened.futureResult
    }

    private func place(_ request: Waiting) {
        switch connections.place(on: request.handler.server) {
        case .open(let id):
            move(request, to: id)
            openStream(request, on: id)
        case .join(let id):
            move(request, to: id)
            waiting[id, default: []].append(request)
        case .dial(let id, let displaced):
            if let displaced { close(displaced) }
            waiting[id] = [request]
            dial(id, to: request.handler.server)
        case .full: request.opened.fail(StreamProblem.full)
        }
    }

    /// Charges a request to the server of its connection, if that is not the chosen one.
    private func move(_ request: Waiting, to id: Int) {
        guard let server = connections.server(of: id), server != request.handler.server else { return }
        pool.machine.servers.ended(request.handler.server)
        pool.machine.servers.began(server)
        request.handler.server = server
    }

    private func openStream(_ request: Waiting, on id: Int) {
        guard let connection = open[id], connection.acceptsStreams else {
            if connections.ended(id, isReset: false, now: now) { open[id]?.close() }
            return request.opened.fail(StreamProblem.refused)
        }
        request.handler.sharesUsedConnection = connections.isUsed(id)
        let context = pool.connectionContext
        let began = now
        let opened = connection.openStream(
            request.handler, isSecure: pool.settings.protocol == .h2, clock: { context.time },
            deadline: { [weak handler = request.handler] in handler?.client?.record.deadline ?? 0 },
            onEnd: { [weak self] isReset in self?.streamEnded(id, isReset: isReset, began: began) })
        opened.cascade(to: request.opened)
    }

    /// Closes a draining connection with its streams.
    private func close(_ id: Int) {
        guard let connection = open.removeValue(forKey: id) else { return }
        pool.logger.notice(
            "HTTP/2 connection ended",
            metadata: ["upstream": "\(pool.settings.name)", "reason": "too many connections are being replaced"])
        connection.onEvent = nil
        connection.close()
    }

    /// Opens a connection for the streams that wait for it.
    private func dial(_ id: Int, to server: Int) {
        pool.counters.add(to: .connects, upstream: pool.settings.counterPlace)
        let connection = SharedConnection(settings: pool.settings, loop: pool.loop)
        let began = now
        let dialed = pool.dialer.dial(
            pool.targets[server], on: pool.loop, timeout: pool.settings.connectTimeout, sharing: connection)
        dialed.assumeIsolated().whenComplete { [weak self] result in
            guard let self else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            pool.connectionContext.readClock()
            switch result {
            case .success: connected(connection, id, since: began)
            case .failure(let error): failed(id, error)
            }
        }
    }

    private func connected(_ connection: SharedConnection, _ id: Int, since began: UInt64) {
        let pool = pool
        pool.counters.record(.connect, nanoseconds: now > began ? now - began : 0)
        open[id] = connection
        connection.lastReceived = now
        connection.onEvent = { [weak self] event in self?.handle(event, of: id) }
        let age = Double(limits.connectionAge) * Double.random(in: 0.9...1.1)
        let excess = connections.opened(id, peerLimit: connection.streamLimit, until: now &+ UInt64(age))
        var requests = waiting.removeValue(forKey: id) ?? []
        let displaced = requests.suffix(min(excess, requests.count))
        requests.removeLast(displaced.count)
        for request in requests { openStream(request, on: id) }
        for request in displaced {
            if connections.ended(id, isReset: false, now: now) { connection.close() }
            place(request)
        }
        pool.capacityChanged()
    }

    private func failed(_ id: Int, _ error: any Error) {
        let pool = pool
        connections.closed(id)
        pool.counters.add(to: .connectFailures, upstream: pool.settings.counterPlace)
        for request in waiting.removeValue(forKey: id) ?? [] { request.opened.fail(error) }
        pool.capacityChanged()
    }

    private func streamEnded(_ id: Int, isReset: Bool, began: UInt64) {
        let pool = pool
        pool.connectionContext.readClock()
        let closes = connections.ended(id, isReset: isReset, now: now)
        if closes || (isReset && isSilent(id, since: began) && connections.retire(id)) { open[id]?.close() }
        pool.capacityChanged()
    }

    /// Whether a connection received nothing since a stream began, and long enough that it may be dead. A dead
    /// connection would otherwise receive the requests of all users until TCP gives up.
    private func isSilent(_ id: Int, since began: UInt64) -> Bool {
        guard let connection = open[id], connection.lastReceived <= began else { return false }
        return now > began && now - began > pool.settings.connectTimeout
    }

    private func handle(_ event: SharedConnection.Event, of id: Int) {
        let pool = pool
        pool.connectionContext.readClock()
        switch event {
        case .limited(let limit): connections.limited(id, peerLimit: limit)
        case .acknowledged: open[id]?.lastReceived = now
        case .draining(let end):
            record(end, id)
            drain(id)
        case .closed(let end):
            record(end, id)
            open[id] = nil
            connections.closed(id)
        }
        pool.capacityChanged()
    }

    /// Counts and logs the end of a connection by an error.
    private func record(_ end: SharedConnection.End, _ id: Int) {
        guard let server = connections.server(of: id) else { return }
        let counter: WorkerCounters.UpstreamCounter
        switch end {
        case .orderly: return
        case .goAway: counter = .goAways
        case .violation: counter = .protocolErrors
        case .silent: counter = .pingTimeouts
        case .closed:
            // Servers also close idle connections.
            guard open[id]?.hasLostStreams == true else { return }
            counter = .lostConnections
        }
        pool.counters.add(to: counter, upstream: pool.settings.counterPlace)
        pool.notify("HTTP/2 connection ended", server, ["reason": "\(end.text)"])
    }

    private func drain(_ id: Int) {
        if connections.drain(id) { open[id]?.close() }
    }

    // MARK: - Upkeep

    /// Replaces connections beyond their age, and closes idle and silent ones.
    func tick(now: UInt64, idleSince idle: UInt64) {
        let pool = pool
        if limits.keepAlive != nil {
            for (id, connection) in open { connection.tick(now: now, hasStreams: connections.streams(of: id) > 0) }
        }
        let expired = connections.expired(now: now, idleSince: idle)
        for id in expired where connections.retire(id) { open[id]?.close() }
        if !expired.isEmpty { pool.capacityChanged() }
    }

    /// Retires the connections to servers that receive no more requests.
    func retire(except isWanted: (_ server: Int) -> Bool) {
        for id in connections.unwanted(isWanted) { drain(id) }
    }
}

extension Double {
    /// The nanoseconds of a duration.
    fileprivate init(_ duration: Duration) { self = Double(duration.nanoseconds) }
}
