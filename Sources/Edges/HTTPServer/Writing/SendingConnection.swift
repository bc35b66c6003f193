package import NIOCore

/// A connection that sends by its writer, or by its channel, and is flushed with others.
package protocol SendingConnection: Flushable {
    var front: ConnectionContext { get }
    /// Nil once the connection has left its pipeline, which is a moment after it closed.
    var context: ChannelHandlerContext? { get }
    var writer: SocketWriter? { get }
    /// What the channel was given and has not sent.
    var queued: QueuedWrites { get }
    /// It waits to be flushed.
    var isFlushDue: Bool { get set }

    /// Writes a part to the channel.
    func give(_ part: ByteBuffer, to context: ChannelHandlerContext)
}

extension SendingConnection {
    package func send(_ part: ByteBuffer) {
        guard let context else { return }
        if writer?.hold(part, in: context) == true { return }
        useChannel()
        give(part, to: context)
    }

    /// What is held goes to the channel, and so does what is written from now on.
    package func useChannel() {
        guard let context, let part = writer?.takeHeld() else { return }
        give(part, to: context)
    }

    package func flush() {
        // A channel that holds as much as it should does not wait for others.
        if writer?.isDirect != true, context?.channel.isWritable == false { return flushNow() }
        guard !isFlushDue else { return }
        isFlushDue = true
        front.flushes.add(self)
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

    /// Whether something that was written is not with the kernel yet.
    package var hasUnsent: Bool {
        if isFlushDue { return true }
        guard let context, writer?.isDirect != true else { return false }
        // Encrypted bytes are in the channel once they were flushed.
        let options = context.channel.syncOptions
        return ((try? options?.getOption(.bufferedWritableBytes)) ?? 0) > 0
    }

    /// Whether more is to be written now.
    package var takesMore: Bool {
        guard let context else { return false }
        return writer?.isDirect == true || (!queued.isFull && context.channel.isWritable)
    }
}
