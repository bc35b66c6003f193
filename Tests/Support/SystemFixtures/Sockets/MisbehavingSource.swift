import NIOCore
import NIOPosix
import Synchronization

/// An HTTP source on its own port that responds with arbitrary bytes.
final class MisbehavingSource: Sendable {
    /// The response to one request.
    enum Answer: Sendable {
        /// Sends these bytes and keeps the connection.
        case send([UInt8])
        /// Sends these bytes and closes the connection, immediately or later.
        case sendAndClose([UInt8], after: TimeAmount = .zero)
        /// Announces this many bytes and sends them one by one with a pause.
        case drip(pause: TimeAmount, length: Int = 1_000_000)
        /// Never responds.
        case silence
    }

    /// The number of a request in total, and the number of its connection, both from 1.
    struct Request: Sendable {
        let number: Int
        let connection: Int
        let head: String
        let body: String
    }

    private let channel: any Channel
    private let log: Log

    final class Log: Sendable {
        private let requests = Mutex<[Request]>([])
        private let connections = Atomic<Int>(0)

        var all: [Request] { requests.withLock { $0 } }

        func nextConnection() -> Int { connections.wrappingAdd(1, ordering: .relaxed).newValue }

        func record(_ head: String, _ body: String, connection: Int) -> Request {
            requests.withLock { requests in
                let request = Request(number: requests.count + 1, connection: connection, head: head, body: body)
                requests.append(request)
                return request
            }
        }
    }

    init(_ answer: @escaping @Sendable (Request) -> Answer) async throws {
        let log = Log()
        self.log = log
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = Handler(log: log, connection: log.nextConnection(), answer: answer)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/keys" }
    var requests: [Request] { log.all }

    func close() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let log: Log
        private let connection: Int
        private let answer: @Sendable (Request) -> Answer
        private var received = ""
        private var dripping: RepeatedTask?

        init(log: Log, connection: Int, answer: @escaping @Sendable (Request) -> Answer) {
            self.log = log
            self.connection = connection
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard let end = received.firstRange(of: "\r\n\r\n")?.upperBound else { return }
            let (head, body) = (String(received[..<end]), String(received[end...]))
            guard body.utf8.count >= Self.bodyLength(head) else { return }
            let request = log.record(head, body, connection: connection)
            received = ""
            switch answer(request) {
            case .send(let bytes): write(bytes, context)
            case .sendAndClose(let bytes, .zero):
                write(bytes, context)
                context.close(promise: nil)
            case .sendAndClose(let bytes, let delay):
                write(bytes, context)
                let channel = context.channel
                context.eventLoop.scheduleTask(in: delay) { channel.close(promise: nil) }
            case .drip(let pause, let length): drip(pause, length, context)
            case .silence: break
            }
        }

        private static func bodyLength(_ head: String) -> Int {
            let name = "content-length: "
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
        }

        func channelInactive(context: ChannelHandlerContext) { dripping?.cancel() }

        private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
        }

        private func drip(_ pause: TimeAmount, _ length: Int, _ context: ChannelHandlerContext) {
            let channel = context.channel
            write(Array("HTTP/1.1 200 OK\r\ncontent-length: \(length)\r\n\r\n{".utf8), context)
            dripping = context.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
                channel.writeAndFlush(channel.allocator.buffer(string: " "), promise: nil)
            }
        }
    }
}

/// The bytes of a response with this body and the correct length.
func httpAnswer(status: String = "200 OK", headers: [String] = [], _ body: [UInt8]) -> [UInt8] {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
}
