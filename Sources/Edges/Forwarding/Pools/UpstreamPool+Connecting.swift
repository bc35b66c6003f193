import GatewayCore
import HTTPServer
import Logging
import NIOCore

extension UpstreamPool {
    /// Opens a connection for a request. The servers in `tried` could not be reached for it.
    func connect(to server: Int, for entry: Entry, tried: [Int] = []) {
        let connection = UpstreamConnection(server: server, pool: self)
        let began = connectionContext.time
        let dialed = streams?.openStream(for: connection) ?? dial(server, connection)
        dialed.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel):
                // `channelInactive` is not fired for a channel that is closed within this call, because it never became
                // active.
                channel.closeFuture.assumeIsolated().whenComplete { _ in connection.ended() }
                self.connected(connection, for: entry, since: began)
            case .failure(StreamProblem.full), .failure(StreamProblem.refused):
                self.loop.assumeIsolated().execute { self.waitAgain(entry, connection.server) }
            case .failure(let error):
                // Deferred, because connecting may fail immediately, and waiting requests must not fail recursively.
                self.loop.assumeIsolated().execute {
                    self.connectFailed(error, at: connection.server, for: entry, tried: tried + [connection.server])
                }
            }
        }
    }

    private func dial(_ server: Int, _ connection: UpstreamConnection) -> EventLoopFuture<any Channel> {
        counters.add(to: .connects, upstream: settings.counterPlace)
        return dialer.dial(targets[server], on: loop, timeout: settings.connectTimeout, handler: connection)
    }

    /// Returns a request to the queue because all HTTP/2 connections are full.
    private func waitAgain(_ entry: Entry, _ server: Int) {
        connectionContext.readClock()
        guard isWanted(entry.waiter) else { return connectionEnded(server: server, isUpload: entry.isUpload) }
        guard machine.waitAgain(entry, server: server) else {
            capacityChanged()
            return entry.waiter.client.deny(Denial(.overloaded))
        }
        capacityChanged()
    }

    private func connected(_ connection: UpstreamConnection, for entry: Entry, since began: UInt64) {
        connectionContext.readClock()
        if let failures = outages.ended(connection.server) {
            notify("upstream server reachable again", connection.server, ["failures": "\(failures)"])
        }
        if streams == nil { recordConnect(since: began) }
        guard isWanted(entry.waiter) else {
            if entry.isUpload { machine.uploadEnded() }
            return streams == nil ? released(connection) : connection.closeNow()
        }
        lend(connection, to: entry)
    }

    private func recordConnect(since began: UInt64) {
        counters.record(.connect, nanoseconds: connectionContext.time > began ? connectionContext.time &- began : 0)
    }

    private func connectFailed(_ error: any Error, at server: Int, for entry: Entry, tried: [Int]) {
        connectionContext.readClock()
        if streams == nil { counters.add(to: .connectFailures, upstream: settings.counterPlace) }
        let problem = UpstreamProblem.text(error)
        if let failures = outages.failed(server, now: connectionContext.time) {
            notify(
                "upstream server unreachable", server, level: .warning,
                ["reason": "\(problem)", "failures": "\(failures)"])
        }
        requestFailed(at: server, why: problem)
        let isWanted = isWanted(entry.waiter)
        let attempts = min(machine.servers.servers.count, UpstreamSettings.connectAttempts)
        if isWanted, settings.retry.onConnect, tried.count < attempts {
            let avoided = tried + entry.waiter.client.record.tried
            return connect(to: machine.anotherServer(after: server, avoiding: avoided), for: entry, tried: tried)
        }
        connectionEnded(server: server, isUpload: entry.isUpload)
        guard isWanted else { return }
        entry.waiter.client.record.reason = problem
        entry.waiter.client.deny(Denial(.upstreamUnreachable))
    }

    private func isWanted(_ waiter: Waiter) -> Bool {
        waiter.client.isOpen && waiter.client.record.number == waiter.number
            && waiter.client.connection.phase == .deciding
    }
}
