package import NIOCore

/// One step in sending on a connection of a development server.
package enum ResponseStep: Sendable {
    /// An action on the connection's event loop. It calls `next` at most once, from any thread; the following step
    /// waits for that call.
    package typealias Action = @Sendable (_ channel: any Channel, _ next: @escaping @Sendable () -> Void) -> Void

    /// Sends bytes.
    case send([UInt8])
    /// Runs an action.
    case run(Action)
    /// Closes the connection after all earlier data is sent.
    case close
}

/// The queue of one connection's steps, on the channel's event loop.
final class ResponseQueue {
    private let context: ChannelHandlerContext
    private var steps = CircularBuffer<ResponseStep>()
    private var isWaiting = false
    private var isStopped = false
    private var isRunning = false

    init(context: ChannelHandlerContext) {
        self.context = context
    }

    /// The number of queued steps.
    var count: Int { steps.count }

    /// Appends steps and performs those that need not wait.
    func enqueue(_ more: [ResponseStep]) {
        guard !isStopped else { return }
        steps.append(contentsOf: more)
        run()
    }

    /// Drops all queued steps.
    func stop() {
        isStopped = true
        steps.removeAll()
    }

    private func run() {
        // A step may call back immediately, for example when it closes the channel. The steps must stay in order.
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !isWaiting, !isStopped, let step = steps.popFirst() { perform(step) }
    }

    private func perform(_ step: ResponseStep) {
        switch step {
        case .send(let bytes): context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
        case .run(let action): perform(action)
        case .close: close()
        }
    }

    private func perform(_ action: ResponseStep.Action) {
        isWaiting = true
        let queue = NIOLoopBound(self, eventLoop: context.eventLoop)
        action(context.channel) { [loop = context.eventLoop] in
            loop.execute { queue.value.resume() }
        }
    }

    private func resume() {
        isWaiting = false
        run()
    }

    /// Closes the connection. Closing drops pending data, so that an empty write comes first; it completes after all
    /// other writes.
    private func close() {
        isWaiting = true
        let channel = context.channel
        context.writeAndFlush(NIOAny(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
    }
}
