package import NIOCore

/// A connection that writes through its `SocketWriter` or its channel, and is flushed together with other connections.
package protocol SendingConnection: Flushable {
    var connectionContext: ConnectionContext { get }
    /// `nil` after the connection has left its pipeline, shortly after it closed.
    var context: ChannelHandlerContext? { get }
    var writer: SocketWriter? { get }
    /// The pending writes of the channel.
    var queued: QueuedWrites { get }
    /// Whether the connection is in the flush queue.
    var isFlushDue: Bool { get set }

    /// Writes a part to the channel.
    func writePart(_ part: ByteBuffer, to context: ChannelHandlerContext)
}

extension SendingConnection {
    package func send(_ part: ByteBuffer) {
        guard let context else { return }
        if writer?.hold(part, in: context) == true { return }
        useChannel()
        writePart(part, to: context)
    }

    /// Moves the held part to the channel, which is used from now on.
    package func useChannel() {
        guard let context, let part = writer?.takeHeld() else { return }
        writePart(part, to: context)
    }

    package func flush() {
        // A channel that reached its limit is flushed immediately.
        if writer?.isDirect != true, context?.channel.isWritable == false { return flushNow() }
        guard !isFlushDue else { return }
        isFlushDue = true
        connectionContext.flushes.add(self)
    }

    package func flushNow() {
        isFlushDue = false
        guard let context else { return }
        if let writer, writer.isDirect {
            if writer.send() { return }
            useChannel()
        }
        context.flush()
    }

    /// Whether written data is not with the kernel yet.
    package var hasUnsent: Bool {
        if isFlushDue { return true }
        guard let context, writer?.isDirect != true else { return false }
        // Encrypted bytes are in the channel after they were flushed.
        let options = context.channel.syncOptions
        return ((try? options?.getOption(.bufferedWritableBytes)) ?? 0) > 0
    }

    /// Whether more data may be written now.
    package var takesMore: Bool {
        guard let context else { return false }
        return writer?.isDirect == true || (!queued.isFull && context.channel.isWritable)
    }
}
