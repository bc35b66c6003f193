import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A writer that bypasses the channel and sends directly to a plain socket while the channel is idle. A write through a
/// channel costs about as much as the entire decision of the gateway.
///
/// It holds at most one part until it is sent. In all other cases the channel is used, which keeps order and limits:
/// for more than one part at a time, for partial writes, for completion notices, and for TLS. The channel is then used
/// until it reports that all its data is sent.
package final class SocketWriter {
    private typealias Transport = any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>

    /// Access to the socket while the channel has it open, so that a reused descriptor is never written to.
    @exclusivity(unchecked) private var transport: Transport?
    @exclusivity(unchecked) private var held: ByteBuffer?
    /// Whether writes go to the channel.
    @exclusivity(unchecked) private var usesChannel: Bool
    /// Whether it was determined if the socket may be written to directly.
    @exclusivity(unchecked) private var isSettled: Bool
    /// The number of times that the channel was used.
    private var given = 0
    /// Whether a completion notice of the channel is pending.
    private var isAsked = false

    /// Creates a writer.
    ///
    /// - Parameter isPlain: Whether the socket transmits the bytes as they are written here.
    package init(isPlain: Bool) {
        usesChannel = !isPlain
        isSettled = !isPlain
    }

    /// Determines the mode at the first part, when TLS handlers are in place. They are then never bypassed, whatever
    /// was passed to `init`.
    private func resolve(_ context: ChannelHandlerContext) {
        isSettled = true
        let pipeline = context.pipeline.syncOperations
        let isEncrypted =
            (try? pipeline.context(handlerType: NIOSSLServerHandler.self)) != nil
            || (try? pipeline.context(handlerType: NIOSSLClientHandler.self)) != nil
        transport = isEncrypted ? nil : context.channel._channelCore as? Transport
        usesChannel = usesChannel || transport == nil
    }

    /// Whether written data is held here and not in the channel.
    var isDirect: Bool { !usesChannel }

    /// Holds a part for sending if possible. Returns whether it is held. Otherwise the caller passes the held part and
    /// then this one to the channel.
    func hold(_ part: ByteBuffer, in context: ChannelHandlerContext) -> Bool {
        if !isSettled { resolve(context) }
        guard !usesChannel, held == nil else { return false }
        held = part
        return true
    }

    /// Returns the held part for the channel, which is used from now on.
    func takeHeld() -> ByteBuffer? {
        usesChannel = true
        given &+= 1
        let part = held
        held = nil
        return part
    }

    /// Discards the held part.
    package func drop() { held = nil }

    /// Sends the held part. Returns whether nothing is left for the channel.
    func send() -> Bool {
        guard let part = held, let transport else { return held == nil }
        let size = part.readableBytes
        let sent = part.withUnsafeReadableBytes { bytes in
            // A failure here also fails in the channel, which handles it.
            (try? transport.withUnsafeTransport { Self.send(bytes, to: $0) }) ?? 0
        }
        guard sent < size else {
            held = nil
            return true
        }
        var rest = part
        rest.moveReaderIndex(forwardBy: max(0, sent))
        held = rest
        return false
    }

    private static func send(_ bytes: UnsafeRawBufferPointer, to socket: NIOBSDSocket.Handle) -> Int {
        #if canImport(Darwin)
            // NIO has set SO_NOSIGPIPE.
            Darwin.send(socket, bytes.baseAddress, bytes.count, MSG_DONTWAIT)
        #elseif canImport(Musl)
            Musl.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        #else
            Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Requests a completion notice when there is nothing more to write. If the result is not `nil`, the caller passes
    /// it to ``channelSent(_:)`` after the channel has sent all its data.
    package func requestCompletionNotice() -> Int? {
        guard usesChannel, transport != nil, !isAsked else { return nil }
        isAsked = true
        return given
    }

    /// Handles a completion notice.
    ///
    /// - Returns: Whether direct writes are used again. `false` if the channel received more data meanwhile.
    package func channelSent(_ mark: Int) -> Bool {
        isAsked = false
        if mark == given { usesChannel = false }
        return !usesChannel
    }
}
