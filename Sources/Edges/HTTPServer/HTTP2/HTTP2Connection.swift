import GatewayCore
import NIOCore

/// One HTTP/2 connection of a client: its streams, its timeouts and its end.
///
/// It holds the one entry of the connection in the process's budget. All calls happen on the worker's event loop.
package final class HTTP2Connection: Registered {
    let connectionContext: ConnectionContext
    /// The peer of the socket, or the client that a PROXY header stated.
    let peer: PeerAddress
    let limits: HTTP2Limits
    /// The listener that accepted the connection. `nil` in tests.
    let listener: ListenerSlot?
    /// The settings under which the listener accepted the connection. `nil` in tests.
    var accepted: ListenerSettings?
    private let holder: ConnectionLeaseHolder?
    private let counters: WorkerCounters?
    /// The open streams, in no order.
    let streams = Registry<HTTP2StreamCodec>()
    private(set) var end = End.none
    /// The channel handler below NIO's. `nil` after the connection has closed.
    weak var frames: FrameGuard?
    package var registryIndex = 0
    private var heads: HeadBudget
    private let began: UInt64
    private let maximumAge: UInt64?
    /// When the last stream ended, or the connection began. Only streams count as activity.
    private var lastActive: UInt64
    private var unwritableSince: UInt64?
    private var keepAlive: KeepAlive
    private var peerFinished = false

    /// The progress of the end of the connection.
    enum End: Equatable {
        case none
        /// GOAWAY without a last stream was sent, so that requests on their way are still served.
        case announced(at: UInt64)
        /// GOAWAY with the last stream was sent. The connection closes when all streams have ended.
        case decided
        /// Nothing is read any more. The socket closes after the client has, or after a short time.
        case closing(since: UInt64)
    }

    init(
        _ connectionContext: ConnectionContext, peer: PeerAddress, listener: ListenerSlot?,
        holder: ConnectionLeaseHolder?, counters: WorkerCounters?
    ) {
        self.connectionContext = connectionContext
        self.peer = peer
        self.listener = listener
        self.holder = holder
        self.counters = counters
        limits = connectionContext.limits.http2
        heads = HeadBudget(limits.streams * HTTP2Limits.headBytesPerStream)
        began = connectionContext.time
        lastActive = connectionContext.time
        keepAlive = KeepAlive(limits.keepAlive, now: connectionContext.time)
        maximumAge = limits.maximumAge.map { $0 / 10 * 9 + connectionContext.requestIDs.next() % max(1, $0 / 5) }
    }

    // MARK: - Streams

    /// Whether a further stream is served. Otherwise the client may send its request again on another connection.
    var acceptsStream: Bool {
        switch end {
        case .none, .announced: streams.count < limits.streams
        case .decided, .closing: false
        }
    }

    func refusedStream() {
        counters?.add(to: .http2StreamsRefused)
    }

    /// Holds the head of a stream until the stream ends. Returns whether the heads of all streams are within their
    /// limit.
    func hold(headOf stream: HTTP2StreamCodec, bytes: Int) -> Bool {
        guard heads.take(bytes) else { return false }
        stream.headBytes = bytes
        return true
    }

    func remove(_ stream: HTTP2StreamCodec) {
        guard streams.remove(stream) else { return }
        heads.release(stream.headBytes)
        lastActive = connectionContext.time
        if streams.isEmpty, end == .decided || peerFinished { close() }
    }

    // MARK: - The end

    /// Ends the connection after its current streams.
    func closeGracefully() {
        guard end == .none, let frames else { return }
        end = .announced(at: connectionContext.time)
        frames.sendGoAway(lastStream: UInt32(Int32.max), errorCode: 0)
    }

    /// Ends the connection after its current streams, and refuses further ones.
    func retire() {
        switch end {
        case .none, .announced: decide()
        case .decided, .closing: break
        }
    }

    /// Refuses further streams, and closes when there are none.
    private func decide() {
        guard let frames else { return }
        end = .decided
        frames.sendGoAway(lastStream: frames.lastStream, errorCode: 0)
        if streams.isEmpty { close() }
    }

    /// Ends the connection with an error: GOAWAY, then the end of the socket (RFC 9113 section 5.4.1). All requests are
    /// abandoned.
    ///
    /// - Parameter isSent: Whether NIO has sent GOAWAY.
    func fail(_ failure: HTTP2Failure, isSent: Bool = false) {
        if case .closing = end { return }
        counters?.count(failure)
        if !isSent, let frames { frames.sendGoAway(lastStream: frames.lastStream, errorCode: failure.errorCode) }
        close()
        // NIO may be processing a frame.
        guard let loop = frames?.eventLoop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { bound.value.abandonStreams() }
    }

    private func abandonStreams() {
        streams.forEach { $0.client?.close() }
    }

    /// Closes the sending direction after all data is sent. Received bytes are discarded.
    private func close() {
        if case .closing = end { return }
        end = .closing(since: connectionContext.time)
        frames?.finish()
    }

    /// Closes immediately.
    package func stop() {
        abandonStreams()
        frames?.close()
    }

    /// Handles the end of the client's sending direction.
    func peerEnded() {
        peerFinished = true
        if case .closing = end { return stop() }
        if streams.isEmpty { close() }
    }

    /// Handles the end of the socket.
    func ended() {
        connectionContext.multiplexed.remove(self)
    }

    /// Closes to free its place for another connection, unless it has streams.
    func makeRoom() {
        guard streams.isEmpty else {
            holder?.stay()
            return closeGracefully()
        }
        decide()
    }

    /// Handles received bytes of the client.
    func received() {
        keepAlive.received(now: connectionContext.time)
    }

    func writabilityChanged(isWritable: Bool) {
        // The client has read data, which a PING would have had to wait for.
        if isWritable { received() }
        unwritableSince = isWritable ? nil : unwritableSince ?? connectionContext.time
    }

    // MARK: - Timeouts

    /// Checks the timeouts. Called several times per second.
    package func tick(now: UInt64) {
        holder?.record(idleSince: streams.isEmpty && end == .none ? lastActive : nil)
        let limits = connectionContext.limits
        if case .closing(let since) = end {
            if now > since &+ ConnectionLimits.lingerTimeout { stop() }
            return
        }
        if let unwritableSince, now > unwritableSince &+ limits.idleTimeout { return stop() }
        if let frames, frames.isLate(now: now, began: began, limit: limits.headTimeout) { return fail(.timeout) }
        guard isAnswered(now: now) else { return fail(.pingTimeout) }
        switch end {
        case .none:
            let isOld = maximumAge.map { now > began &+ $0 } ?? false
            if connectionContext.isDraining || isOld { return closeGracefully() }
            if streams.isEmpty, now > lastActive &+ limits.idleTimeout { decide() }
        case .announced(let time):
            if now > time &+ HTTP2Limits.goAwayInterval { decide() }
        case .decided, .closing:
            break
        }
    }

    /// Sends a PING if one is due. Returns whether the client has responded to the last one, or still may.
    ///
    /// While the client does not read, the idle timeout applies: a PING would wait behind other data.
    private func isAnswered(now: UInt64) -> Bool {
        guard unwritableSince == nil else { return true }
        switch keepAlive.tick(now: now) {
        case .none: return true
        case .ping:
            frames?.sendPing()
            return true
        case .close: return false
        }
    }
}
