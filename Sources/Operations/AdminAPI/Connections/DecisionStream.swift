import NIOCore
import NIOHTTP1

/// The writer of one stream of decisions, on the event loop of its connection.
final class DecisionStream {
    private let viewer: DecisionViewer
    private let channel: any Channel
    private let heartbeat: TimeAmount
    private var ticker: RepeatedTask?
    private var deadline: Scheduled<Void>?
    private var isIdle = true
    /// The number of heartbeats since the client last read.
    private var stalled = 0
    private var hasEnded = false

    init(_ viewer: DecisionViewer, on channel: any Channel, heartbeat: TimeAmount) {
        self.viewer = viewer
        self.channel = channel
        self.heartbeat = heartbeat
    }

    /// Writes the head, and then the events of the viewer until it ends.
    func begin() {
        let headers = HTTPHeaders([
            ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), ("X-Accel-Buffering", "no"), ("Connection", "close"),
        ])
        channel.write(
            HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)),
            promise: nil)
        write(Array("retry: 2000\n\n".utf8))
        let loop = channel.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        ticker = loop.scheduleRepeatedTask(initialDelay: heartbeat, delay: heartbeat) { _ in bound.value.tick() }
        deadline = loop.scheduleTask(in: .seconds(viewer.filter.seconds)) { [viewer] in viewer.end(.expired) }
        viewer.onEvent { loop.execute { bound.value.write() } }
    }

    /// Writes queued events while the client reads.
    func write() {
        guard !hasEnded, channel.isWritable else { return }
        stalled = 0
        let (bytes, isLast) = viewer.take(at: channel.eventLoop.now.uptimeNanoseconds)
        if !bytes.isEmpty { write(bytes) }
        guard isLast else { return }
        hasEnded = true
        let channel = channel
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
        // A client that does not read the end within a second does not receive it.
        channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }

    /// Stops, because the connection is closed.
    func cancel() {
        hasEnded = true
        ticker?.cancel()
        deadline?.cancel()
        viewer.cancel()
    }

    private func tick() {
        viewer.checkPermission()
        guard channel.isWritable else {
            stalled += 1
            return stalled >= 2 ? channel.close(promise: nil) : ()
        }
        write()
        if isIdle, !hasEnded { write(ServerSentEvent.heartbeat) }
        isIdle = true
    }

    private func write(_ bytes: [UInt8]) {
        isIdle = false
        let buffer = channel.allocator.buffer(bytes: bytes)
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
    }
}
