internal import HTTPWire
internal import NIOCore
internal import NIOHTTP1

/// A WebSocket server (RFC 6455) that echoes each frame, responds to pings, and closes on request.
final class WebSocketEcho: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum payload of a frame, in bytes.
    private static let longest = 64 << 20

    private var inbound = ByteBuffer()
    private var isReading = true

    /// Returns the response that upgrades to a WebSocket, with the sub-protocol of the query's `protocol`. `nil` if the
    /// request is not for a WebSocket.
    static func response(to request: ReceivedRequest) -> Response? {
        guard request.value(of: "Upgrade")?.lowercased() == "websocket",
            let key = request.value(of: "Sec-WebSocket-Key")
        else { return nil }
        let accept = Array(key.utf8).withUnsafeBytes { String(decoding: WebSocketKey.accept($0), as: UTF8.self) }
        let selected = request.query?["protocol"].map { [(name: "Sec-WebSocket-Protocol", value: $0)] } ?? []
        return Response(
            status: 101,
            fields: [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", accept)] + selected,
            stream: { channel, _ in takeOver(channel) })
    }

    /// Replaces HTTP on a connection. The handler receives the bytes after the request.
    private static func takeOver(_ channel: any Channel) {
        let operations = channel.pipeline.syncOperations
        guard let decoder = try? operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        try? operations.addHandler(WebSocketEcho(), position: .after(decoder))
        operations.removeHandler(decoder, promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        inbound.writeBuffer(&arrived)
        respond(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { respond(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Responds to complete frames while the peer reads.
    private func respond(_ context: ChannelHandlerContext) {
        while context.channel.isActive, context.channel.isWritable, step(context) {}
        inbound.discardReadBytes()
        context.flush()
        let reads = context.channel.isWritable
        guard reads != isReading else { return }
        isReading = reads
        try? context.channel.syncOptions?.setOption(.autoRead, value: reads)
    }

    /// Responds to one frame. Returns whether there may be more to do.
    private func step(_ context: ChannelHandlerContext) -> Bool {
        guard let (header, length) = header() else { return false }
        guard let length, header[1] & 0x80 != 0 else {
            close(context, with: WebSocketClose.frame(code: 1002))
            return false
        }
        guard inbound.readableBytes >= header.count + 4 + length else { return false }
        inbound.moveReaderIndex(forwardBy: header.count)
        let mask = inbound.readBytes(length: 4) ?? []
        var payload = inbound.readBytes(length: length) ?? []
        payload.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] ^= mask[index & 3] }
        }
        return respond(header, payload, context)
    }

    private func respond(_ header: [UInt8], _ payload: [UInt8], _ context: ChannelHandlerContext) -> Bool {
        var header = header
        header[1] &= 0x7F
        switch header[0] & 0x0F {
        case 0x8:
            close(context, with: header + payload)
            return false
        case 0x9: header[0] = header[0] & 0xF0 | 0xA
        case 0xA: return true
        default: break
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: header + payload)), promise: nil)
        return true
    }

    /// Returns a frame's header without its mask, and the payload length, which is `nil` if too long. Returns `nil`
    /// until the header is complete.
    private func header() -> ([UInt8], length: Int?)? {
        guard let start = inbound.getBytes(at: inbound.readerIndex, length: 2) else { return nil }
        let short = Int(start[1] & 0x7F)
        let count = short == 126 ? 4 : short == 127 ? 10 : 2
        guard let bytes = inbound.getBytes(at: inbound.readerIndex, length: count) else { return nil }
        let length = count == 2 ? UInt64(short) : bytes[2...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (bytes, length <= UInt64(Self.longest) ? Int(length) : nil)
    }

    private func close(_ context: ChannelHandlerContext, with frame: [UInt8]) {
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: frame)))
            .whenComplete { _ in channel.close(promise: nil) }
    }
}
