import AsyncHTTPClient
import CivilCalendar
import NIOCore
import NIOHTTP1
import Synchronization

/// A collector of one response of any status, which rejects a large response as early as possible.
final class ResponseCollector: HTTPClientResponseDelegate {
    typealias Response = OutboundResponse

    private let limit: Int
    // The client calls from one event loop. The lock is for `hasHead`, which is read after the end.
    private let reply = Mutex<OutboundResponse?>(nil)

    /// Creates a collector.
    ///
    /// - Parameter limit: The maximum size of a body, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the head of a response arrived.
    var hasHead: Bool { reply.withLock { $0 != nil } }

    func didReceiveHead(task: HTTPClient.Task<OutboundResponse>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let received = OutboundResponse(
            status: Int(head.status.code), retryAfter: head.headers.first(name: "retry-after"), body: [],
            metadataFlavor: head.headers.first(name: "metadata-flavor"),
            date: head.headers.first(name: "date").flatMap(HTTPDate.seconds),
            etag: head.headers.first(name: "etag"))
        reply.withLock { $0 = received }
        let length = head.headers.first(name: "content-length").flatMap(Int.init) ?? 0
        return proceed(length <= limit, on: task.eventLoop)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<OutboundResponse>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let fits = reply.withLock { reply in
            guard let size = reply?.body.count, size + buffer.readableBytes <= limit else { return false }
            reply?.body.append(contentsOf: buffer.readableBytesView)
            return true
        }
        return proceed(fits, on: task.eventLoop)
    }

    func didFinishRequest(task: HTTPClient.Task<OutboundResponse>) throws -> OutboundResponse {
        guard let reply = reply.withLock({ $0 }) else { throw KeyFetchError(.invalidResponse, "no head") }
        return reply
    }

    private func proceed(_ fits: Bool, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        fits
            ? eventLoop.makeSucceededVoidFuture()
            : eventLoop.makeFailedFuture(KeyFetchError(.tooLarge, "more than \(limit) bytes"))
    }
}
