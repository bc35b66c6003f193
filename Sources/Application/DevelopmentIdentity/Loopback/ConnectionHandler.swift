internal import NIOCore
internal import NIOHTTP1

/// The channel handler of one connection. It reads requests and sends the responses of the service or of the
/// interceptor, in order.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// The maximum number of queued steps that pipelined requests may cause.
    private static let mostSteps = 4096

    private let server: LoopbackServer
    private let connection: Int
    private var requests = 0
    private var current: ReceivedRequest?
    private var responses: ResponseQueue?

    init(server: LoopbackServer, connection: Int) {
        self.server = server
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        responses = ResponseQueue(context: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        responses = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let bytes): bytes.withUnsafeReadableBytes { current?.append(body: $0) }
        case .end(let trailers): finish(trailers)
        }
        if let responses, responses.count > Self.mostSteps { context.close(promise: nil) }
    }

    private func begin(_ head: HTTPRequestHead) {
        requests += 1
        let request = ReceivedRequest(head, connection: connection, request: requests)
        current = request
        let own: [ResponseStep] = request.wantsContinue ? [.send(Response(status: 100).head())] : []
        responses?.enqueue(server.interceptor?.begin(request) ?? own)
    }

    private func finish(_ trailers: HTTPHeaders?) {
        guard var request = current else { return }
        current = nil
        request.trailers = (trailers ?? [:]).map(ReceivedRequest.Field.init(name:untrimmed:))
        request.isComplete = true
        let response = server.service.respond(to: request)
        let steps = server.interceptor?.respond(to: request, insteadOf: response) ?? response.steps(for: request)
        // The decoder reads nothing after an upgrade request.
        let isLast = !request.keepAlive || request.value(of: "Upgrade") != nil
        responses?.enqueue(steps + (isLast ? [.close] : []))
    }

    func channelInactive(context: ChannelHandlerContext) {
        responses?.stop()
        abandon()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        abandon()
        guard error is HTTPParserError else { return context.close(promise: nil) }
        let body = JSON.object(["error": .string("\(error)")]).bytes
        let head = Response(status: 400).head(adding: [("Content-Length", "\(body.count)")])
        responses?.enqueue([.send(head + body), .close])
    }

    private func abandon() {
        if let request = current { server.service.abandon(request) }
        current = nil
    }
}

extension ReceivedRequest {
    fileprivate init(_ head: HTTPRequestHead, connection: Int, request: Int) {
        self.init(
            method: head.method.rawValue, target: head.uri,
            version: "HTTP/\(head.version.major).\(head.version.minor)",
            fields: head.headers.map(Field.init(name:untrimmed:)),
            connection: connection, request: request,
            keepAlive: head.version == .http1_1 && head.isKeepAlive)
    }
}

extension ReceivedRequest.Field {
    /// Creates a field and trims its value. NIO's parser removes white space before a value, but not after it.
    fileprivate init(name: String, untrimmed: String) {
        let trimmed = untrimmed.utf8.reversed().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        self.init(name: name, value: String(decoding: trimmed.reversed(), as: UTF8.self))
    }
}
