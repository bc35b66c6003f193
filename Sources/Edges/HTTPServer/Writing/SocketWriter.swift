import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends what a connection wrote straight to its socket, where that is plain and its channel has nothing to send: a write through a channel
/// costs about as much as all that the gateway decides.
///
/// It holds at most one part, until it is sent. Everything else goes through the channel, which keeps the order and the bounds: more than
/// one part at a time, what the socket did not take at once, what is told of once it is sent, and all of TLS. From then on the channel is
/// used, until it has told that it sent all that it was given.
package final class SocketWriter {
    private typealias Transport = any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>

    /// Gives the socket as long as the channel has it open: one that is closed has no number that could be another's by now.
    private var transport: Transport?
    private var held: ByteBuffer?
    /// What is written goes to the channel.
    private var usesChannel: Bool
    /// It is known whether the socket may be written to.
    private var isSettled: Bool
    /// How often the channel was given something.
    private var given = 0
    /// The channel will tell when it has sent what it has.
    private var isAsked = false

    /// - Parameter isPlain: whether the socket gets the bytes as they are written here.
    package init(isPlain: Bool) {
        usesChannel = !isPlain
        isSettled = !isPlain
    }

    /// At the first part, when whoever encrypts is there: then nothing is ever sent past them, whatever was said before.
    private func settle(_ context: ChannelHandlerContext) {
        isSettled = true
        let pipeline = context.pipeline.syncOperations
        let isEncrypted =
            (try? pipeline.context(handlerType: NIOSSLServerHandler.self)) != nil
            || (try? pipeline.context(handlerType: NIOSSLClientHandler.self)) != nil
        transport = isEncrypted ? nil : context.channel._channelCore as? Transport
        usesChannel = usesChannel || transport == nil
    }

    /// Whether what was written lies here, and not in the channel.
    var isDirect: Bool { !usesChannel }

    /// - Returns: whether the part is held to be sent; otherwise the channel is to be given what is held, and then this.
    func hold(_ part: ByteBuffer, in context: ChannelHandlerContext) -> Bool {
        if !isSettled { settle(context) }
        guard !usesChannel, held == nil else { return false }
        held = part
        return true
    }

    /// What is to be given to the channel, which is used from now on.
    func takeHeld() -> ByteBuffer? {
        usesChannel = true
        given &+= 1
        let part = held
        held = nil
        return part
    }

    /// What is held is never sent.
    package func drop() { held = nil }

    /// Sends what is held.
    ///
    /// - Returns: whether nothing is left that the channel is to be given.
    func send() -> Bool {
        guard let part = held, let transport else { return held == nil }
        let size = part.readableBytes
        let sent = part.withUnsafeReadableBytes { bytes in
            // What fails here fails in the channel, too, which knows what then follows.
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

    /// To be asked when there is nothing more to write for now: whether the channel is to tell, by ``channelSent(_:)`` with the number that is
    /// given here, when it has sent all that it was given.
    package func askBack() -> Int? {
        guard usesChannel, transport != nil, !isAsked else { return nil }
        isAsked = true
        return given
    }

    /// The channel has sent all that it had been given when it was asked.
    ///
    /// - Returns: whether it is not used any more; else it was given more meanwhile.
    package func channelSent(_ mark: Int) -> Bool {
        isAsked = false
        if mark == given { usesChannel = false }
        return !usesChannel
    }
}
