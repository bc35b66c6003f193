import NIOCore
import NIOEmbedded
import NIOHTTP1

/// Reads streams with SwiftNIO's `HTTPDecoder`, which is llhttp without any of its lenient flags: NIO sets none and has
/// no switch for them. Limits are NIO's defaults (80 KiB a field, 256 fields). Interim responses are passed on, and
/// bytes after an upgrade are kept; neither changes the accepted streams.
///
/// The decoder is driven as `ByteToMessageHandler` drives it, a new one for each stream in the same channel: a new
/// channel for each stream would take most of the time.
final class NIOReader {
    private let recording = NIORecording()
    private let requests: DecoderPlace<HTTPServerRequestPart>
    private let responses: DecoderPlace<HTTPClientResponsePart>

    init() throws {
        requests = try DecoderPlace(recording)
        responses = try DecoderPlace(recording)
    }

    /// Reads `stream`, of which a piece arrives at each of the ascending `cuts`, then the rest and the end.
    func read(_ stream: Stream, cuts: [Int]) -> Reading {
        recording.begin()
        switch stream.kind {
        case .requests:
            run(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes), in: requests.context, stream, cuts)
        case .responses(let methods):
            let decoder = HTTPResponseDecoder(
                leftOverBytesStrategy: .forwardBytes, informationalResponseStrategy: .forward)
            for method in methods {
                let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method.rawValue), uri: "/")
                decoder.write(data: .head(head))
            }
            run(decoder, in: responses.context, stream, cuts)
        }
        return recording.finish()
    }

    private func run<In, Out>(
        _ decoder: HTTPDecoder<In, Out>, in context: ChannelHandlerContext, _ stream: Stream, _ cuts: [Int]
    ) {
        decoder.decoderAdded(context: context)
        defer { decoder.decoderRemoved(context: context) }
        do { try feed(decoder, context, stream.bytes, cuts) } catch { recording.refused(error) }
    }

    private func feed<In, Out>(
        _ decoder: HTTPDecoder<In, Out>, _ context: ChannelHandlerContext, _ bytes: [UInt8], _ cuts: [Int]
    ) throws {
        var unread = ByteBuffer()
        var position = 0
        for cut in cuts + [bytes.count] where cut > position && !recording.isDone {
            unread.writeBytes(bytes[position..<cut])
            recording.piece = position + 1...cut
            position = cut
            _ = try decoder.decode(context: context, buffer: &unread)
        }
        if recording.isDone { return }
        recording.piece = position...position
        _ = try decoder.decodeLast(context: context, buffer: &unread, seenEOF: true)
        recording.leftOver = unread.readableBytes
    }
}

/// The channel of the decoders of one kind, whose events go to the recording.
private final class DecoderPlace<Part> {
    let channel = EmbeddedChannel()
    let context: ChannelHandlerContext

    init(_ recording: NIORecording) throws {
        let place = Placeholder()
        try channel.pipeline.syncOperations.addHandlers([place, Recorder<Part>(recording)])
        context = try channel.pipeline.syncOperations.context(handler: place)
    }

    private final class Placeholder: ChannelInboundHandler {
        typealias InboundIn = Never
    }

    private final class Recorder<InboundIn>: ChannelInboundHandler {
        private let recording: NIORecording

        init(_ recording: NIORecording) { self.recording = recording }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case let part as HTTPServerRequestPart: recording.record(part)
            case let part as HTTPClientResponsePart: recording.record(part)
            default: break
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { recording.refused(error) }
    }
}
